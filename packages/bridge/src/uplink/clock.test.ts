import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { BridgeClock } from './clock.ts';

const SERVICE_MS = Date.parse('2026-11-18T05:00:00Z');
const DAY_MS = 86_400_000;
/** The clocks of a machine that was started an hour ago. */
const machine = { systemMs: 0, bootMs: 0, monotonicMs: 0 };
let corrections: number[] = [];
let clock = new BridgeClock(() => undefined);

beforeEach(() => {
  Object.assign(machine, { systemMs: SERVICE_MS, bootMs: 3_600_000, monotonicMs: 500 });
  corrections = [];
  clock = new BridgeClock((byMs) => corrections.push(byMs), {
    system: () => machine.systemMs,
    boot: () => machine.bootMs,
    monotonic: () => machine.monotonicMs,
  });
});

const pass = (ms: number) => {
  machine.systemMs += ms;
  machine.bootMs += ms;
  machine.monotonicMs += ms;
};

test('is the clock of the machine until the service has said its time, and then that of the service', () => {
  machine.systemMs -= DAY_MS;
  assert.equal(clock.now(), SERVICE_MS - DAY_MS);
  assert.deepEqual(
    [clock.unconfirmedAheadMs(), clock.confirmedAheadMs()],
    [SERVICE_MS - DAY_MS - 3_600_000, null],
  );
  clock.compare(SERVICE_MS);
  assert.equal(clock.now(), SERVICE_MS);
  assert.deepEqual([clock.unconfirmedAheadMs(), clock.confirmedAheadMs()], [null, SERVICE_MS - 3_600_000]);
  assert.deepEqual(corrections, [DAY_MS]);
});

test('a difference that the way of the answer explains is none', () => {
  clock.compare(SERVICE_MS - 1_900);
  assert.deepEqual([clock.now(), corrections], [SERVICE_MS, []]);
});

test('a clock that is set moves nothing, and a machine that has slept has not lost the time', () => {
  clock.compare(SERVICE_MS);
  pass(1_000);
  machine.systemMs -= DAY_MS;
  assert.equal(clock.now(), SERVICE_MS + 1_000);
  pass(1_000);
  machine.systemMs += 3 * DAY_MS;
  assert.equal(clock.now(), SERVICE_MS + 2_000);
  // The machine slept for an hour: the exact clock did not advance.
  machine.systemMs += 3_600_000;
  machine.bootMs += 3_600_000;
  assert.equal(clock.now(), SERVICE_MS + 3_602_000);
  pass(1_000);
  assert.equal(clock.now(), SERVICE_MS + 3_603_000);
  assert.deepEqual(corrections, []);
});

test('a service that says another time later on is believed', () => {
  clock.compare(SERVICE_MS);
  pass(10_000);
  clock.compare(SERVICE_MS + 70_000);
  assert.deepEqual([clock.now(), corrections], [SERVICE_MS + 70_000, [60_000]]);
});
