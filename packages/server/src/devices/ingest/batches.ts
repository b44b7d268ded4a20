import type { App } from '@granary/app/app';
import type { Committed } from '@granary/app/effects';
import type { TelemetryBatch } from '@granary/app/telemetry/telemetry';
import { writeCall } from '@granary/app/write-call';
import { packReadings } from '@granary/core/telemetry/packed-readings';
import type { Reading } from '@granary/core/telemetry/readings';
import { LINK_LIMITS, type LinkLimits } from '@granary/link/limits';
import type { WriterClient } from '@granary/store/sqlite/writer-client';
import type { Settings } from '../../process/settings.ts';

export interface Batch extends TelemetryBatch {
  readonly readings: readonly Reading[];
}

/** Writes batches, and says how large and how many at a time they should be. */
export interface BatchWriter {
  readonly append: (batch: Batch) => Promise<unknown>;
  readonly batches: {
    readonly readings: number;
    /** Batches that may be under way at the same time while enough messages wait to fill a further one. */
    readonly underWay: number;
  };
}

const SQLITE_BATCHES: BatchWriter['batches'] = { readings: 500, underWay: 4 };
const POSTGRES_BATCHES: BatchWriter['batches'] = { readings: 5_000, underWay: 2 };

/**
 * The writer of SQLite puts as many batches into one commit as it can write in 10 ms. A stop waits for the running one
 * only, so a batch has few readings: about 5 ms of work.
 */
export const toWriterThread = ({ telemetry }: Pick<App, 'telemetry'>): BatchWriter => ({
  append: (batch) => telemetry.append({ ...batch, readings: packReadings(batch.readings) }),
  batches: SQLITE_BATCHES,
});

/** Stops have connections of their own here, and a batch costs many round trips. */
export const toPostgres = ({ telemetry }: Pick<App, 'telemetry'>): BatchWriter => ({
  append: (batch) => telemetry.append(batch),
  batches: POSTGRES_BATCHES,
});

/** The writer of SQLite from another thread; `written` is called before the devices are told that their readings are stored. */
export const toWriterPort = (
  writer: Pick<WriterClient, 'submit'>,
  written: (effects: Committed<unknown>['effects']) => void,
): BatchWriter => ({
  async append({ readings, ...batch }) {
    const packed = packReadings(readings);
    const call = writeCall('telemetry', 'append', { ...batch, readings: packed });
    const { effects } = (await writer.submit(call, { transferred: [packed.buffer] })) as Committed<unknown>;
    written(effects);
  },
  batches: SQLITE_BATCHES,
});

/** PostgreSQL from another thread: the main thread has the connections. */
export const toMainThread = (append: (batch: TelemetryBatch) => Promise<unknown>): BatchWriter => ({
  append: (batch) => append({ ...batch, readings: packReadings(batch.readings) }),
  batches: POSTGRES_BATCHES,
});

/** The larger batches of PostgreSQL need more messages that wait. */
const POSTGRES_WAITING_BYTES_MAX = 6 * 1024 * 1024;

/** Several threads share the bytes that may wait. */
export function linkLimits({ databaseUrl }: Pick<Settings, 'databaseUrl'>, threads = 1): LinkLimits {
  const bytes = databaseUrl === null ? LINK_LIMITS.inFlightBytesTotal : POSTGRES_WAITING_BYTES_MAX;
  return { ...LINK_LIMITS, inFlightBytesTotal: Math.ceil(bytes / Math.max(1, threads)) };
}
