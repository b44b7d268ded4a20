import { setImmediate } from 'node:timers/promises';
import type { BrokerKind } from '@granary/core/nodes';
import { lockDataFolder } from '@granary/store/data-folder';
import { composeBackground } from './background/background-parts.ts';
import { EffectDispatcher } from './background/dispatcher.ts';
import type { WebhookOptions } from './background/webhooks/worker.ts';
import { makeWorkers } from './background/worker.ts';
import { composeDevices } from './devices/device-parts.ts';
import { endProcess } from './devices/link/device-link.ts';
import { CONSOLE_FOLDER } from './http/console/built-console.ts';
import { removeAddresses, writeAddresses } from './process/addresses-file.ts';
import {
  type AdminKey,
  ensureAdminKey,
  firstConsoleLink,
  type SignInLink,
} from './process/keys/admin-key.ts';
import { Keyring } from './process/keys/keyring.ts';
import { KnownCallers } from './process/keys/known-callers.ts';
import type { PasswordCosts } from './process/keys/passwords.ts';
import { Lifecycle } from './process/lifecycle.ts';
import { createAccessLog, createLogger, isReadableFormat, type Logger } from './process/logging/logger.ts';
import { ServiceClock } from './process/nodes/service-clock.ts';
import { openStore } from './process/open-store.ts';
import type { Settings } from './process/settings.ts';
import { explainStart } from './process/start-error.ts';
import type { CertificateFiles } from './process/tls/certificate-files.ts';
import { linkPortOf, openCertificate, urlOf, warnOfExposedPorts } from './process/tls/ports.ts';

/** What surrounds a service; tests replace parts of it. */
export interface Environment {
  readonly now?: () => number;
  /** The clock of the machine. */
  readonly systemNow?: () => number;
  /** The broker to which devices connect; without it they connect to the service itself. */
  readonly broker?: BrokerKind;
  readonly logger?: Logger;
  readonly webhooks?: WebhookOptions;
  /** Used where the settings demand an access log. */
  readonly accessLog?: Logger;
  /** The built operators' page, if it is not at its usual place. */
  readonly consoleFolder?: string;
  /** What a new password or PIN costs whoever computes it; the usual costs unless given. */
  readonly passwordCosts?: PasswordCosts;
  /** With it `consoleUrl` signs in a person, once; without it the address signs nobody in. */
  readonly signInLink?: SignInLink;
  /** Called when a thread of the device link has ended by itself, instead of ending the process. */
  readonly threadEnded?: (error: Error) => void;
}

export interface Started {
  /** The plain HTTP address if the plain ports are on, otherwise the encrypted one. `mqttUrl` follows the same rule. */
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

export function createService(settings: Settings, surroundings: Environment = {}): Service {
  const lifecycle = new Lifecycle();
  let certificates: CertificateFiles | null = null;
  return {
    start: async () => {
      try {
        const composed = await compose(settings, surroundings, lifecycle);
        const started = await startAll(composed, lifecycle);
        certificates = composed.certificates;
        return started;
      } catch (error) {
        await lifecycle.stop();
        throw error;
      }
    },
    reload: async () => certificates?.reload(),
    stop: () => lifecycle.stop(),
  };
}

type Composed = Awaited<ReturnType<typeof compose>>;

/** Opens the storage, and makes the parts of each room from those of the rooms below; nothing works yet. */
async function compose(settings: Settings, surroundings: Environment, lifecycle: Lifecycle) {
  const { logger = createLogger(settings.logLevel, isReadableFormat(settings.logFormat)) } = surroundings;
  const clock = new ServiceClock({ fixed: surroundings.now, system: surroundings.systemNow });
  const { now } = clock;
  const broker = surroundings.broker ?? (settings.broker === null ? 'embedded' : 'external');
  const lock = await explainStart('GRANARY_DATA_DIR', () => lockDataFolder(settings.dataDir));
  lifecycle.onStop(() => lock.release());
  const certificates = await explainStart('GRANARY_TLS_CERT', () =>
    openCertificate(settings, { logger, now }),
  );
  const effects = new EffectDispatcher();
  const { carryOut } = effects;
  // Loaded when the writer thread has been started, which loads its own code on another processor meanwhile.
  const loadingHttp = setImmediate().then(() =>
    Promise.all([import('./http/http-parts.ts'), import('./slices.ts')]),
  );
  const { app, nodes } = await explainStart('the storage', () =>
    openStore({ settings, broker, clock, logger, carryOut, lifecycle }),
  );
  const adminKey = await explainStart('the admin key', () =>
    ensureAdminKey({ app, logger, nowMs: now(), settings, nodes }),
  );
  const knownCallers = new KnownCallers({ app, logger, now });
  const keyring = new Keyring(app, knownCallers, now);
  const access = { adminKey, knownCallers, keyring, certificates };
  const process = { settings, surroundings, app, nodes, ...access, clock, now, logger };
  const devices = await composeDevices({
    ...process,
    certificate: certificates?.current ?? null,
    carryOut,
    threadEnded: surroundings.threadEnded ?? endProcess(logger),
  });
  const { webhooks: webhookOptions = {} } = surroundings;
  const background = await composeBackground({ ...process, ...devices, broker, webhookOptions });
  const parts = { ...process, ...devices, ...background };
  effects.connect(parts);
  devices.sessions.connect(parts);
  return { ...parts, loadingHttp };
}

/** Makes what the slices add: their workers, and the server with their routes. */
async function composeSlices(parts: Composed) {
  const { settings, surroundings } = parts;
  const { consoleFolder = CONSOLE_FOLDER, passwordCosts } = surroundings;
  const accessLog = settings.accessLog
    ? (surroundings.accessLog ?? createAccessLog(settings.logFormat))
    : null;
  const [{ composeHttp }, { ROUTES: routes, WORKERS }] = await parts.loadingHttp;
  const workers = [...(await makeWorkers(WORKERS, parts)), ...parts.workers];
  return { workers, ...composeHttp({ ...parts, routes, workers, accessLog, consoleFolder, passwordCosts }) };
}

/** Starts the parts; `lifecycle` stops them in reverse. */
async function startAll(parts: Composed, lifecycle: Lifecycle): Promise<Started> {
  const { settings, surroundings, app, link, reconciler, logger, now } = parts;
  await explainStart('the event log', () => lifecycle.start(parts.feed));
  // These parts start before the ports are open, so that every stop that is asked of this node can be carried out.
  await explainStart('the storage', () =>
    lifecycle.start(parts.knownCallers, parts.directory, parts.stopsInForce),
  );
  await explainStart('the storage', () => parts.uptime.begin());
  lifecycle.onStop(() => parts.evaluator.drain());
  lifecycle.onStop(() => parts.pipeline.drain());
  lifecycle.onStop(() => parts.queue.stop());
  lifecycle.onStop(() => parts.log.stop());
  lifecycle.onStop(() => parts.linkLog.stop());
  // The thread of the link loads its code on another processor while this one prepares the answers to requests.
  const startingLink = settings.broker === null ? link.start() : null;
  const linkStarted = startingLink?.then(
    () => true,
    () => false,
  );
  lifecycle.onStop(async () => ((await linkStarted) === false ? undefined : await link.stop()));
  // A device may be reachable, and get what waits for it, before the rounds of the reconciler begin.
  lifecycle.onStop(() => reconciler.stop());

  const { http, workers, ...answering } = await composeSlices(parts);
  await http.prepare();
  lifecycle.onStop(() => answering.refusedAttempts.drain());
  // Closed after the workers and before the device link, so that a stop is served as long as it can reach a device.
  lifecycle.onStop(() => http.close());
  const linkPorts = await explainStart(linkPortOf(settings), () => startingLink);

  reconciler.start();
  await explainStart('the storage', () => parts.pusher.prepare());
  await lifecycle.start(...workers);
  answering.subscribers.start();
  await lifecycle.start(answering.newestValues, answering.metrics);
  const plainUrl = await explainStart(`GRANARY_HTTP_PORT (${settings.httpHost}:${settings.httpPort})`, () =>
    http.listenPlain(),
  );
  const httpsUrl = await explainStart(
    `GRANARY_HTTPS_PORT (${settings.httpsHost}:${settings.httpsPort})`,
    () => http.listenSecure(),
  );
  // A node takes no messages from an external broker before its own ports are open.
  const mqtt = linkPorts ?? (await link.start());
  parts.certificates?.start((renewed) => {
    link.useCertificate(renewed);
    http.useCertificate(renewed);
  });
  lifecycle.onStop(() => parts.certificates?.stop());
  // The thread of the forecaster loads its code when the ports are open, because nobody waits for it.
  await lifecycle.start(parts.forecaster);
  // This is registered after everything that uses the storage, so that all of it ends within the time of the storage.
  lifecycle.onStop(() => app.finishSoon());
  warnOfExposedPorts(settings, logger);
  const mqttUrl = urlOf('mqtt', mqtt.plain);
  const mqttsUrl = urlOf('mqtts', mqtt.secure);
  const httpUrl = plainUrl ?? httpsUrl ?? '';
  const addresses = { http: plainUrl, https: httpsUrl, mqtt: mqttUrl, mqtts: mqttsUrl };
  lifecycle.onStop(() => removeAddresses(settings.dataDir));
  await writeAddresses(settings.dataDir, addresses).catch((error: unknown) =>
    logger.warn({ err: error }, 'the addresses for the command line could not be written to the data folder'),
  );
  const { bridgeSite: siteFile } = settings;
  if (siteFile !== null) {
    const { BridgeProcess } = await import('./background/bridge-process.ts');
    await lifecycle.start(
      new BridgeProcess({ siteFile, httpUrl, mqttUrl: mqttUrl ?? mqttsUrl ?? '', logger }),
    );
  }
  // This is registered last, so that it is the first step when the service ends.
  lifecycle.onStop(() => http.refuseAllButStops());
  const { adminKey } = parts;
  const console = { app, adminKey, baseUrl: settings.publicUrl ?? httpUrl, nowMs: now() };
  return {
    httpUrl,
    httpsUrl,
    adminKey,
    consoleUrl: settings.console ? await firstConsoleLink(console, surroundings.signInLink) : null,
    mqttUrl: mqttUrl ?? mqttsUrl ?? '',
    mqttsUrl,
  };
}
