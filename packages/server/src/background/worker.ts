import type { App } from '@granary/app/app';
import type { Part } from '../process/lifecycle.ts';
import type { Logger } from '../process/logging/logger.ts';
import type { Metric } from '../process/metrics/exposition.ts';
import type { Settings } from '../process/settings.ts';

/** A part of the service that works without a request. */
export interface Worker extends Part {
  /** The figures that `/metrics` shows of this worker. */
  metrics?(): readonly Metric[];
}

/** Everything that the worker of a slice may use. */
export interface WorkerParts {
  readonly app: App;
  readonly settings: Settings;
  /** Where people reach the operators' page; `null` if they cannot. */
  readonly consoleUrl: string | null;
  readonly logger: Logger;
  readonly now: () => number;
}

/** Makes the worker of a slice; `null` where the settings do not ask for it. */
export type MakeWorker = (parts: WorkerParts) => Worker | null | Promise<Worker | null>;

/** Makes the workers for which there is something to do. */
export async function makeWorkers(makers: readonly MakeWorker[], parts: WorkerParts): Promise<Worker[]> {
  const workers = await Promise.all(makers.map((make) => make(parts)));
  return workers.filter((worker) => worker !== null);
}
