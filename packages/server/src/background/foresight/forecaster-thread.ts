import { parentPort, workerData } from 'node:worker_threads';
import type { SiloOutcome } from '@granary/app/foresight/forecast-silo';
import { reads } from '@granary/app/foresight/foresight';
import { openReads, type StoreLocation } from '@granary/app/open-reads';
import { lowerPriority } from '../../process/lower-priority.ts';
import type { ForecastAnswer, ForecastJob } from './forecaster.ts';

/** Reads what is stored of silos and makes their forecasts, so that the arithmetic holds no other work. */
const store = await openReads(workerData as StoreLocation);
lowerPriority();

async function answer({ id, deviceNos, wish }: ForecastJob): Promise<ForecastAnswer> {
  const outcomes: SiloOutcome[] = [];
  const failed: { readonly deviceNo: number; readonly reason: string }[] = [];
  for (const deviceNo of deviceNos) {
    try {
      const outcome = await store.use((sql) => reads.forecast(sql, deviceNo, wish));
      if (outcome !== undefined) outcomes.push(outcome);
    } catch (error) {
      failed.push({ deviceNo, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { id, outcomes, failed };
}

let last: Promise<unknown> = Promise.resolve();
parentPort?.on('message', (job: ForecastJob | null) => {
  last = last.then(async () => {
    if (job !== null) return parentPort?.postMessage(await answer(job));
    await store.close();
    parentPort?.close();
  });
});
