import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLogger } from '../../process/logging/logger.ts';
import { SetAsideLog } from '../set-aside-log.ts';
import { NotificationWorker } from './worker.ts';

const ROUND_MS = 1_000;

describe('the notification worker', () => {
  it('looks again after it could not decide, as while another node that is at work has frozen', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    let isFailing = true;
    let looks = 0;
    const logger = createLogger('silent');
    const worker = new NotificationWorker({
      app: {
        notifications: {
          hasDueNotices: async () => false,
          advance: async () => {
            looks++;
            if (isFailing) throw new Error('the lock was waited for too long');
            return { hasMore: false, setAside: [] };
          },
        },
      },
      sender: { wake: () => undefined },
      readers: { consoleUrl: null, timeZone: 'UTC' },
      setAside: new SetAsideLog(logger),
      logger,
      now: () => 0,
    });
    const round = async (): Promise<number> => {
      t.mock.timers.tick(ROUND_MS);
      await new Promise((resolve) => setImmediate(resolve));
      return looks;
    };
    worker.start();
    assert.equal(await round(), 1);
    assert.equal(await round(), 2);
    isFailing = false;
    assert.equal(await round(), 3);
    assert.equal(await round(), 3);
    await worker.stop();
  });
});
