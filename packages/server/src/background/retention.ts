import { setTimeout as pause } from 'node:timers/promises';
import { PeriodicWork } from '@granary/common/periodic-work';
import { HOUR_MS } from '@granary/contract/time';
import type { WorkerParts } from './worker.ts';

const ROUND_MS = HOUR_MS;
/** Old data is removed in small steps with pauses, so that new readings are not delayed. */
const ROWS_PER_STEP_MAX = 5_000;
const PAUSE_MS = 50;

/** Removes what is older than the settings allow; each slice of `app` says what that is. */
export const retention = ({ app, settings, logger, now }: WorkerParts): PeriodicWork =>
  new PeriodicWork({
    doing: 'removing records that are older than their retention',
    everyMs: ROUND_MS,
    logger,
    run: async (rounds) => {
      let removed = 1;
      while (removed > 0 && !rounds.isStopped) {
        removed = await app.expire({ kept: settings, nowMs: now(), rowsMax: ROWS_PER_STEP_MAX });
        await pause(PAUSE_MS);
      }
    },
  });
