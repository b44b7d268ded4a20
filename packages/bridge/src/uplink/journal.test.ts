import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { HOUR_MS } from '@granary/contract/time';
import { Journal, type JournalOptions } from './journal.ts';
import { fitting } from './message.ts';

const NOW_MS = Date.parse('2026-11-18T05:00:00Z');
let folder = '';
let said: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'granary-test-'));
  said = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function journalWith(changes: Partial<JournalOptions> = {}): Journal {
  const journal = new Journal({
    file: join(folder, 'journal.sqlite'),
    hoursMax: 72,
    bytesMax: 1e9,
    now: () => NOW_MS,
    isTimeRight: () => true,
    log: (_, message) => said.push(message),
    ...changes,
  });
  journal.start();
  return journal;
}

const reading = (deviceId: string, n: number, body = `{"weight":${n}}`) => ({
  deviceId,
  atMs: NOW_MS + n,
  body,
});
const timesOf = (journal: Journal, deviceId: string, max = 1_000) =>
  journal.next(deviceId, max, fitting)?.readings.map(({ atMs }) => atMs - NOW_MS) ?? [];

test('gives the readings of each device in their order, until they are removed, also after a restart', async () => {
  const journal = journalWith();
  for (let n = 0; n < 2_500; n++) journal.add(reading(n % 2 === 0 ? 'even' : 'odd', n));
  await setTimeout(150);
  assert.deepEqual(timesOf(journal, 'even', 3), [0, 2, 4]);
  const batch = journal.next('even', 1_000, fitting);
  assert.equal(batch?.readings.length, 1_000);
  journal.remove('even', batch?.upTo ?? 0);
  assert.deepEqual(timesOf(journal, 'even', 2), [2_000, 2_002]);
  assert.equal(journal.waitingOf('odd'), 1_250);
  journal.stop();
  const again = journalWith();
  assert.deepEqual([again.waitingOf('even'), again.waitingOf('odd')], [250, 1_250]);
  assert.deepEqual(timesOf(again, 'odd', 2), [1, 3]);
  assert.equal(again.status().oldestMs, NOW_MS + 1);
  again.stop();
});

test('what was added just before an orderly stop is there', () => {
  const journal = journalWith();
  journal.add(reading('a', 1));
  journal.stop();
  const again = journalWith();
  assert.deepEqual(timesOf(again, 'a'), [1]);
  again.stop();
});

test('drops the oldest when it is full, and records the gap', async () => {
  const journal = journalWith({ bytesMax: 2_000_000 });
  const body = `{"weight":1,"sensors":{"x":${'1'.repeat(300)}}}`;
  for (let n = 0; n < 9_000; n++) journal.add(reading('a', n, body));
  await setTimeout(200);
  const { readings, dropped, gaps, bytes } = journal.status();
  assert.ok(bytes <= 2_000_000, `${bytes}`);
  assert.equal(readings + dropped, 9_000);
  assert.ok(dropped > 0 && readings > 0);
  assert.deepEqual([gaps[0]?.deviceId, gaps[0]?.fromMs], ['a', NOW_MS]);
  assert.equal(timesOf(journal, 'a')[0], dropped);
  assert.ok(said.includes('readings were given up, because the journal is full'));
  journal.stop();
  const again = journalWith();
  assert.equal(again.status().dropped, dropped);
  again.stop();
});

test('drops what is too old only while the time is known to be right', async () => {
  let isTimeRight = false;
  const first = journalWith();
  first.add(reading('a', -73 * HOUR_MS));
  first.add(reading('a', -71 * HOUR_MS));
  first.stop();
  const journal = journalWith({ isTimeRight: () => isTimeRight, bytesMax: 1 });
  assert.equal(journal.waitingOf('a'), 2);
  journal.stop();
  isTimeRight = true;
  const right = journalWith({ isTimeRight: () => isTimeRight });
  right.add(reading('a', 0));
  right.trim();
  assert.equal(right.status().dropped, 1);
  right.stop();
});

test('a disk that takes nothing is said once, loses nothing that fits in memory, and is over when it is', async () => {
  const journal = journalWith({ pagesMax: 8 });
  const body = `{"weight":1,"sensors":{"x":${'1'.repeat(300)}}}`;
  for (let n = 0; n < 500; n++) journal.add(reading('a', n, body));
  await setTimeout(150);
  assert.match(journal.status().fault ?? '', /full/);
  for (let n = 500; n < 1_000; n++) journal.add(reading('a', n, body));
  await setTimeout(100);
  assert.equal(said.filter((one) => one.startsWith('the journal cannot be written')).length, 1);
  assert.equal(journal.status().readings, 1_000);
  journal.allowPages(100_000);
  await setTimeout(1_200);
  assert.equal(journal.status().fault, null);
  assert.deepEqual([timesOf(journal, 'a')[0], journal.waitingOf('a')], [0, 1_000]);
  assert.ok(said.includes('the journal can be written again'));
  journal.stop();
});

test('a second bridge with the same journal does not start', () => {
  const journal = journalWith();
  assert.throws(() => journalWith(), /another bridge uses/);
  journal.stop();
});

test('a damaged file is put aside and a new one is begun', () => {
  writeFileSync(
    join(folder, 'journal.sqlite'),
    'this is no database, but it is long enough to be looked at'.repeat(100),
  );
  const journal = journalWith();
  journal.add(reading('a', 1));
  journal.stop();
  assert.ok(readdirSync(folder).some((name) => name.includes('.damaged-')));
  assert.ok(said.some((one) => one.startsWith('the journal is damaged')));
});
