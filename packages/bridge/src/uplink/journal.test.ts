import assert from 'node:assert/strict';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { HOUR_MS } from '@granary/contract/time';
import { makeSmallDisk } from '@granary/testing/app/small-disk';
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
    aheadMs: () => 0,
    bootId: 'this boot',
    log: (_, message) => said.push(message),
    ...changes,
  });
  journal.start();
  return journal;
}

const reading = (deviceId: string, n: number, body = `{"weight":${n}}`) => ({
  deviceId,
  atMs: NOW_MS + n,
  clockMs: null,
  body,
});
const WIDE = `{"weight":1,"sensors":{"x":${'1'.repeat(300)}}}`;
const timesOf = (journal: Journal, deviceId: string, max = 1_000) =>
  journal.next(deviceId, max, fitting)?.readings.map(({ atMs }) => atMs - NOW_MS) ?? [];

test('gives the readings of each device in their order, until they are removed, also after a restart', async () => {
  const journal = journalWith();
  for (let n = 0; n < 2_500; n++) journal.add(reading(n % 2 === 0 ? 'even' : 'odd', n));
  await setTimeout(150);
  assert.deepEqual(timesOf(journal, 'even', 3), [0, 2, 4]);
  const batch = journal.next('even', 1_000, fitting);
  assert.ok(batch?.readings.length === 1_000);
  journal.remove(batch);
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
  for (let n = 0; n < 9_000; n++) journal.add(reading('a', n, WIDE));
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

test('what is given up again and again is one gap, and is said once', async () => {
  const journal = journalWith({ bytesMax: 2_000_000 });
  for (let n = 0; n < 40_000; n++) {
    journal.add(reading(n % 2 === 0 ? 'a' : 'b', n, WIDE));
    if (n % 5_000 === 0) await setTimeout(120);
  }
  await setTimeout(200);
  const { dropped, gaps, readings } = journal.status();
  assert.equal(dropped + readings, 40_000);
  assert.deepEqual(gaps.map(({ deviceId, fromMs }) => [deviceId, fromMs - NOW_MS]).sort(), [
    ['a', 0],
    ['b', 1],
  ]);
  assert.equal(
    gaps.reduce((sum, gap) => sum + gap.readings, 0),
    dropped,
  );
  assert.equal(said.filter((one) => one.startsWith('readings were given up')).length, 1);
  journal.stop();
  const again = journalWith();
  assert.deepEqual([again.status().dropped, again.status().gaps.length], [dropped, 2]);
  again.stop();
});

test('drops what is too old only while the time is known to be right', () => {
  const first = journalWith();
  first.add(reading('a', -73 * HOUR_MS));
  first.add(reading('a', -71 * HOUR_MS));
  first.stop();
  const journal = journalWith({ aheadMs: () => null });
  journal.trim();
  assert.equal(journal.waitingOf('a'), 2);
  journal.stop();
  const right = journalWith();
  right.trim();
  assert.deepEqual([right.status().dropped, right.waitingOf('a')], [1, 1]);
  right.stop();
});

test('a time that nobody had confirmed is corrected when the service has said its own, also after a restart', async () => {
  // The clock of the machine was a year behind at first, and was later set a day forward.
  const unconfirmed = (n: number, clockMs: number) => ({
    ...reading('a', n - 365 * 24 * HOUR_MS + clockMs),
    clockMs: clockMs - 365 * 24 * HOUR_MS,
  });
  const first = journalWith({ aheadMs: () => null });
  first.add(unconfirmed(1, 0));
  first.add(unconfirmed(2, 24 * HOUR_MS));
  first.add(reading('a', 3));
  first.add({ ...reading('a', 4), clockMs: 1_500 });
  first.stop();
  const second = journalWith({ aheadMs: () => null });
  assert.equal(timesOf(second, 'a')[0], 1 - 365 * 24 * HOUR_MS);
  second.stop();
  const third = journalWith();
  third.trim();
  // The age is that of the right time, and a difference of two seconds is not corrected.
  assert.deepEqual(timesOf(third, 'a'), [1, 2, 3, 4]);
  third.stop();
  const otherBoot = journalWith({ bootId: 'another boot' });
  assert.equal(timesOf(otherBoot, 'a')[0], 1 - 365 * 24 * HOUR_MS, 'its clock is not comparable any more');
  otherBoot.stop();
});

test('totals are there after a restart', () => {
  const journal = journalWith();
  journal.keepTotal('rain', { atMs: NOW_MS, value: 1 });
  journal.keepTotal('rain', { atMs: NOW_MS + 1, value: 2.5 });
  assert.equal(journal.totalOf('other'), null);
  journal.stop();
  const again = journalWith();
  assert.deepEqual(again.totalOf('rain'), { atMs: NOW_MS + 1, value: 2.5 });
  again.stop();
});

test('a full disk: readings wait in memory, all are delivered once, and it is over when there is space', async (t) => {
  const disk = makeSmallDisk();
  t.after(() => disk.remove());
  const journal = journalWith({ file: join(disk.folder, 'site.data', 'journal.sqlite') });
  for (let n = 0; n < 500; n++) journal.add(reading('a', n, WIDE));
  await setTimeout(150);
  disk.fill();
  for (let n = 500; n < 9_000; n++) journal.add(reading('a', n, WIDE));
  await setTimeout(1_300);
  assert.notEqual(journal.status().fault, null);
  assert.equal(journal.status().readings, 9_000);
  // The service accepts everything meanwhile; the readings cannot be deleted, and none is sent twice.
  const delivered: number[] = [];
  for (;;) {
    const batch = journal.next('a', 1_000, fitting);
    if (batch === null) break;
    delivered.push(...batch.readings.map(({ atMs }) => atMs - NOW_MS));
    journal.remove(batch);
  }
  assert.deepEqual(delivered, [...Array(9_000).keys()]);
  assert.deepEqual([journal.waitingOf('a'), journal.status().dropped], [0, 0]);
  for (let n = 9_000; n < 9_100; n++) journal.add(reading('a', n, WIDE));
  await setTimeout(100);
  assert.equal(said.filter((one) => one.startsWith('the journal cannot be written')).length, 1);
  disk.freeSpace();
  await setTimeout(1_300);
  assert.equal(journal.status().fault, null);
  assert.equal(said.filter((one) => one === 'the journal can be written again').length, 1);
  assert.deepEqual([timesOf(journal, 'a')[0], journal.waitingOf('a')], [9_000, 100]);
  journal.stop();
});

test('a disk that is full at the start: the bridge starts, and the journal is used when there is space', async (t) => {
  const disk = makeSmallDisk();
  t.after(() => disk.remove());
  disk.fill();
  const file = join(disk.folder, 'site.data', 'journal.sqlite');
  const journal = journalWith({ file });
  journal.add(reading('a', 1));
  await setTimeout(1_300);
  assert.deepEqual(timesOf(journal, 'a'), [1], 'it can be sent');
  disk.freeSpace();
  await setTimeout(1_300);
  assert.equal(journal.status().fault, null);
  journal.stop();
  const again = journalWith({ file });
  assert.deepEqual(timesOf(again, 'a'), [1]);
  again.stop();
});

test('of more than fits in memory the oldest are given up', async (t) => {
  const disk = makeSmallDisk();
  t.after(() => disk.remove());
  disk.fill();
  const journal = journalWith({ file: join(disk.folder, 'site.data', 'journal.sqlite') });
  for (let n = 0; n < 25_000; n++) journal.add(reading(`device-${n % 10}`, n));
  const { readings, dropped, gaps } = journal.status();
  assert.ok(readings <= 20_000 && readings + dropped === 25_000, `${readings} ${dropped}`);
  assert.equal(gaps.length, 10);
  assert.equal(said.filter((one) => one.startsWith('readings were given up')).length, 1);
  disk.freeSpace();
  journal.stop();
});

test('a file that is damaged while it is used is put aside, and what comes later is kept', async () => {
  const file = join(folder, 'journal.sqlite');
  const first = journalWith();
  for (let n = 0; n < 2_000; n++) first.add(reading('a', n, WIDE));
  first.stop();
  const journal = journalWith();
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(statSync(file).size - 8_192, 0x55), 0, undefined, 8_192);
  closeSync(handle);
  journal.next('a', 1_000, fitting);
  journal.add(reading('a', 9_000));
  await setTimeout(1_300);
  assert.deepEqual(timesOf(journal, 'a'), [9_000]);
  assert.equal(journal.status().fault, null);
  assert.ok(readdirSync(folder).some((name) => name.includes('.damaged-')));
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
