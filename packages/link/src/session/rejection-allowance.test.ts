import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REJECTED_BYTES_BURST, REJECTED_BYTES_PER_S, REJECTION_OVERHEAD_BYTES } from '../limits.ts';
import { RejectionAllowance } from './link-records.ts';

test('a device with an occasional bad message is not slowed down', () => {
  const allowance = new RejectionAllowance(0);
  for (let nowMs = 0; nowMs < 1_000_000; nowMs += 100) assert.equal(allowance.spend(200, nowMs), 0);
});

test('a device that sends nothing but bad messages is read as slowly as its allowance grows', () => {
  const allowance = new RejectionAllowance(0);
  let nowMs = 0;
  let bytes = 0;
  while (nowMs < 60_000) {
    nowMs += allowance.spend(50_000, nowMs);
    bytes += 50_000 + REJECTION_OVERHEAD_BYTES;
  }
  assert.ok(bytes >= REJECTED_BYTES_BURST);
  assert.ok(bytes <= REJECTED_BYTES_BURST + (nowMs / 1_000) * REJECTED_BYTES_PER_S + 1);
});
