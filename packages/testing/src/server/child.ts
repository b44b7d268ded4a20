import type { WebhookOptions } from '@granary/server/background/webhooks/worker';
import { createService } from '@granary/server/compose';
import { readSettings } from '@granary/server/process/settings';

/** The times of webhooks, which tests shorten. */
const webhooks: WebhookOptions = JSON.parse(process.env['GRANARY_TEST_WEBHOOKS'] ?? '{}');

/** Runs a whole service in a separate process, which sends its addresses to its parent; the clock of its machine may be ahead. */
const aheadMs = Number(process.env['GRANARY_TEST_CLOCK_AHEAD_MS'] ?? 0);
const service = createService(readSettings(process.env), {
  ...(aheadMs === 0 ? {} : { systemNow: () => Date.now() + aheadMs }),
  // Several nodes on one database need an external broker, unless no node has devices.
  ...(process.env['GRANARY_TEST_BROKER'] === 'external' ? { broker: 'external' } : {}),
  webhooks,
});
process.once('SIGTERM', () => {
  void service.stop().then(() => process.exit(0));
});
service.start().then(
  (started) => process.send?.(started),
  (error: unknown) => {
    process.send?.({ failed: error instanceof Error ? error.message : String(error) });
    process.exit(1);
  },
);
// The parent process has ended.
process.once('disconnect', () => process.exit());
