import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { Refusal } from '@granary/contract/errors';
import { HOUR_MS } from '@granary/contract/time';
import { UNLIMITED } from '@granary/core/keys';
import { testAttempt } from '@granary/testing/app/attempts';
import { describeEachEngine } from '@granary/testing/app/engines';
import { eventsOfDevice, NOW_MS, newId, readySilo } from '@granary/testing/app/fixtures';
import { effectsDuring, sentIn } from '@granary/testing/app/recorded-effects';
import type { App } from '../app.ts';
import type { IdempotencyKey } from '../idempotency.ts';

const DEVICES = 24;

interface Start {
  readonly deviceNo: number;
  readonly operationId: string;
}

describeEachEngine('operations of many devices at once', (engine) => {
  let app: App;
  let other: App;
  before(async () => {
    app = await engine.open();
    other = await engine.open();
  });

  const someStarts = async (): Promise<Start[]> => {
    const starts: Start[] = [];
    for (let i = 0; i < DEVICES; i++) {
      starts.push({ deviceNo: await readySilo(app), operationId: newId('op') });
    }
    return starts;
  };
  const start = (by: App, { deviceNo, operationId }: Start, isReachable = true, once = false) => {
    const wanted = { deviceNo, operationId, type: 'feed', request: { amount: 100 } } as const;
    const key: IdempotencyKey = {
      keyId: 'key_1',
      key: `start of ${deviceNo}`,
      fingerprint: 'the request',
      nowMs: NOW_MS,
      encryptedSecret: null,
    };
    const slices = by.once(once ? key : null, testAttempt({ attemptId: newId('au') }));
    return slices.operations.start({ ...wanted, isReachable, nowMs: NOW_MS });
  };
  const statusesOf = async (deviceNo: number): Promise<unknown[]> =>
    (await eventsOfDevice(app, deviceNo))
      .filter(({ type }) => type === 'operation.status_changed')
      .map(({ data }) => data['status']);

  it('are started, acknowledged and completed, each by itself', async () => {
    const starts = await someStarts();
    const run = async ({ deviceNo, operationId }: Start, i: number): Promise<void> => {
      await start(i % 3 === 0 ? other : app, { deviceNo, operationId });
      const ack = { operation_id: operationId, accepted: i % 4 !== 0, reason: 'jammed' };
      await app.operations.acknowledged({ deviceNo, ack, nowMs: NOW_MS + 1 });
      if (!ack.accepted) return;
      const progress = { operation_id: operationId, state: 'completed', amount_kg: 100, ts: NOW_MS } as const;
      await app.operations.progressed({ deviceNo, progress, nowMs: NOW_MS + 2 });
    };
    await Promise.all(starts.map(run));
    for (const [i, { deviceNo, operationId }] of starts.entries()) {
      const ends = i % 4 === 0 ? ['failed'] : ['in_progress', 'completed'];
      assert.deepEqual(await statusesOf(deviceNo), ['started', ...ends]);
      const operation = await other.operations.find(deviceNo, operationId);
      assert.deepEqual([operation?.deviceNo, operation?.status], [deviceNo, ends.at(-1)]);
    }
    const { oldest, newest } = await app.events.bounds();
    const events = await app.events.after({ sequence: oldest - 1, limit: 10_000 });
    assert.deepEqual(events.map(({ sequence }) => sequence).at(-1), newest);
    assert.equal(events.length, newest - oldest + 1);
  });

  it('are refused without effect on the others, and audited once', async () => {
    const starts = await someStarts();
    const before = (await engine.query('SELECT COUNT(*) FROM audit')).flat()[0];
    const { result, effects } = await effectsDuring(app, () =>
      Promise.allSettled(starts.map((each, i) => start(app, each, i % 5 !== 2))),
    );
    for (const [i, outcome] of result.entries()) {
      if (i % 5 !== 2) assert.equal(outcome.status, 'fulfilled');
      else
        assert(
          outcome.status === 'rejected' &&
            outcome.reason instanceof Refusal &&
            outcome.reason.code === 'device_offline',
        );
    }
    const accepted = starts.filter((_, i) => i % 5 !== 2);
    assert.deepEqual(
      sentIn(effects)
        .map(({ deviceNo }) => deviceNo)
        .toSorted((a, b) => a - b),
      accepted.map(({ deviceNo }) => deviceNo),
    );
    assert.deepEqual(await engine.query('SELECT COUNT(*) FROM audit'), [[Number(before) + accepted.length]]);
    for (const [i, { deviceNo }] of starts.entries()) {
      assert.deepEqual(await statusesOf(deviceNo), i % 5 === 2 ? [] : ['started']);
    }
  });

  it('are started once, however often they are asked for', async () => {
    const starts = await someStarts();
    const again = starts.map(({ deviceNo }) => ({ deviceNo, operationId: newId('op') }));
    const asked = [starts, again].flatMap((each, i) =>
      each.map((one) => start(i === 0 ? app : other, one, true, true)),
    );
    const answers = await Promise.all([...asked, ...again.map((one) => start(app, one, true, true))]);
    for (const [i, { deviceNo }] of starts.entries()) {
      const own = [0, 1, 2].map((round) => answers[round * DEVICES + i]);
      assert.equal(new Set(own.map((answer) => answer?.result.operation.operationId)).size, 1);
      assert.equal(own.filter((answer) => answer?.replayed === false).length, 1);
      assert.deepEqual(await statusesOf(deviceNo), ['started']);
    }
  });

  it('that are proposed are started by one of many confirmations, and not after their time', async () => {
    for (const isLate of [false, true]) {
      const deviceNo = await readySilo(app);
      const proposalId = newId('pr');
      const wanted = { proposalId, deviceNo, type: 'feed', request: { amount: 100 }, reason: null } as const;
      const slices = app.audited(testAttempt({ attemptId: newId('au') }));
      const proposal = await slices.proposals.create({
        ...wanted,
        isReachable: true,
        shiftMs: 8 * HOUR_MS,
        nowMs: NOW_MS,
      });
      const nowMs = isLate ? proposal.expiresAtMs : NOW_MS + 1;
      const confirmed = await Promise.allSettled(
        [app, other, app, other].map((by) =>
          by
            .audited(testAttempt({ attemptId: newId('au') }))
            .proposals.confirm({ deviceNo, proposalId, operationId: newId('op'), isReachable: true, nowMs }),
        ),
      );
      const refusals = confirmed.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
      const expected = Array.from({ length: isLate ? 4 : 3 }, () => 'proposal_not_open');
      assert.deepEqual(refusals, expected);
      assert.deepEqual(await statusesOf(deviceNo), isLate ? [] : ['started']);
      const page = { limits: UNLIMITED, deviceId: null, beforeId: null, limit: 10, nowMs };
      const status = isLate ? 'expired' : 'confirmed';
      const listed = await other.proposals.list({ ...page, status });
      assert.ok(listed.some((one) => one.proposalId === proposalId));
    }
  });
});
