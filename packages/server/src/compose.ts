import { EmbeddedBroker } from '@granary/link/broker';
import type { LinkDevice } from '@granary/link/port';
import { lockDataFolder } from '@granary/store/data-folder';
import { openStore, type Store, type StoreLocation } from '@granary/store/store';
import { type AdminKey, ensureAdminKey } from './admin-key.ts';
import { AlertEvaluator } from './alerts.ts';
import { sendConfiguration } from './configuration.ts';
import { DeviceCommands } from './device-commands.ts';
import { DeviceDirectory } from './device-directory.ts';
import { DeviceLog } from './device-log.ts';
import { EmergencyStops } from './emergency-stops.ts';
import { EventFeed } from './events/feed.ts';
import { Subscribers } from './events/subscribers.ts';
import { Idempotency } from './http/idempotency.ts';
import { createHttpServer } from './http/server.ts';
import { newIngestCounters } from './ingest/counters.ts';
import { DeviceQueue } from './ingest/device-queue.ts';
import { IngestPipeline } from './ingest/pipeline.ts';
import { Uplink } from './ingest/uplink.ts';
import { endedKeyIds, Keyring } from './keys.ts';
import { logLinkEvent } from './link-log.ts';
import { createLogger, type Logger } from './logger.ts';
import { Observation } from './observation.ts';
import { Reconciler } from './reconciler.ts';
import { Retention } from './retention.ts';
import { SetAsideLog } from './set-aside-log.ts';
import type { Settings } from './settings.ts';
import { explainStart } from './start-error.ts';
import { Stops } from './stops.ts';
import { UrgentOrders } from './urgent-orders.ts';

export interface Started {
  readonly httpUrl: string;
  readonly mqttUrl: string;
  readonly adminKey: AdminKey;
}

export interface Service {
  start(): Promise<Started>;
  stop(): Promise<void>;
}

interface Surroundings {
  readonly now?: () => number;
  readonly logger?: Logger;
}

const storeLocation = ({ databaseUrl, dataDir }: Settings): StoreLocation =>
  databaseUrl === null ? { engine: 'sqlite', folder: dataDir } : { engine: 'postgres', url: databaseUrl };

/** Log lines for each device: about its messages, and about its connections. */
const FAULT_LINES_PER_MINUTE_MAX = 5;
const LINK_LINES_PER_MINUTE_MAX = 20;

/** Undone in reverse order, by `stop()` or when a later step of the start fails. */
type Undo = () => Promise<void> | void;

export function createService(settings: Settings, surroundings: Surroundings = {}): Service {
  const { now = Date.now, logger = createLogger(settings.logLevel) } = surroundings;
  const undos: Undo[] = [];

  async function start(): Promise<Started> {
    const lock = await explainStart('GRANARY_DATA_DIR', () => lockDataFolder(settings.dataDir));
    undos.push(() => lock.release());

    const opened = await explainStart('the storage', () => openStore(storeLocation(settings)));
    undos.push(() => opened.close());
    const directory = new DeviceDirectory(opened, now);
    // Every device that is looked up is remembered for when the storage does not answer.
    const find: Store['devices']['find'] = (deviceId) => directory.find(deviceId);
    const store: Store = { ...opened, devices: { ...opened.devices, find } };
    const adminKey = await explainStart('the admin key', () =>
      ensureAdminKey({ store, logger, nowMs: now() }, settings.dataDir, settings.adminKey),
    );

    const keyring = new Keyring(store, now);
    const feed = new EventFeed(store, logger, (events) => {
      for (const keyId of endedKeyIds(events)) keyring.forget(keyId);
      directory.observe(events);
    });
    await explainStart('the event log', () => feed.start());
    undos.push(() => feed.stop());
    const changed = () => feed.wake();

    const observation = new Observation(store, now);
    await explainStart('the storage', () => observation.begin());
    const setAside = new SetAsideLog(logger);
    const evaluator = new AlertEvaluator({ store, observation, setAside, logger, changed });
    undos.push(() => evaluator.drain());
    const ingestCounters = newIngestCounters();
    const pipeline = new IngestPipeline({
      append: async (batch) => {
        const { toEvaluate } = await store.telemetry.append(batch);
        evaluator.wake(toEvaluate);
      },
      counters: ingestCounters,
      logger,
    });
    undos.push(() => pipeline.drain());
    const queue = new DeviceQueue(ingestCounters);
    undos.push(() => queue.stop());
    const log = new DeviceLog({
      ...{ logger, now, linesPerMinuteMax: FAULT_LINES_PER_MINUTE_MAX },
      suppressed: () => ingestCounters.suppressedLogLines++,
    });
    undos.push(() => log.stop());
    const linkLog = new DeviceLog({ logger, now, linesPerMinuteMax: LINK_LINES_PER_MINUTE_MAX });
    undos.push(() => linkLog.stop());

    const uplink = new Uplink({
      ...{ store, directory, pipeline, queue, log, counters: ingestCounters, now },
      rawRetentionDays: settings.rawRetentionDays,
      send: (...command) => commands.send(...command),
      evaluator,
      changed,
      awaitsConfiguration: (device: LinkDevice) => sendStoredConfiguration(device),
      reachable: (device) => reconciler.deviceReachable(device),
      observed: (event) => logLinkEvent(linkLog, event),
    });
    const link = new EmbeddedBroker({ host: settings.mqttHost, port: settings.mqttPort }, uplink, { now });
    const orders = new UrgentOrders();
    const commands = new DeviceCommands(link, logger, (deviceId) => orders.isMotionBlocked(deviceId));
    const sendStoredConfiguration = async ({ deviceId, deviceNo }: LinkDevice): Promise<void> => {
      const stored = await store.configuration.get(deviceNo);
      if (stored !== undefined) sendConfiguration(link, deviceId, stored);
    };
    const reconciler = new Reconciler({
      ...{ store, link, commands, orders, evaluator, observation, setAside, logger, now, changed },
    });
    const mqtt = await explainStart(`GRANARY_MQTT_PORT (${settings.mqttHost}:${settings.mqttPort})`, () =>
      link.start(),
    );
    undos.push(() => link.stop());

    const stops = new Stops({ store, commands, orders, now });
    const emergencyStops = new EmergencyStops({ store, commands, orders, now });
    reconciler.start();
    undos.push(() => reconciler.stop());

    const retention = new Retention({ store, settings, logger, now });
    retention.start();
    undos.push(() => retention.stop());

    const subscribers = new Subscribers({ feed, keyring, logger });
    subscribers.start();
    const idempotency = new Idempotency(store, now);
    const http = createHttpServer({
      ...{
        settings,
        store,
        link,
        pipeline,
        ingestCounters,
        keyring,
        directory,
        idempotency,
        commands,
        stops,
        emergencyStops,
        evaluator,
        feed,
        subscribers,
        setAside,
      },
      ...{ logger, now },
    });
    http.addHook('preClose', () => subscribers.stop());
    undos.push(() => http.close());
    const httpUrl = await explainStart(`GRANARY_HTTP_PORT (${settings.httpHost}:${settings.httpPort})`, () =>
      http.listen({ host: settings.httpHost, port: settings.httpPort }),
    );
    return { httpUrl, mqttUrl: `mqtt://${mqtt.host}:${mqtt.port}`, adminKey };
  }

  async function stop(): Promise<void> {
    for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) await undo();
  }

  return {
    stop,
    start: () =>
      start().catch(async (error: unknown) => {
        await stop();
        throw error;
      }),
  };
}
