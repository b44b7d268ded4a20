import type { App } from '@granary/app/app';
import type { CarryOut } from '@granary/app/effects';
import type { LinkDevice } from '@granary/link/port';
import type { CertificatePair } from '@granary/link/tls';
import type { Logger } from '../process/logging/logger.ts';
import type { Nodes } from '../process/nodes/nodes.ts';
import type { ServiceClock } from '../process/nodes/service-clock.ts';
import type { Settings } from '../process/settings.ts';
import { DeclaredSensorsCache, readDeclaredSensors } from './declared-sensors.ts';
import { DeviceDirectory } from './device-directory.ts';
import { DeviceLog } from './device-log.ts';
import { DeviceSessions } from './device-sessions.ts';
import { newIngestCounters } from './ingest/counters.ts';
import { DeviceQueue } from './ingest/device-queue.ts';
import { batchWriter, IngestPipeline } from './ingest/pipeline.ts';
import { TelemetryIntake } from './ingest/telemetry-intake.ts';
import { Uplink } from './ingest/uplink.ts';
import { createDeviceLink } from './link/device-link.ts';
import { IngestMonitor } from './link/ingest-monitor.ts';
import { DuplicateWatch } from './link-events.ts';
import { DeviceMessages } from './sending/device-messages.ts';

import { PriorityCommands } from './sending/priority-commands.ts';
import { Stops } from './sending/stops.ts';
import { StopsInForce } from './sending/stops-in-force.ts';

/** Limits of log lines per device, for its messages and for its connections. */
const FAULT_LINES_PER_MINUTE_MAX = 5;
const LINK_LINES_PER_MINUTE_MAX = 20;

interface Given {
  readonly settings: Settings;
  readonly app: App;
  readonly nodes: Nodes;
  readonly clock: ServiceClock;
  readonly logger: Logger;
  /** The certificate of the encrypted port; `null` without TLS. */
  readonly certificate: CertificatePair | null;
  readonly carryOut: CarryOut;
  readonly threadEnded: (error: Error) => void;
}

export type DeviceParts = Awaited<ReturnType<typeof composeDevices>>;

/** Composes the parts between the service and its devices. None of them works before the link is started. */
export async function composeDevices(given: Given) {
  const { settings, app, clock, logger, carryOut } = given;
  const { now } = clock;
  const directory = new DeviceDirectory({ app, logger, now });
  const declaredSensors = new DeclaredSensorsCache(readDeclaredSensors(directory));
  const counters = newIngestCounters();
  const pipeline = new IngestPipeline({
    ...batchWriter(settings.databaseUrl === null ? 'sqlite' : 'postgres', app.telemetry.append),
    counters,
    logger,
  });
  const queue = new DeviceQueue(counters);
  const log = new DeviceLog({
    logger,
    now,
    linesPerMinuteMax: FAULT_LINES_PER_MINUTE_MAX,
    suppressed: () => counters.suppressedLogLines++,
  });
  const linkLog = new DeviceLog({ logger, now, linesPerMinuteMax: LINK_LINES_PER_MINUTE_MAX });
  const duplicateWatch = new DuplicateWatch({ app, directory, log, now });
  const { rawRetentionDays } = settings;
  // While the storage is not available, a look-up waits.
  const sensorsOf = ({ deviceId, deviceNo }: Pick<LinkDevice, 'deviceId' | 'deviceNo'>) =>
    declaredSensors.cached(deviceId) ??
    queue.run(deviceNo, () => declaredSensors.lookUp({ deviceId, deviceNo }));
  const intake = new TelemetryIntake({
    pipeline,
    counters,
    log,
    now,
    rawRetentionDays,
    sensorsOf,
    cachedSensors: (deviceId) => declaredSensors.cached(deviceId),
  });
  const seen = (device: LinkDevice) => intake.seen(device);
  const sessions = new DeviceSessions({
    app,
    directory,
    seen,
    queue,
    log,
    linkLog,
    duplicateWatch,
    carryOut,
  });
  const uplink = new Uplink({ app, sessions, intake, pipeline, queue, log, counters, now });
  const link = await createDeviceLink(settings, { ...given, uplink, sessions, sensorsOf, directory, log });
  const ingest = new IngestMonitor(pipeline, counters, link);
  const priorityCommands = new PriorityCommands();
  const messages = new DeviceMessages(link, logger, (deviceId, begunAtMs) =>
    priorityCommands.isMotionBlocked(deviceId, begunAtMs),
  );

  const stops = new Stops({ app, messages, priorityCommands, now });
  const stopsInForce = new StopsInForce({ app, messages });
  return {
    directory,
    declaredSensors,
    pipeline,
    queue,
    log,
    linkLog,
    sessions,
    sensorsOf,
    link,
    ingest,
    priorityCommands,
    messages,
    stops,
    stopsInForce,
  };
}
