import { setImmediate } from 'node:timers/promises';
import type { App } from '@granary/app/app';
import type { LinkDevice } from '@granary/link/port';
import type { CertificatePair } from '@granary/link/tls';
import { lockDataFolder } from '@granary/store/data-folder';
import { AlertEvaluator } from './background/alerts/evaluator.ts';
import { Uptime } from './background/alerts/uptime.ts';
import { backupScheduleOf } from './background/backup/backup-schedule.ts';
import { Compressor } from './background/compressor.ts';
import { EffectDispatcher } from './background/dispatcher.ts';
import { EventFeed } from './background/event-feed.ts';
import { ExportRunner } from './background/exports/export-runner.ts';
import { openMailer } from './background/notifications/open-mailer.ts';
import { readersOf } from './background/notifications/readers.ts';
import { NotificationSender } from './background/notifications/sender.ts';
import { NotificationWorker } from './background/notifications/worker.ts';
import { Purger } from './background/purger.ts';
import { Reconciler } from './background/reconciler.ts';
import { Retention } from './background/retention.ts';
import { SetAsideLog } from './background/set-aside-log.ts';
import { AddressGuard } from './background/webhooks/address-guard.ts';
import { WebhookWorker } from './background/webhooks/worker.ts';
import { readDeclaredSensors } from './devices/declared-sensors.ts';
import { DeclaredSensorsCache } from './devices/declared-sensors-cache.ts';
import { DeviceDirectory } from './devices/device-directory.ts';
import { DeviceLog } from './devices/device-log.ts';
import { DuplicateWatch } from './devices/duplicate-watch.ts';
import { newIngestCounters } from './devices/ingest/counters.ts';
import { DeviceQueue } from './devices/ingest/device-queue.ts';
import { batchWriter, IngestPipeline } from './devices/ingest/pipeline.ts';
import { Uplink } from './devices/ingest/uplink.ts';
import { createDeviceLink, endProcess } from './devices/link/device-link.ts';
import { IngestMonitor } from './devices/link/ingest-monitor.ts';
import { logLinkEvent } from './devices/link-log.ts';
import { sendConfiguration } from './devices/sending/configuration.ts';
import { DeviceMessages } from './devices/sending/device-messages.ts';
import { EmergencyStops } from './devices/sending/emergency-stops.ts';
import { OperationStopper } from './devices/sending/operation-stopper.ts';
import { PriorityCommands } from './devices/sending/priority-commands.ts';
import { SessionEndings } from './devices/session-endings.ts';
import type { Environment } from './environment.ts';
import { changesOf } from './http/audit/attempt.ts';
import { RefusedAttempts } from './http/audit/refused-attempts.ts';
import { CONSOLE_FOLDER } from './http/console/built-console.ts';
import { NewestValues } from './http/event-stream/newest-values.ts';
import { Subscribers } from './http/event-stream/subscribers.ts';
import { ServiceMetrics } from './http/metrics/service-metrics.ts';
import { Idempotency } from './http/protocol/idempotency.ts';
import { removeAddresses, writeAddresses } from './process/addresses-file.ts';
import { type AdminKey, ensureAdminKey, firstConsoleLink } from './process/keys/admin-key.ts';
import { endedKeyIds, Keyring } from './process/keys/keyring.ts';
import { createAccessLog, createLogger, isReadableFormat } from './process/logging/logger.ts';
import { ServiceClock } from './process/nodes/service-clock.ts';
import { openStore } from './process/open-store.ts';
import type { Settings } from './process/settings.ts';
import { explainStart } from './process/start-error.ts';
import type { CertificateFiles } from './process/tls/certificate-files.ts';
import { linkPortOf, openCertificate, urlOf, warnOfExposedPorts } from './process/tls/ports.ts';

export interface Started {
  /** The plain ports if they are on, otherwise the encrypted ones. */
  readonly httpUrl: string;
  readonly mqttUrl: string;
  /** `null` without TLS. */
  readonly httpsUrl: string | null;
  readonly mqttsUrl: string | null;
  /** The operators' page; `null` where it is switched off. */
  readonly consoleUrl: string | null;
  readonly adminKey: AdminKey;
}

export interface Service {
  start(): Promise<Started>;
  /** Reads the TLS certificate again. */
  reload(): Promise<void>;
  stop(): Promise<void>;
}

/** Limits of log lines per device, for its messages and for its connections. */
const FAULT_LINES_PER_MINUTE_MAX = 5;
const LINK_LINES_PER_MINUTE_MAX = 20;

/** Runs in reverse order, in `stop()` or when a later step of the start fails. */
type Undo = () => Promise<void> | void;

export function createService(settings: Settings, surroundings: Environment = {}): Service {
  const { webhooks: options = {} } = surroundings;
  const broker = surroundings.broker ?? (settings.broker === null ? 'embedded' : 'external');
  const clock = new ServiceClock({ fixed: surroundings.now, system: surroundings.systemNow });
  const { now } = clock;
  const { logger = createLogger(settings.logLevel, isReadableFormat(settings.logFormat)) } = surroundings;
  const undos: Undo[] = [];
  let certificateFiles: CertificateFiles | null = null;

  async function start(): Promise<Started> {
    const lock = await explainStart('GRANARY_DATA_DIR', () => lockDataFolder(settings.dataDir));
    undos.push(() => lock.release());

    const certificates = await explainStart('GRANARY_TLS_CERT', () =>
      openCertificate(settings, { logger, now, renewed: (renewed) => useCertificate(renewed) }),
    );
    certificateFiles = certificates;
    const certificate = certificates?.current ?? null;
    const useCertificate = (renewed: CertificatePair): void => {
      link.useCertificate(renewed);
      http.useCertificate(renewed);
    };

    const effects = new EffectDispatcher();
    // Loaded when the writer thread has been started, which loads its own code on another processor meanwhile.
    const loadingHttp = setImmediate().then(() => import('./http/server.ts'));
    const { opened, nodes } = await explainStart('the storage', () =>
      openStore({
        settings,
        broker,
        clock,
        logger,
        carryOut: effects.carryOut,
        onStop: (undo) => undos.push(undo),
      }),
    );
    const directory = new DeviceDirectory(opened, now);
    // Every device that is looked up is cached for the time when the storage does not answer.
    const find: App['devices']['find'] = (deviceId) => directory.find(deviceId);
    const app: App = { ...opened, devices: { ...opened.devices, find } };
    const adminKey = await explainStart('the admin key', () =>
      ensureAdminKey({ app, logger, nowMs: now(), settings, nodes }),
    );

    const keyring = new Keyring(app, now);
    const declaredSensors = new DeclaredSensorsCache(readDeclaredSensors(app.devices), (deviceId) =>
      link.forgetSensors(deviceId),
    );
    const mailer = await openMailer(settings);
    const setAside = new SetAsideLog(logger);
    const notificationSender = new NotificationSender({ app, mailer, logger, now });
    const notifications = new NotificationWorker({
      app,
      sender: notificationSender,
      setAside,
      logger,
      now,
      readers: readersOf(settings),
    });
    const addressGuard = new AddressGuard(settings.webhookAllowPrivate, options.resolve);
    const webhooks = new WebhookWorker({ webhooks: app.webhooks, addressGuard, logger, now, options });
    const sessionEndings = new SessionEndings();
    const newestValues = new NewestValues({ app, logger, now });
    const feed = new EventFeed(app, logger, (events) => {
      for (const keyId of endedKeyIds(events)) keyring.drop(keyId);
      directory.observe(events);
      declaredSensors.observe(events);
      notifications.observe(events);
      webhooks.wake();
      sessionEndings.observe(events);
      newestValues.observe(events);
    });
    await explainStart('the event log', () => feed.start());
    undos.push(() => feed.stop());

    const isReceiving = broker === 'external' ? () => link.isListening : null;
    const uptime = new Uptime({ app, now, isReceiving });
    await explainStart('the storage', () => uptime.begin());
    const evaluator = new AlertEvaluator({ app, uptime, setAside, logger });
    undos.push(() => evaluator.drain());
    const ingestCounters = newIngestCounters();
    const pipeline = new IngestPipeline({
      ...batchWriter(settings.databaseUrl === null ? 'sqlite' : 'postgres', app.telemetry.append),
      counters: ingestCounters,
      logger,
    });
    undos.push(() => pipeline.drain());
    const queue = new DeviceQueue(ingestCounters);
    undos.push(() => queue.stop());
    const log = new DeviceLog({
      logger,
      now,
      linesPerMinuteMax: FAULT_LINES_PER_MINUTE_MAX,
      suppressed: () => ingestCounters.suppressedLogLines++,
    });
    undos.push(() => log.stop());
    const linkLog = new DeviceLog({ logger, now, linesPerMinuteMax: LINK_LINES_PER_MINUTE_MAX });
    undos.push(() => linkLog.stop());

    const duplicateWatch = new DuplicateWatch({ app, directory, log, now });
    const uplink = new Uplink({
      app,
      directory,
      declaredSensors,
      pipeline,
      queue,
      log,
      counters: ingestCounters,
      now,
      rawRetentionDays: settings.rawRetentionDays,
      carryOut: effects.carryOut,
      awaitsConfiguration: (device: LinkDevice) => sendStoredConfiguration(device),
      reachable: (device) => reconciler.deviceReachable(device),
      observed: (event) => {
        logLinkEvent(linkLog, event);
        duplicateWatch.observe(event);
      },
    });
    const link = createDeviceLink(settings, {
      app,
      uplink,
      directory,
      logger,
      log,
      clock,
      nodes,
      certificate,
      threadEnded: surroundings.threadEnded ?? endProcess(logger),
    });
    const ingest = new IngestMonitor(pipeline, ingestCounters, link);
    sessionEndings.start(link);
    const priorityCommands = new PriorityCommands();
    const commands = new DeviceMessages(link, logger, (deviceId, begunAtMs) =>
      priorityCommands.isMotionBlocked(deviceId, begunAtMs),
    );
    const sendStoredConfiguration = async ({ deviceId, deviceNo }: LinkDevice): Promise<void> => {
      const stored = await app.configuration.get(deviceNo);
      if (stored !== undefined) sendConfiguration(link, deviceId, stored);
    };
    const reconciler = new Reconciler({
      app,
      link,
      priorityCommands,
      evaluator,
      uptime,
      setAside,
      logger,
      now,
    });
    effects.start({
      app,
      commands,
      link,
      evaluator,
      feed,
      keyring,
      directory,
      declaredSensors,
      notificationSender,
      webhooks,
      now,
    });
    // The thread of the link loads its code on another processor while this one prepares the answers to requests.
    const startingLink = settings.broker === null ? link.start() : null;
    const linkStarted = startingLink?.then(
      () => true,
      () => false,
    );
    undos.push(async () => ((await linkStarted) === false ? undefined : await link.stop()));
    undos.push(() => reconciler.stop());

    const stops = new OperationStopper({ app, commands, priorityCommands, now });
    const emergencyStops = new EmergencyStops({ app, commands, priorityCommands, now });
    const compressor = new Compressor({ app, afterDays: settings.compressAfterDays, logger, now });
    const backups = backupScheduleOf(settings, logger, now);
    const subscribers = new Subscribers({ keyring, logger });
    const exports = new ExportRunner(keyring);
    const idempotency = new Idempotency(app, now);
    const refusedAttempts = new RefusedAttempts({
      write: (refusals) => app.audit.refused(refusals),
      logger,
      now,
    });
    const metrics = new ServiceMetrics({
      settings,
      app,
      link,
      ingest,
      feed,
      subscribers,
      setAside,
      refusedAttempts,
      now,
      exports,
      backups,
      compressor,
      clock,
      nodes,
      certificate: () => certificates?.current ?? null,
    });
    const http = (await loadingHttp).createHttpServer(
      {
        settings,
        app,
        link,
        pipeline,
        ingest,
        keyring,
        directory,
        idempotency,
        commands,
        stops,
        emergencyStops,
        feed,
        newestValues,
        subscribers,
        exports,
        setAside,
        backups,
        addressGuard,
        metrics,
        refusedAttempts,
        nodes,
        accessLog: settings.accessLog
          ? (surroundings.accessLog ?? createAccessLog(settings.logFormat))
          : null,
        changes: changesOf(app),
        consoleFolder: surroundings.consoleFolder ?? CONSOLE_FOLDER,
        logger,
        now,
      },
      certificate,
    );
    http.beforeClosing(() => subscribers.stop());
    http.beforeClosing(() => exports.stop());
    await http.prepare();
    undos.push(() => refusedAttempts.drain());
    // Closed after the workers and before the device link, so that a stop is served as long as it can reach a device.
    undos.push(() => http.close());
    const linkPorts = await explainStart(linkPortOf(settings), () => startingLink);

    reconciler.start();
    const retention = new Retention({ app, settings, logger, now });
    const purger = new Purger({ app, logger, now });
    for (const worker of [retention, purger, compressor, notificationSender, notifications, webhooks]) {
      worker.start();
      undos.push(() => worker.stop());
    }
    backups?.start();
    undos.push(() => backups?.stop());
    subscribers.start();
    newestValues.start();
    undos.push(() => newestValues.stop());
    metrics.start();
    undos.push(() => metrics.stop());
    const plainUrl = await explainStart(`GRANARY_HTTP_PORT (${settings.httpHost}:${settings.httpPort})`, () =>
      http.listenPlain(),
    );
    const httpsUrl = await explainStart(
      `GRANARY_HTTPS_PORT (${settings.httpsHost}:${settings.httpsPort})`,
      () => http.listenSecure(),
    );
    // A node takes no messages from an external broker before its own ports are open.
    const mqtt = linkPorts ?? (await link.start());
    certificates?.start();
    undos.push(async () => certificates?.stop());
    undos.push(() => opened.finishSoon());
    warnOfExposedPorts(settings, logger);
    const mqttUrl = urlOf('mqtt', mqtt.plain);
    const mqttsUrl = urlOf('mqtts', mqtt.secure);
    const addresses = { http: plainUrl, https: httpsUrl, mqtt: mqttUrl, mqtts: mqttsUrl };
    undos.push(() => removeAddresses(settings.dataDir));
    await writeAddresses(settings.dataDir, addresses).catch((error: unknown) =>
      logger.warn(
        { err: error },
        'the addresses for the command line could not be written to the data folder',
      ),
    );
    // Added last, so that an end begins with it.
    undos.push(() => http.refuseAllButStops());
    const httpUrl = plainUrl ?? httpsUrl ?? '';
    const console = { app, adminKey, baseUrl: settings.publicUrl ?? httpUrl, nowMs: now() };
    return {
      httpUrl,
      httpsUrl,
      adminKey,
      consoleUrl: settings.console ? await firstConsoleLink(console, surroundings.signInLinkMs) : null,
      mqttUrl: mqttUrl ?? mqttsUrl ?? '',
      mqttsUrl,
    };
  }

  async function stop(): Promise<void> {
    for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) await undo();
  }

  return {
    stop,
    reload: async () => certificateFiles?.reload(),
    start: () =>
      start().catch(async (error: unknown) => {
        await stop();
        throw error;
      }),
  };
}
