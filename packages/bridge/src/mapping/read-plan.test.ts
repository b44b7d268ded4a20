import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Point } from './mapping.ts';
import type { ModbusPlace, ModbusSettings } from './modbus-place.ts';
import { readMapping } from './read-mapping.ts';
import { groupMs, type PlannedRead, planReads, readsOf } from './read-plan.ts';
import type { ValueRules } from './value.ts';

const SETTINGS: ModbusSettings = {
  functions: { coil: 1, discrete: 2, holding: 3, input: 4 },
  registersMax: 125,
  bitsMax: 2_000,
  gap: 0,
  forbidden: [],
  timeoutMs: 1_000,
  pauseMs: 0,
  pauseAfterConnectMs: 0,
};

const point = (at: number, width = 1): Point<ModbusPlace> => ({
  name: `p${at}_${width}`,
  sensor: null,
  kind: null,
  decimals: null,
  everyMs: 1_000,
  doc: null,
  rules: {} as ValueRules,
  place: { table: 'holding', at, width, type: 'u16', order: 'ABCD', mask: null, isAlone: false },
});

const shape = (reads: readonly PlannedRead[]) => reads.map(({ at, count }) => [at, count]);

test('1,000 adjacent registers are read in 8 requests, and in 32 of a device that allows 32 registers', () => {
  const points = Array.from({ length: 1_000 }, (_, at) => point(at));
  assert.equal(readsOf(points, points, SETTINGS).length, 8);
  assert.equal(readsOf(points, points, { ...SETTINGS, registersMax: 32 }).length, 32);
});

test('12 cables of 24 points are read in 3 requests', () => {
  const points = Array.from({ length: 12 * 24 }, (_, at) => point(200 + at));
  assert.equal(readsOf(points, points, SETTINGS).length, 3);
});

test('a value of several registers is never divided', () => {
  const points = Array.from({ length: 100 }, (_, index) => point(2 * index, 2));
  const reads = readsOf(points, points, { ...SETTINGS, registersMax: 31 });
  assert.ok(reads.every(({ count }) => count <= 30));
  assert.equal(reads.flatMap((read) => read.points).length, 100);
});

test('gaps are read up to the limit, forbidden ranges never, and what the mapping names is no gap', () => {
  const points = [point(0), point(5), point(6)];
  assert.deepEqual(shape(readsOf(points, points, { ...SETTINGS, gap: 3 })), [
    [0, 1],
    [5, 2],
  ]);
  assert.deepEqual(shape(readsOf(points, points, { ...SETTINGS, gap: 4 })), [[0, 7]]);
  assert.deepEqual(shape(readsOf(points, points, { ...SETTINGS, gap: 4, forbidden: [[3, 3]] })), [
    [0, 1],
    [5, 2],
  ]);
  const between = [1, 2, 3, 4].map((at) => point(at));
  assert.deepEqual(shape(readsOf(points, [...points, ...between], SETTINGS)), [[0, 7]]);
  // Each gap is compared with the limit separately.
  const ends = [point(0), point(6)];
  assert.deepEqual(shape(readsOf(ends, [...ends, point(3)], { ...SETTINGS, gap: 2 })), [[0, 7]]);
});

test('bits have a limit of their own', () => {
  const bits = Array.from({ length: 2_100 }, (_, at) => ({
    ...point(at),
    place: { ...point(at).place, table: 'coil' as const, type: 'bit' as const },
  }));
  assert.deepEqual(shape(readsOf(bits, bits, SETTINGS)), [
    [0, 2_000],
    [2_000, 100],
  ]);
});

test('a point that wants a request of its own gets one', () => {
  const alone = { ...point(1), place: { ...point(1).place, isAlone: true } };
  const points = [point(0), alone, point(2)];
  assert.deepEqual(shape(readsOf(points, points, { ...SETTINGS, gap: 1 })), [
    [0, 3],
    [1, 1],
  ]);
});

/** Returns the smallest number of requests, by trying every set of points that one request could read. */
function fewest(points: readonly Point<ModbusPlace>[], settings: ModbusSettings): number {
  const named = new Set(
    points.flatMap(({ place }) => Array.from({ length: place.width }, (_, i) => place.at + i)),
  );
  const isAllowed = (first: number, end: number): boolean => {
    if (end - first > settings.registersMax) return false;
    let unknown = 0;
    for (let address = first; address < end; address += 1) {
      const isNamed = named.has(address);
      // A forbidden register that a point names is read, because the mapping itself demands it.
      if (settings.forbidden.some(([from, to]) => address >= from && address <= to)) return false;
      unknown = isNamed ? 0 : unknown + 1;
      if (unknown > settings.gap) return false;
    }
    return true;
  };
  const blocks: number[] = [];
  for (const { place: one } of points) {
    for (const { place: other } of points) {
      const end = other.at + other.width;
      if (one.at >= end || !isAllowed(one.at, end)) continue;
      let members = 0;
      for (const [index, { place }] of points.entries())
        if (place.at >= one.at && place.at + place.width <= end) members |= 1 << index;
      blocks.push(members);
    }
  }
  const all = (1 << points.length) - 1;
  const best = new Array<number>(all + 1).fill(Number.POSITIVE_INFINITY);
  best[0] = 0;
  for (let covered = 0; covered <= all; covered += 1) {
    for (const block of blocks) {
      const next = covered | block;
      best[next] = Math.min(best[next] ?? 0, (best[covered] ?? 0) + 1);
    }
  }
  return best[all] ?? 0;
}

test('no plan has fewer requests than ours, and ours keeps the limits', () => {
  const places = fc.uniqueArray(
    fc.record({ at: fc.integer({ min: 0, max: 30 }), width: fc.constantFrom(1, 2, 4) }),
    { minLength: 1, maxLength: 8, selector: ({ at, width }) => `${at}/${width}` },
  );
  const limits = fc.record({
    registersMax: fc.integer({ min: 4, max: 12 }),
    gap: fc.integer({ min: 0, max: 5 }),
    forbidden: fc.integer({ min: 0, max: 40 }),
  });
  fc.assert(
    fc.property(places, limits, (list, { registersMax, gap, forbidden }) => {
      const points = list
        .map(({ at, width }) => point(at, width))
        .filter(({ place }) => forbidden < place.at || forbidden >= place.at + place.width);
      const settings = { ...SETTINGS, registersMax, gap, forbidden: [[forbidden, forbidden] as const] };
      const reads = readsOf(points, points, settings);
      assert.equal(reads.length, points.length === 0 ? 0 : fewest(points, settings));
      assert.deepEqual(new Set(reads.flatMap((read) => read.points)), new Set(points));
      for (const { at, count, points: members } of reads) {
        assert.ok(count <= registersMax && (forbidden < at || forbidden >= at + count));
        assert.ok(members.every(({ place }) => place.at >= at && place.at + place.width <= at + count));
      }
    }),
    { numRuns: 2_000 },
  );
});

const MAPPING = `
mapping: scale
version: 1
title: A scale
source: this test
evidence: documented
protocol: modbus
points:
  status: {at: 6, type: bits, bits: {0: fault}, every: 10s}
  weight: {at: 0, type: i32, unit: kg, sensor: weight, every: 1s, bad_when: [status.fault]}
  cable: {at: 200, count: 24, type: i16, unit: °C, scale: 0.1, sensor: "cable1_{n}", every: 60s}
`;

test('what decides about a point is read together with it, in whichever period it is', () => {
  const outcome = readMapping(MAPPING);
  assert.ok('mapping' in outcome && outcome.mapping.protocol === 'modbus');
  const groups = planReads(outcome.mapping);
  assert.deepEqual(
    groups.map(({ everyMs, points, reads }) => [everyMs, points.length, shape(reads)]),
    [
      [
        1_000,
        1,
        [
          [0, 2],
          [6, 1],
        ],
      ],
      [10_000, 1, [[6, 1]]],
      [60_000, 24, [[200, 24]]],
    ],
  );
  assert.deepEqual(
    planReads(outcome.mapping, 200).map(({ everyMs }) => everyMs),
    [200, 10_000, 60_000],
  );
  // If the site file asks every 30 s, the cable is not asked more often.
  assert.deepEqual(
    planReads(outcome.mapping, 30_000).map(({ everyMs, points }) => [everyMs, points.length]),
    [
      [30_000, 2],
      [60_000, 24],
    ],
  );
});

test('the time on the line follows from the bytes and the speed', () => {
  const points = Array.from({ length: 1_000 }, (_, at) => point(at));
  const group = { everyMs: 10_000, points, reads: readsOf(points, points, SETTINGS) };
  assert.equal(groupMs(group, { roundTripMs: 5 }, SETTINGS), 40);
  const [first] = group.reads;
  assert.ok(first !== undefined);
  const slow = groupMs({ ...group, reads: [first] }, { baud: 9_600 }, SETTINGS);
  assert.ok(slow > 300 && slow < 330, String(slow));
  const all = groupMs(group, { baud: 9_600 }, SETTINGS);
  assert.ok(all > 2_400 && all < 2_650, String(all));
});
