import type { App } from '@granary/app/app';
import type { TelemetryBatch } from '@granary/app/telemetry/telemetry';
import { packReadings } from '@granary/core/telemetry/packed-readings';
import type { Reading } from '@granary/core/telemetry/readings';
import { LINK_LIMITS, type LinkLimits } from '@granary/link/limits';
import type { Settings } from '../settings.ts';

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

/**
 * The writer of SQLite puts as many batches into one commit as it can write in 10 ms. A stop waits for the running one
 * only, so a batch has few readings: about 5 ms of work.
 */
export const toWriterThread = ({ telemetry }: Pick<App, 'telemetry'>): BatchWriter => ({
  append: (batch) => telemetry.append({ ...batch, readings: packReadings(batch.readings) }),
  batches: { readings: 500, underWay: 4 },
});

/** Stops have connections of their own here, and a batch costs many round trips. */
export const toPostgres = ({ telemetry }: Pick<App, 'telemetry'>): BatchWriter => ({
  append: (batch) => telemetry.append(batch),
  batches: { readings: 5_000, underWay: 2 },
});

/** The larger batches of PostgreSQL need more messages that wait. */
const POSTGRES_WAITING_BYTES_MAX = 6 * 1024 * 1024;

export const linkLimits = ({ databaseUrl }: Pick<Settings, 'databaseUrl'>): LinkLimits =>
  databaseUrl === null ? LINK_LIMITS : { ...LINK_LIMITS, inFlightBytesTotal: POSTGRES_WAITING_BYTES_MAX };
