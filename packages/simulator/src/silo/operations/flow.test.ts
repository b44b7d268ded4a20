import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '@granary/contract/time';
import fc from 'fast-check';
import { flowedKg, planFlow } from './flow.ts';

const anyAmountKg = fc.double({ min: 0.001, max: 1e6, noNaN: true });
const anyRateKgPerMin = fc.double({ min: 0.1, max: 1e5, noNaN: true });
const anyShare = fc.double({ min: 0, max: 1, noNaN: true });

test('opens, runs and closes', () => {
  const flow = planFlow(50, 600);
  assert.equal(flow.durationMs, 7_000);
  assert.deepEqual(
    [0, 1_000, 2_000, 3_000, 5_000, 6_000, 7_000, 8_000].map((ms) => flowedKg(flow, ms)),
    [0, 2.5, 10, 20, 40, 47.5, 50, 50],
  );
});

test('a little has run through before the gate is open', () => {
  const flow = planFlow(5, 600);
  assert.equal(flow.durationMs, 2_000);
  assert.equal(flow.peakKgPerMs, 5 / 1_000);
  assert.equal(flowedKg(flow, 1_000), 2.5);
});

test('half of the amount takes half of the time, and the end brings exactly all of it', () => {
  fc.assert(
    fc.property(anyAmountKg, anyRateKgPerMin, (amountKg, rateKgPerMin) => {
      const flow = planFlow(amountKg, rateKgPerMin);
      const halfKg = flowedKg(flow, flow.durationMs / 2);
      assert.ok(Math.abs(halfKg - amountKg / 2) <= amountKg * 1e-9);
      assert.equal(flowedKg(flow, flow.durationMs), amountKg);
    }),
  );
});

test('never flows back, and never faster than its rate', () => {
  fc.assert(
    fc.property(anyAmountKg, anyRateKgPerMin, anyShare, anyShare, (amountKg, rateKgPerMin, one, other) => {
      const flow = planFlow(amountKg, rateKgPerMin);
      const [fromMs, toMs] = [Math.min(one, other) * flow.durationMs, Math.max(one, other) * flow.durationMs];
      const movedKg = flowedKg(flow, toMs) - flowedKg(flow, fromMs);
      const slackKg = amountKg * 1e-9;
      assert.ok(movedKg >= -slackKg);
      assert.ok(movedKg <= (rateKgPerMin * (toMs - fromMs)) / MINUTE_MS + slackKg);
    }),
  );
});
