import type { App } from '@granary/app/app';
import { SECOND_MS } from '@granary/contract/time';
import { atMs, LIMIT, type WhoMayOf, type WriteRound, type WritesOf } from '../write-round.ts';

const newWebhook = (webhookId: string, createdAtMs: number) => ({
  webhookId,
  url: 'https://example.com/',
  description: null,
  enabled: true,
  secret: 'whsec_b2xk',
  eventTypes: null,
  deviceIds: null,
  facilities: null,
  severities: null,
  createdAtMs,
});

/** Does something with all webhooks, in an order that differs between nodes. */
async function ofWebhooks(
  { app, node }: WriteRound,
  write: (webhookId: string) => Promise<unknown>,
): Promise<void> {
  const found = await app.webhooks.list({ afterWebhookId: null, limit: LIMIT });
  const inOrder = node % 2 ? found : found.toReversed();
  await Promise.all(inOrder.map(({ webhookId }) => write(webhookId)));
}

async function distributeAll(app: App, nowMs: number): Promise<void> {
  for (const position of await app.webhooks.positionsBehind()) {
    await app.webhooks.distribute({ position, nowMs });
  }
}

/** Sends the due messages; every receiver answers with this status. */
async function sendDue(round: WriteRound, status: number): Promise<void> {
  const { app } = round;
  const nowMs = atMs(round);
  for (const webhookNo of await app.webhooks.due(nowMs)) {
    const taken = await app.webhooks.take({ webhookNo, limit: 5, nowMs, leasedUntilMs: nowMs + SECOND_MS });
    const outcome = { kind: 'answered', status, retryAfterMs: null } as const;
    const attempt = { webhookNo, outcome, nowMs, random: 0, schedule: { delaysMs: [0] } };
    await Promise.all(
      (taken?.deliveries ?? []).map(({ deliveryNo }) => app.webhooks.record({ ...attempt, deliveryNo })),
    );
  }
}

async function replayNewest(round: WriteRound): Promise<void> {
  const { newest } = await round.app.events.bounds();
  await ofWebhooks(round, (webhookId) =>
    round.app.webhooks.replay(webhookId, { from_event: newest }, atMs(round)),
  );
}

const replayDead = (round: WriteRound): Promise<void> =>
  ofWebhooks(round, (webhookId) => round.app.webhooks.replay(webhookId, { dead: true }, atMs(round)));

/** All writes of webhooks, which the test of deadlocks calls. */
export const whoMay: WhoMayOf<'webhooks'> = {
  create: 'rights',
  update: 'rights',
  remove: 'rights',
  enable: 'rights',
  rotateSecret: 'rights',
  test: 'rights',
  replay: 'rights',
  distribute: 'nobody',
  take: 'nobody',
  renew: 'nobody',
  record: 'nobody',
  expire: 'nobody',
};

export const writes: WritesOf<'webhooks'> = {
  create: (round) => [round.app.webhooks.create(newWebhook(`wh_${round.node}_${round.round}`, atMs(round)))],
  update: (round) => [
    ofWebhooks(round, (webhookId) =>
      round.app.webhooks.update(webhookId, { description: `${round.node}` }, atMs(round)),
    ),
  ],
  enable: (round) => [
    ofWebhooks(round, (webhookId) =>
      round.app.webhooks.enable(webhookId, { skipMissed: false, nowMs: atMs(round) }),
    ),
  ],
  rotateSecret: (round) => [
    ofWebhooks(round, (webhookId) =>
      round.app.webhooks.rotateSecret(webhookId, 'whsec_bmV3', {
        previousUntilMs: atMs(round),
        nowMs: atMs(round),
      }),
    ),
  ],
  replay: (round) => [replayNewest(round), replayDead(round)],
  test: (round) => [
    ofWebhooks(round, (webhookId) => round.app.webhooks.test(webhookId, `test_${round.round}`, atMs(round))),
  ],
  distribute: (round) => [distributeAll(round.app, atMs(round)), distributeAll(round.app, atMs(round))],
  renew: (round) => [
    round.app.webhooks.renew({ deliveryNo: round.round, fromMs: 0, toMs: atMs(round) - SECOND_MS }),
  ],
  take: (round) => [sendDue(round, 500), sendDue(round, 500)],
  record: (round) => [sendDue(round, 200), sendDue(round, 410)],
  expire: (round) => [
    round.app.webhooks.expire({
      deliveredBeforeMs: atMs(round),
      deadBeforeMs: atMs(round),
      rowsMax: LIMIT,
    }),
  ],
  // Only a few are left for the next round, because each of them gets every event.
  remove: (round) => [round.app.webhooks.remove(`wh_${round.node}_${round.round - 1}`, atMs(round))],
};
