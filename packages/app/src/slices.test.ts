import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DAY_MS } from '@granary/contract/time';
import { describeEachEngine } from '@granary/testing/app/engines';
import { outcomesOf, prepareRounds } from '@granary/testing/app/every-write';
import { NOW_MS, newId, readySilo } from '@granary/testing/app/fixtures';
import type { Slice } from './slice.ts';
import { SLICES } from './slices.ts';

const KEPT_DAYS = 10;
const KEPT = {
  rawRetentionDays: KEPT_DAYS,
  fiveMinuteRetentionDays: KEPT_DAYS,
  eventRetentionDays: KEPT_DAYS,
  jobRetentionDays: KEPT_DAYS,
  alertRetentionDays: KEPT_DAYS,
  auditRetentionDays: KEPT_DAYS,
};
const ROWS_MAX = 1_000;
const STEPS_MAX = 20;

const namesOf = (isWanted: (slice: Slice) => boolean): string[] =>
  Object.entries<Slice>(SLICES).flatMap(([name, slice]) => (isWanted(slice) ? [name] : []));

it('every slice that removes old records says which ones are too old', () => {
  assert.deepEqual(
    namesOf(({ writes }) => 'expire' in writes),
    namesOf(({ expiry }) => expiry !== undefined),
  );
});

describeEachEngine('what is older than its retention', (engine) => {
  const at = (days: number) => ({ kept: KEPT, nowMs: NOW_MS + days * DAY_MS, rowsMax: ROWS_MAX });

  it('is removed, and nothing else', async () => {
    const app = await engine.open();
    const deviceNo = await readySilo(app);
    const noteId = newId('nt');
    await app.shifts.addNote({
      noteId,
      deviceNo,
      facility: null,
      atMs: NOW_MS,
      text: 'x',
      createdAtMs: NOW_MS,
    });
    await app.expire(at(KEPT_DAYS - 1));
    assert.notEqual(await app.shifts.note(noteId), undefined);
    assert.ok((await app.expire(at(KEPT_DAYS + 1))) > 0);
    assert.equal(await app.shifts.note(noteId), undefined);
  });

  it('goes in steps until nothing is left, whatever was written', async () => {
    const app = await engine.open();
    await outcomesOf({ app, node: 0, round: 1, ...(await prepareRounds(app)) });
    let steps = 0;
    while ((await app.expire(at(1_000))) > 0) assert.ok(++steps < STEPS_MAX);
    assert.ok(steps > 0);
  });
});
