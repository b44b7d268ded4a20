import { statfs } from 'node:fs/promises';
import type { App, WriteFigures } from '@granary/app/app';
import { LATE, within } from '@granary/common/within';
import { BRIDGED_STATES } from '@granary/contract/bridges';
import { SECOND_MS } from '@granary/contract/time';
import type { LinkFigures } from '@granary/link/port';
import type { EventFeed } from '../../background/event-feed.ts';
import type { ExportRunner } from '../../background/exports/export-runner.ts';
import type { SetAsideLog } from '../../background/set-aside-log.ts';
import type { Worker } from '../../background/worker.ts';
import type { IngestFigures, IngestMonitor } from '../../devices/link/ingest-monitor.ts';
import type { ServiceLink } from '../../devices/link/service-link.ts';
import { counter, gauge, type Metric } from '../../process/metrics/exposition.ts';
import { ProcessMetrics } from '../../process/metrics/process-metrics.ts';
import type { Nodes } from '../../process/nodes/nodes.ts';
import type { ServiceClock } from '../../process/nodes/service-clock.ts';
import type { Settings } from '../../process/settings.ts';
import type { Certificate } from '../../process/tls/certificate-files.ts';
import { VERSION } from '../../process/version.ts';
import type { RefusedAttempts } from '../audit/refused-attempts.ts';
import type { Subscribers } from '../events/subscribers.ts';
import { FleetMetrics } from './fleet-metrics.ts';

/** After this time the other figures are answered without those of bridges. */
const BRIDGES_MS_MAX = SECOND_MS;
const DISK_MS_MAX = SECOND_MS;

interface Parts {
  readonly settings: Settings;
  readonly app: App;
  readonly link: Pick<ServiceLink, 'figures' | 'memberFigures' | 'access'>;
  readonly ingest: IngestMonitor;
  readonly feed: EventFeed;
  readonly subscribers: Subscribers;
  readonly setAside: SetAsideLog;
  readonly exports: ExportRunner;
  readonly workers: readonly Pick<Worker, 'metrics'>[];
  readonly refusedAttempts: Pick<RefusedAttempts, 'dropped'>;
  /** `null` without TLS. */
  readonly certificate: () => Certificate | null;
  readonly nodes: Pick<Nodes, 'liveCount' | 'conflict'>;
  readonly clock: Pick<ServiceClock, 'systemAheadMs'>;
  readonly now: () => number;
}

/** The figures of all parts of the service except HTTP. They carry no ids of devices, because each would be a time series. */
export class ServiceMetrics {
  readonly #parts: Parts;
  readonly #fleet: FleetMetrics;
  readonly #process = new ProcessMetrics();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#fleet = new FleetMetrics(parts.app.fleet, {
      now: parts.now,
      monotonicMs: () => performance.now(),
    });
  }

  start(): void {
    this.#process.start();
  }

  stop(): void {
    this.#process.stop();
    this.#fleet.stop();
  }

  async metrics(): Promise<Metric[]> {
    const { settings, certificate } = this.#parts;
    const [ingest, link, writes] = await Promise.all([
      this.#parts.ingest.figures(),
      this.#parts.link.figures(),
      writeFigures(this.#parts),
    ]);
    return [
      gauge('granary_build_info', 'The version of Granary and of Node, and the type of storage.', [
        {
          labels: {
            version: VERSION,
            node: process.versions.node,
            storage: settings.databaseUrl === null ? 'sqlite' : 'postgres',
          },
          value: 1,
        },
      ]),
      ...ingestMetrics(ingest),
      ...storageMetrics(writes),
      ...linkMetrics(link),
      ...accessMetrics(this.#parts),
      ...eventMetrics(this.#parts, ingest),
      ...(await this.#fleet.metrics()),
      ...(await bridgeMetrics(this.#parts)),
      ...tlsMetrics(certificate()),
      ...(await diskMetrics(settings)),
      ...this.#parts.workers.flatMap((worker) => worker.metrics?.() ?? []),
      ...nodeMetrics(this.#parts),
      gauge('granary_exports', 'Exports that are being sent.', this.#parts.exports.count),
      ...this.#process.metrics(),
    ];
  }
}

function ingestMetrics({ counters, queuedReadings, isHolding }: IngestFigures): Metric[] {
  return [
    counter(
      'granary_ingest_messages_total',
      'Messages of devices that are on disk.',
      counters.storedMessages,
    ),
    counter('granary_ingest_readings_total', 'Readings that are on disk.', counters.storedReadings),
    counter(
      'granary_ingest_rejected_messages_total',
      'Messages that were rejected, completely or in part.',
      counters.rejectedMessages,
    ),
    counter(
      'granary_ingest_unstorable_messages_total',
      'Messages that made their batch fail; the others of the batch were stored.',
      counters.unstorableArrivals,
    ),
    counter(
      'granary_ingest_failed_replies_total',
      'Replies of devices that could not be processed because of a fault of the service.',
      counters.failedReplies,
    ),
    counter(
      'granary_ingest_storage_faults_total',
      'Attempts to write readings that failed because the storage was not available.',
      counters.storageFaults,
    ),
    counter(
      'granary_ingest_refused_messages_total',
      'Messages that were refused because too many waited for the storage.',
      counters.refusedWhenFull,
    ),
    gauge('granary_ingest_queued_readings', 'Readings that wait to be written.', queuedReadings),
    gauge(
      'granary_ingest_holding',
      'Whether messages are held back until the storage is available.',
      isHolding ? 1 : 0,
    ),
    {
      name: 'granary_ingest_batch_readings',
      help: 'Readings per transaction.',
      type: 'histogram',
      samples: counters.batchReadings.samples(),
    },
    {
      name: 'granary_ingest_batch_duration_seconds',
      help: 'Time until a batch of readings was on disk.',
      type: 'histogram',
      samples: counters.batchSeconds.samples(),
    },
  ];
}

/** The writes of all threads. */
async function writeFigures({ app, link }: Parts): Promise<WriteFigures> {
  const figures = { ...app.writeFigures() };
  for (const { writes } of await link.memberFigures()) {
    figures.writes += writes?.writes ?? 0;
    figures.failedWrites += writes?.failedWrites ?? 0;
    figures.writeMs += writes?.writeMs ?? 0;
    figures.pendingWrites += writes?.pendingWrites ?? 0;
  }
  return figures;
}

function storageMetrics({ commits, pendingWrites, writes, failedWrites, writeMs }: WriteFigures): Metric[] {
  return [
    counter('granary_storage_commits_total', 'Transactions of the database.', commits),
    counter('granary_storage_failed_writes_total', 'Writes that were refused or failed.', failedWrites),
    gauge('granary_storage_pending_writes', 'Writes that wait or run.', pendingWrites),
    {
      name: 'granary_storage_write_duration_seconds',
      help: 'Writes, of which several may share a commit, and the time they took, waiting included.',
      type: 'summary',
      samples: [
        { suffix: '_sum', labels: {}, value: writeMs / SECOND_MS },
        { suffix: '_count', labels: {}, value: writes },
      ],
    },
  ];
}

function linkMetrics({ openCount, connectedCount, totals }: LinkFigures): Metric[] {
  const { logins, refusedLogins, messagesIn, messagesOut, faults } = totals;
  return [
    gauge('granary_link_connections', 'Open connections of the device link.', openCount),
    gauge('granary_link_connected_devices', 'Devices with a live session.', connectedCount),
    counter('granary_link_logins_total', 'Accepted logins of devices.', logins),
    counter('granary_link_refused_logins_total', 'Refused logins on the device link.', refusedLogins),
    counter('granary_link_received_messages_total', 'Messages from devices.', messagesIn),
    counter('granary_link_sent_messages_total', 'Messages to devices.', messagesOut),
    counter(
      'granary_link_faults_total',
      'Connections of the device link that were closed for a fault.',
      faults,
    ),
  ];
}

function accessMetrics({ link: { access } }: Parts): Metric[] {
  if (access.unknownDevices === null) return [];
  const help = 'Registered devices whose credentials the external broker does not have.';
  return [gauge('granary_broker_unknown_devices', help, access.unknownDevices)];
}

function eventMetrics(parts: Parts, { counters }: IngestFigures): Metric[] {
  const { feed, subscribers, setAside, refusedAttempts } = parts;
  return [
    gauge('granary_event_log_position', 'The number of the newest event.', feed.position),
    gauge('granary_event_streams', 'Open event streams.', subscribers.count),
    gauge(
      'granary_set_aside_rows',
      'Stored rows that could not be processed since the start.',
      setAside.count,
    ),
    counter(
      'granary_audit_missing_refusals_total',
      'Refused attempts that could not be entered in the audit log.',
      refusedAttempts.dropped,
    ),
    counter(
      'granary_suppressed_log_lines_total',
      'Log lines about a device beyond its limit.',
      counters.suppressedLogLines,
    ),
  ];
}

/** No metrics where there are no bridges, or while the storage does not answer. */
async function bridgeMetrics(parts: Parts): Promise<Metric[]> {
  const metrics = await within(BRIDGES_MS_MAX, storedBridgeMetrics(parts)).catch((): typeof LATE => LATE);
  return metrics === LATE ? [] : metrics;
}

async function storedBridgeMetrics({ app, now }: Parts): Promise<Metric[]> {
  const bridges = await app.bridges.list();
  if (bridges.length === 0) return [];
  const ofEach = (value: (bridge: (typeof bridges)[number]) => number) =>
    bridges.map((bridge) => ({ labels: { bridge: bridge.bridgeId }, value: value(bridge) }));
  const states = bridges.flatMap(({ bridgeId, figures }) =>
    BRIDGED_STATES.map((state) => ({ labels: { bridge: bridgeId, state }, value: figures.devices[state] })),
  );
  return [
    gauge('granary_bridge_devices', 'The devices of a bridge by state.', states),
    gauge(
      'granary_bridge_silence_seconds',
      'The time since the last report of a bridge.',
      ofEach(({ reportedAtMs }) => Math.max(0, now() - reportedAtMs) / SECOND_MS),
    ),
    gauge(
      'granary_bridge_journal_readings',
      'The readings in the journal of a bridge.',
      ofEach(({ figures }) => figures.journal.readings),
    ),
    gauge(
      'granary_bridge_journal_bytes',
      'The size of the journal of a bridge.',
      ofEach(({ figures }) => figures.journal.bytes),
    ),
    counter(
      'granary_bridge_dropped_readings_total',
      'The readings that a bridge has given up.',
      ofEach(({ figures }) => figures.journal.dropped),
    ),
    gauge(
      'granary_bridge_site_faults',
      'The faults in the site file of a bridge, which goes on with the last good one.',
      ofEach(({ figures }) => figures.siteFaults),
    ),
  ];
}

/** No metrics where the size of the disk cannot be read. */
async function diskMetrics({ dataDir }: Settings): Promise<Metric[]> {
  const disk = await within(DISK_MS_MAX, statfs(dataDir)).catch((): typeof LATE => LATE);
  if (disk === LATE) return [];
  const bytes = (blocks: number): number => blocks * disk.bsize;
  return [
    gauge(
      'granary_disk_free_bytes',
      'What the service can still write to the disk of its data folder.',
      bytes(disk.bavail),
    ),
    gauge('granary_disk_size_bytes', 'The size of the disk of the data folder.', bytes(disk.blocks)),
  ];
}

function nodeMetrics({ nodes, clock }: Parts): Metric[] {
  return [
    gauge('granary_nodes', 'Nodes that live on the same database, with this one.', nodes.liveCount),
    gauge(
      'granary_node_conflict',
      'Whether this node should not run beside another one on the same database.',
      nodes.conflict === null ? 0 : 1,
    ),
    gauge(
      'granary_clock_ahead_seconds',
      'How much the clock of the machine is ahead of that of the database, which is used.',
      clock.systemAheadMs / SECOND_MS,
    ),
  ];
}

function tlsMetrics(certificate: Certificate | null): Metric[] {
  if (certificate === null) return [];
  const help = 'The end of the TLS certificate in use.';
  return [gauge('granary_tls_certificate_expiry_timestamp_seconds', help, certificate.validToMs / SECOND_MS)];
}
