import { SECOND_MS } from '@granary/contract/time';

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** The figures of the service for people; `null` where the service does not report one. */
export interface Figures {
  readonly version: string | null;
  readonly node: string | null;
  readonly storage: string | null;
  readonly startedAtMs: number | null;
  readonly connectedDevices: number | null;
  readonly readings: number | null;
  readonly queuedReadings: number | null;
  readonly commits: number | null;
  readonly meanWriteMs: number | null;
  readonly newestEvent: number | null;
  readonly streams: number | null;
  readonly webhooks: readonly [pending: number, dead: number] | null;
  readonly notifications: readonly [pending: number, failed: number] | null;
  readonly memoryBytes: number | null;
  readonly disk: { readonly freeBytes: number; readonly sizeBytes: number } | null;
  readonly certificateEndsMs: number | null;
  readonly loopDelayMs: number | null;
  readonly requests: readonly [all: number, faults: number] | null;
}

export function figuresOf(metrics: ReadonlyMap<string, readonly Sample[]>): Figures {
  const samples = (name: string): readonly Sample[] => metrics.get(name) ?? [];
  const sum = (name: string, isCounted: (labels: Sample['labels']) => boolean = () => true): number =>
    samples(name)
      .filter(({ labels }) => isCounted(labels))
      .reduce((total, { value }) => total + value, 0);
  const only = (name: string): number | null => samples(name)[0]?.value ?? null;
  const inMs = (seconds: number | null): number | null => (seconds === null ? null : seconds * SECOND_MS);
  const pair = (
    name: string,
    label: string,
    first: string,
    second: string,
  ): readonly [number, number] | null =>
    metrics.has(name)
      ? [sum(name, (labels) => labels[label] === first), sum(name, (labels) => labels[label] === second)]
      : null;
  const build = samples('granary_build_info')[0]?.labels;
  const writes = only('granary_storage_write_duration_seconds_count') ?? 0;
  const freeBytes = only('granary_disk_free_bytes');
  const sizeBytes = only('granary_disk_size_bytes');
  const requests = 'granary_http_requests_total';
  return {
    version: build?.['version'] ?? null,
    node: build?.['node'] ?? null,
    storage: build?.['storage'] ?? null,
    startedAtMs: inMs(only('process_start_time_seconds')),
    connectedDevices: only('granary_link_connected_devices'),
    readings: only('granary_ingest_readings_total'),
    queuedReadings: only('granary_ingest_queued_readings'),
    commits: only('granary_storage_commits_total'),
    meanWriteMs:
      writes === 0 ? null : (sum('granary_storage_write_duration_seconds_sum') * SECOND_MS) / writes,
    newestEvent: only('granary_event_log_position'),
    streams: only('granary_event_streams'),
    webhooks: pair('granary_webhook_deliveries', 'status', 'pending', 'dead'),
    notifications: pair('granary_notifications', 'status', 'pending', 'failed'),
    memoryBytes: only('process_resident_memory_bytes'),
    disk: freeBytes === null || sizeBytes === null ? null : { freeBytes, sizeBytes },
    certificateEndsMs: inMs(only('granary_tls_certificate_expiry_timestamp_seconds')),
    loopDelayMs: inMs(only('granary_event_loop_delay_p99_seconds')),
    requests: metrics.has(requests) ? [sum(requests), sum(requests, ({ status }) => status === '5xx')] : null,
  };
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads the text format of Prometheus; lines that are not samples are left out. */
export function parseMetrics(text: string): ReadonlyMap<string, readonly Sample[]> {
  const samples = new Map<string, Sample[]>();
  for (const line of text.split('\n')) {
    const [, name, labels = '', value] = LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const entry = { labels: labelsOf(labels), value: Number(value.replace('Inf', 'Infinity')) };
    samples.set(name, [...(samples.get(name) ?? []), entry]);
  }
  return samples;
}

const labelsOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...text.matchAll(LABEL)].map(([, name = '', value = '']) => [name, value]));
