import { parentPort, workerData } from 'node:worker_threads';
import type { FailedSilo, SiloOutcome } from '@granary/app/foresight/forecast-silo';
import { reads } from '@granary/app/foresight/foresight';
import { openReads, type StoreLocation } from '@granary/app/open-reads';
import { lowerPriority } from '../../process/lower-priority.ts';
import type { Job, JobMessage } from './forecaster.ts';

/** The number of silos that are read at the same time; with PostgreSQL one of them takes up to some dozen milliseconds. */
const SILOS_AT_ONCE = 8;

/** Reads what is stored of silos and makes their forecasts in this thread, so that no other work waits for either. */
const store = await openReads(workerData as StoreLocation);
lowerPriority();

async function make({ id, deviceNos, wish }: Job): Promise<JobMessage> {
  const outcomes: SiloOutcome[] = [];
  const failed: FailedSilo[] = [];
  try {
    for (let at = 0; at < deviceNos.length; at += SILOS_AT_ONCE) {
      const part = deviceNos.slice(at, at + SILOS_AT_ONCE);
      const made = await store.use((sql) => reads.makeForecasts(sql, part, wish));
      outcomes.push(...made.outcomes);
      failed.push(...made.failed);
    }
    return { id, answer: { outcomes, failed } };
  } catch (error) {
    return { id, fault: error instanceof Error ? error.message : String(error) };
  }
}

let last: Promise<unknown> = Promise.resolve();
parentPort?.on('message', (job: Job) => {
  last = last.then(async () => parentPort?.postMessage(await make(job)));
});
