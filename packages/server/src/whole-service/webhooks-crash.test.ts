import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import { CrashingService } from '@granary/testing/server/crashing-service';
import { ReceiverProcess } from '@granary/testing/server/webhooks/receiver-process';

const EVENTS = IS_FULL_SIZE ? 10_000 : 150;
const AT_ONCE = 8;
const POLL_MS = 250;
const WAIT_MS_MAX = IS_FULL_SIZE ? 1_000_000 : 300_000;

/** With this schedule no delivery is given up within the test, however often the receiver fails. */
const SOON = { schedule: { delaysMs: [50, ...Array(200).fill(250)] }, leaseMs: 2_000, attemptMs: 1_000 };

const service = new CrashingService({
  ...(IS_FULL_SIZE ? { killAfterMsMin: 5_000, killAfterMsMax: 10_000 } : {}),
  killsMax: 2,
  env: { GRANARY_WEBHOOK_ALLOW_PRIVATE: 'on', GRANARY_TEST_WEBHOOKS: JSON.stringify(SOON) },
});
let folder = '';

/** Waits with a limit, so that a service that cannot start again ends the test. */
async function until(isDone: () => boolean, fault: string): Promise<void> {
  const untilMs = Date.now() + WAIT_MS_MAX;
  while (!isDone()) {
    assert.ok(Date.now() < untilMs, fault);
    await sleep(POLL_MS);
  }
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'granary-receiver-'));
  await service.start();
});
after(async () => {
  await service.remove();
  await rm(folder, { recursive: true, force: true });
});

test('every event reaches a receiver that fails, while both are killed', async (t) => {
  const receiver = new ReceiverProcess(join(folder, 'accepted.jsonl'));
  await receiver.start();
  t.after(() => receiver.kill());
  const webhook = await service.ask('/v1/webhooks', 'POST', {
    url: receiver.url,
    event_types: ['key.issued'],
  });
  receiver.expectSecret(webhook.secret);
  const path = `/v1/webhooks/${webhook.webhook_id}`;
  const idsOf = () => new Set(receiver.accepted().map(({ id }) => id));

  service.beginKilling();
  let logged = 0;
  const log = async (): Promise<void> => {
    while (logged < EVENTS) {
      const name = `key ${logged++}`;
      await service.ask('/v1/keys', 'POST', { name, scopes: ['read'] }, name);
    }
  };
  const logging = Promise.all(Array.from({ length: AT_ONCE }, log));
  for (const part of [1, 2]) {
    await until(() => logged >= (EVENTS * part) / 3, 'events were not logged');
    await receiver.kill();
    await sleep(POLL_MS);
    await receiver.start();
  }
  await logging;
  await until(() => service.kills === 2, 'the service was not killed');
  await service.endKilling();

  for (let delivered = 0, lastChange = Date.now(); delivered < EVENTS; ) {
    await sleep(POLL_MS);
    const now = idsOf().size;
    if (now > delivered) lastChange = Date.now();
    delivered = now;
    assert.ok(Date.now() - lastChange < 300_000, `only ${delivered} of ${EVENTS} events arrived`);
  }
  for (const status of ['pending', 'dead']) {
    for (let left = 1; left > 0 && status === 'pending'; await sleep(POLL_MS)) {
      left = (await service.ask(`${path}/deliveries?status=${status}`, 'GET')).length;
    }
    assert.deepEqual(await service.ask(`${path}/deliveries?status=${status}`, 'GET'), []);
  }
  const accepted = receiver.accepted();
  assert.ok(accepted.every(({ isSigned }) => isSigned));
  const names = new Set(accepted.map(({ text }) => JSON.parse(text).data.name));
  for (let number = 0; number < EVENTS; number++) assert.ok(names.has(`key ${number}`), `key ${number}`);
  assert.equal(idsOf().size, EVENTS);
  t.diagnostic(`${accepted.length} messages for ${EVENTS} events, ${service.kills} kills`);
});
