import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  firstStep,
  fromBase32,
  newRecoveryCodes,
  recoveryHashOf,
  totp,
  usedFactor,
} from './second-factor.ts';

const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const T0_MS = 1_111_111_109_000;

test('the codes are those of RFC 6238', () => {
  const key = Buffer.from('12345678901234567890');
  assert.deepEqual(fromBase32(SECRET), key);
  const vectors = [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ] as const;
  for (const [atS, code] of vectors) assert.equal(totp(key, Math.floor(atS / 30), 8), code);
});

test('a code counts within one step of the clock, and neither it nor an earlier one counts again', () => {
  const now = Math.floor(T0_MS / 30_000);
  const at = (step: number) => totp(fromBase32(SECRET), step);
  const used = (code: string, lastStep = 0) => {
    const factor = usedFactor(code, { secret: SECRET, lastStep, recoveryHashes: [] }, T0_MS, '');
    return factor !== null && 'step' in factor ? factor.step - now : null;
  };
  assert.deepEqual(
    [-2, -1, 0, 1, 2].map((off) => used(at(now + off))),
    [null, -1, 0, 1, null],
  );
  assert.equal(used(at(now), now), null);
  assert.equal(used(at(now - 1), now), null);
  assert.equal(used(at(now + 1), now), 1);
  const code = at(now);
  assert.equal(used(`${code.slice(0, 3)} ${code.slice(3)}`), 0, 'as apps show it');
  for (const wrong of ['', '0', `${code}0`, code.slice(1), 'abcdef', '٠١٢٣٤٥'])
    assert.equal(used(wrong), null);
  assert.equal(firstStep(SECRET, code, T0_MS), now);
  assert.equal(firstStep(SECRET, '000000', T0_MS), null);
});

test('recovery codes are recognised however they are typed', () => {
  const codes = newRecoveryCodes();
  assert.equal(new Set(codes).size, 8);
  const [first = ''] = codes;
  assert.match(first, /^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
  const stored = { secret: SECRET, lastStep: 0, recoveryHashes: codes.map(recoveryHashOf) };
  for (const typed of [first, first.toLowerCase(), first.replaceAll('-', ' ')]) {
    assert.deepEqual(usedFactor(typed, stored, T0_MS, ''), { recoveryHash: recoveryHashOf(first) });
  }
  assert.equal(usedFactor(`${first.slice(1)}A`, { ...stored, recoveryHashes: [] }, T0_MS, ''), null);
});
