import type { App } from '@granary/app/app';
import { EmbeddedBroker } from '@granary/link/broker/broker';
import { LINK_LIMITS, type LinkLimits } from '@granary/link/limits';
import type { CertificatePair } from '@granary/link/tls';
import type { Logger } from '../../process/logging/logger.ts';
import type { Nodes } from '../../process/nodes/nodes.ts';
import type { ServiceClock } from '../../process/nodes/service-clock.ts';
import type { Settings } from '../../process/settings.ts';
import { linkAddresses } from '../../process/tls/ports.ts';
import type { DeviceDirectory } from '../device-directory.ts';
import type { DeviceLog } from '../device-log.ts';
import { HELD_READINGS_MAX } from '../ingest/pipeline.ts';
import type { SessionEvents, Uplink } from '../ingest/uplink.ts';
import { LinkMembers } from './link-members.ts';
import type { ServiceLink } from './service-link.ts';
import { createThreadLink } from './thread-link.ts';
import type { LogLine, MainThreadCalls } from './thread-protocol.ts';

/** The larger batches of PostgreSQL need more messages that wait. */
const POSTGRES_WAITING_BYTES_MAX = 6 * 1024 * 1024;

interface LinkParts {
  readonly app: Pick<App, 'write' | 'openThreadWrites' | 'devices'>;
  readonly uplink: Uplink;
  readonly sessions: SessionEvents;
  readonly sensorsOf: MainThreadCalls['sensorsOf'];
  readonly directory: Pick<DeviceDirectory, 'findForLink'>;
  readonly logger: Logger;
  /** The log for lines about one device. */
  readonly log: DeviceLog;
  readonly clock: ServiceClock;
  readonly nodes: Nodes;
  /** The certificate of the encrypted port; `null` without TLS. */
  readonly certificate: CertificatePair | null;
  /** Called when a thread has ended by itself, and with it the connections of its devices. */
  readonly threadEnded: (error: Error) => void;
}

/** Creates the device link: through the external broker where one is set, otherwise with the embedded broker. */
export async function createDeviceLink(settings: Settings, parts: LinkParts): Promise<ServiceLink> {
  const { broker, brokerAccess } = settings;
  if (broker === null) return createEmbeddedLink(settings, parts);
  // The module and its MQTT library are loaded only where they are used, because every start waits for what it loads.
  const { BrokeredLink } = await import('./brokered-link.ts');
  const { DynamicAccess } = await import('../broker-access/dynamic-access.ts');
  const { app, uplink: handler, directory, logger, log, clock, nodes } = parts;
  const options = { broker, nodeName: `granary:${nodes.nodeId}`, turn: nodes, now: clock.now };
  const access =
    brokerAccess === 'dynamic-security' ? new DynamicAccess({ devices: app.devices, logger }, options) : null;
  return new BrokeredLink({ handler, directory, logger, log, access }, options);
}

/** The device link in as many threads as set; MQTT over WebSocket comes through the HTTP server, so it stays in this thread. */
function createEmbeddedLink(settings: Settings, parts: LinkParts): LinkMembers {
  const { app, uplink, sessions, sensorsOf, logger, log, clock, certificate, threadEnded: failed } = parts;
  const { linkThreads, rawRetentionDays } = settings;
  const addresses = linkAddresses(settings);
  const count = addresses.plain === null && addresses.secure === null ? 0 : linkThreads;
  const threadSettings = {
    rawRetentionDays,
    limits: linkLimits(settings, count),
    sharesPorts: count > 1,
    heldReadingsMax: Math.ceil(HELD_READINGS_MAX / Math.max(1, count)),
    clock: clock.forThreads(),
    certificate,
  };
  const mainThread = { app, failed, sensorsOf, log: writeLine(logger, log) };
  return new LinkMembers({
    authenticate: (...login) => sessions.authenticate(...login),
    addresses,
    local: (logIn) => {
      const listening = count === 0 ? addresses : { plain: null, secure: null };
      const options = { now: clock.now, certificate, limits: linkLimits(settings), logIn };
      return new EmbeddedBroker(listening, uplink, options);
    },
    threads: Array.from(
      { length: count },
      () => (logIn) => createThreadLink(sessions, { ...mainThread, logIn }, threadSettings),
    ),
  });
}

const writeLine =
  (logger: Logger, log: DeviceLog) =>
  ({ deviceId, level, fields, text }: LogLine): void => {
    if (deviceId === null) logger[level](fields, text);
    else log[level](deviceId, fields, text);
  };

/** Several threads share the bytes that may wait. */
function linkLimits({ databaseUrl }: Pick<Settings, 'databaseUrl'>, threads = 1): LinkLimits {
  const bytes = databaseUrl === null ? LINK_LIMITS.inFlightBytesTotal : POSTGRES_WAITING_BYTES_MAX;
  return { ...LINK_LIMITS, inFlightBytesTotal: Math.ceil(bytes / Math.max(1, threads)) };
}

/**
 * Ends the process at once, so that whatever supervises it starts it again. Everything that was acknowledged is stored, and
 * devices send the rest again.
 */
export const endProcess =
  (logger: Logger) =>
  (error: Error): void => {
    logger.fatal({ err: error }, 'a thread of the device link has ended, so the service ends');
    process.exit(1);
  };
