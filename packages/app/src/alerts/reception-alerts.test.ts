import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { inEnglish } from '@granary/contract/sentences/english';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import type { MessageReception } from '@granary/core/reception/reception';
import { describeEachEngine } from '@granary/testing/app/engines';
import {
  batchOf,
  evaluatedAfter,
  NOW_MS,
  reading,
  readySilo,
  registerDevice,
  weigh,
} from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';

const INTERVAL_MS = 10 * SECOND_MS;
const OFF_DELAY_MS = 5 * SECOND_MS;

describeEachEngine('alerts about how the messages of a device arrive', (engine) => {
  let app: App;
  let other: App;
  before(async () => {
    app = await engine.open();
    other = await engine.open();
  });

  const open = async (deviceNo: number, of: App = app) =>
    (await of.alerts.list({ deviceNo, filter: 'open', beforeAlertId: null, limit: 10 })).map(
      ({ type, status, severity, message }) => ({ type, status, severity, message: inEnglish(message) }),
    );
  const openTypes = async (deviceNo: number) => (await open(deviceNo)).map(({ type }) => type);
  const evaluate = (deviceNo: number, nowMs: number, by: App = app) =>
    by.alerts.evaluate({ deviceNos: [deviceNo], nowMs });

  const TEXT = { code: 'not_a_number', field: 'weight', found: 'text' } as const;
  const refusal = (deviceNo: number, atMs: number): MessageReception => ({
    deviceNo,
    atMs,
    refusal: { taken: 'none', cause: TEXT },
    clockOffsetMs: null,
  });
  const refuse = (deviceNo: number, atMs: number, by: App = app) =>
    evaluatedAfter(by, {
      ...batchOf({ readings: [], seen: [{ deviceNo, atMs }] }),
      receptions: [refusal(deviceNo, atMs)],
    });

  it('readings_rejected: raised with the third refused message on any node, and cleared by readings that are taken', async () => {
    const deviceNo = await readySilo(app);
    for (const n of [1, 2]) {
      const nowMs = NOW_MS + n * INTERVAL_MS;
      await refuse(deviceNo, nowMs, n === 1 ? app : other);
      await evaluate(deviceNo, nowMs);
      assert.deepEqual(await openTypes(deviceNo), []);
    }
    const thirdMs = NOW_MS + 3 * INTERVAL_MS;
    assert.deepEqual(await refuse(deviceNo, thirdMs), [deviceNo]);
    await evaluate(deviceNo, thirdMs, other);
    assert.deepEqual(await open(deviceNo, other), [
      {
        type: 'readings_rejected',
        status: 'active',
        severity: 'warning',
        message:
          'Its readings are refused: weight is a text, not a number (3 messages in a row since 2026-06-15T12:00:10.000Z)',
      },
    ]);
    // Refused messages raise no alert about the sensors.
    await evaluate(deviceNo, thirdMs + SECOND_MS);
    assert.deepEqual(await openTypes(deviceNo), ['readings_rejected']);
    const takenMs = thirdMs + INTERVAL_MS;
    assert.deepEqual(await weigh(app, deviceNo, 5_000, takenMs), [deviceNo]);
    await evaluate(deviceNo, takenMs);
    await evaluate(deviceNo, takenMs + OFF_DELAY_MS);
    assert.deepEqual(
      (await open(deviceNo)).map(({ type, status }) => [type, status]),
      [['readings_rejected', 'cleared']],
    );
    assert.equal(await app.devices.reception(deviceNo), null);
  });

  it('readings_rejected: of a device that never sent a usable reading', async () => {
    const deviceNo = await registerDevice(app);
    for (const n of [1, 2, 3]) await refuse(deviceNo, NOW_MS + n);
    await evaluate(deviceNo, NOW_MS + 3);
    assert.deepEqual(await openTypes(deviceNo), ['readings_rejected']);
  });

  it('readings_rejected: thousands of messages of one batch are one state and one evaluation', async () => {
    const deviceNo = await registerDevice(app);
    const batch = (startMs: number) =>
      evaluatedAfter(app, {
        ...batchOf({ readings: [], seen: [{ deviceNo, atMs: startMs + 2_000 }] }),
        receptions: Array.from({ length: 2_000 }, (_, n) => refusal(deviceNo, startMs + n)),
      });
    assert.deepEqual(await batch(NOW_MS), [deviceNo]);
    await evaluate(deviceNo, NOW_MS + 2_000);
    const evaluated: number[] = [];
    for (const second of [2, 4, 6]) evaluated.push(...(await batch(NOW_MS + second * SECOND_MS)));
    assert.deepEqual(evaluated, []);
    assert.equal((await app.devices.reception(deviceNo))?.refused?.messages, 8_000);
    // The number in the alert is updated every ten seconds.
    assert.deepEqual(await batch(NOW_MS + 10 * SECOND_MS), [deviceNo]);
    await evaluate(deviceNo, NOW_MS + 12 * SECOND_MS);
    assert.match((await open(deviceNo))[0]?.message ?? '', /\(10000 messages in a row since/);
  });

  it('clock_wrong: an hour behind is told before the sensors are blamed, and ends with the first right time', async () => {
    const deviceNo = await readySilo(app);
    const send = (atMs: number) =>
      evaluatedAfter(app, {
        ...batchOf({
          readings: [reading(deviceNo, atMs - HOUR_MS, { weight: 5_000_000 })],
          seen: [{ deviceNo, atMs }],
        }),
        receptions: [{ deviceNo, atMs, refusal: null, clockOffsetMs: -HOUR_MS }],
      });
    for (let n = 1; n <= 12; n++) {
      const atMs = NOW_MS + n * INTERVAL_MS;
      await send(atMs);
      await evaluate(deviceNo, atMs);
      await evaluate(deviceNo, atMs + INTERVAL_MS - 1);
      assert.deepEqual(await openTypes(deviceNo), n < 3 ? [] : ['clock_wrong'], `after ${n} messages`);
    }
    assert.deepEqual(await open(deviceNo), [
      {
        type: 'clock_wrong',
        status: 'active',
        severity: 'warning',
        message:
          'Its clock is 1 h behind, or it sends its readings 1 h late: they count as old, so no level or limit is watched',
      },
    ]);
    const rightMs = NOW_MS + 130 * SECOND_MS;
    await weigh(app, deviceNo, 5_000, rightMs);
    await evaluate(deviceNo, rightMs);
    await evaluate(deviceNo, rightMs + OFF_DELAY_MS);
    assert.deepEqual(
      (await open(deviceNo)).map(({ status }) => status),
      ['cleared'],
    );
  });

  it('no alert for a device that sends an hour of stored readings after an outage', async () => {
    const deviceNo = await readySilo(app);
    let atMs = NOW_MS + HOUR_MS;
    for (let measuredMs = NOW_MS; measuredMs < atMs; measuredMs += INTERVAL_MS) {
      atMs += 100;
      await evaluatedAfter(app, {
        ...batchOf({
          readings: [reading(deviceNo, measuredMs, { weight: 5_000_000 })],
          seen: [{ deviceNo, atMs }],
        }),
        receptions:
          atMs - measuredMs > MINUTE_MS
            ? [{ deviceNo, atMs, refusal: null, clockOffsetMs: measuredMs - atMs }]
            : [],
      });
      if (measuredMs % MINUTE_MS === 0) await evaluate(deviceNo, atMs);
    }
    await evaluate(deviceNo, atMs);
    const all = await app.alerts.list({ deviceNo, filter: 'all', beforeAlertId: null, limit: 10 });
    assert.deepEqual(
      all.filter(({ type }) => type === 'clock_wrong' || type === 'readings_rejected'),
      [],
    );
    assert.equal(await app.devices.reception(deviceNo), null);
  });

  it('duplicate_device: with both addresses, until a minute without takeovers has passed', async () => {
    const deviceNo = await readySilo(app);
    const duplicate = {
      sinceMs: NOW_MS,
      lastAtMs: NOW_MS,
      takeovers: 12,
      addresses: ['10.0.0.5', '10.0.0.9'],
    };
    await app.devices.recordDuplicate(deviceNo, duplicate);
    await evaluate(deviceNo, NOW_MS, other);
    assert.deepEqual(await open(deviceNo), [
      {
        type: 'duplicate_device',
        status: 'active',
        severity: 'warning',
        message:
          'Two clients log in as this device and replace each other: 12 times within a minute, from 10.0.0.5 and 10.0.0.9',
      },
    ]);
    for (const n of [1, 2, 3, 4, 5, 6]) await weigh(app, deviceNo, 5_000, NOW_MS + n * INTERVAL_MS);
    await app.alerts.evaluateDue({ nowMs: NOW_MS + MINUTE_MS, limit: 100 });
    await app.alerts.evaluateDue({ nowMs: NOW_MS + MINUTE_MS + OFF_DELAY_MS, limit: 100 });
    assert.deepEqual(
      (await open(deviceNo)).map(({ status }) => status),
      ['cleared'],
    );
  });
});
