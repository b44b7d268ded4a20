import { setTimeout as pause } from 'node:timers/promises';
import { PeriodicWork } from '@granary/common/periodic-work';
import { SECOND_MS } from '@granary/contract/time';
import type { WorkerParts } from './worker.ts';

const ROUND_MS = SECOND_MS;
/** Rows are removed in small steps with pauses, so that new readings are not delayed. */
const ROWS_PER_STEP_MAX = 5_000;
const PAUSE_MS = 20;

/** Removes the rows of devices that are being purged; what a step has done is stored with it, so any node continues. */
export const purger = ({ app, logger, now }: WorkerParts): PeriodicWork =>
  new PeriodicWork({
    doing: 'purging a device',
    everyMs: ROUND_MS,
    logger,
    run: async (rounds) => {
      while (!rounds.isStopped && (await app.devices.isPurgeDue(now()))) {
        const isPurging = await app.devices.purgeStep({ nowMs: now(), rowsMax: ROWS_PER_STEP_MAX });
        if (!isPurging) return;
        await pause(PAUSE_MS);
      }
    },
  });
