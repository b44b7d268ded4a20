import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cableInput, cableYear, randomOf } from '@granary/testing/core/cable-year';
import fc from 'fast-check';
import { type CableInput, type CablePoint, type CableResult, hotSpots, levelM } from './hot-spots.ts';

const YEARS = 6;
const MONTH_DAYS = 365 / 12;
const TODAY = 13;

/** A silo that is filled up to the ninth of twelve points, after two quiet weeks. */
function quietCable(temperature: (point: number, day: number) => number = () => 12): CableInput {
  const daysOf = (point: number): CablePoint['days'] =>
    Array.from({ length: TODAY + 1 }, (_, day) => {
      const meanC = temperature(point, day);
      const half = point > 9 ? 6 : 0.2;
      return { day, meanC, minC: meanC - half, maxC: meanC + half };
    });
  const points = Array.from({ length: 12 }, (_, index) => ({
    id: `p${index + 1}`,
    cable: 1,
    point: index + 1,
    heightM: index + 0.5,
    days: daysOf(index + 1),
  }));
  return { day: TODAY, points, levelM: 9, outside: [], disturbedOn: null, known: [] };
}

const hotPoints = ({ points }: CableResult): readonly number[] =>
  points.filter(({ severity }) => severity !== null).map(({ point }) => point);
/** A course in which the fifth point warms by 0.5 °C a day in the last six days. */
const heating = (point: number, day: number): number => 12 + (point === 5 ? 0.5 * Math.max(0, day - 7) : 0);

describe('hot spots on a cable', () => {
  it('tells the points in grain from those above it', () => {
    const { points, status } = hotSpots(quietCable());
    assert.equal(status, 'watched');
    assert.deepEqual(
      points.map(({ state }) => state),
      [...Array(9).fill('covered'), ...Array(3).fill('uncovered')],
    );
    const inFog = {
      ...quietCable(),
      points: quietCable().points.map((point) => ({ ...point, days: calm(point) })),
    };
    assert.equal(hotSpots(inFog).points[3]?.state, 'covered', 'by the level');
    assert.equal(hotSpots({ ...inFog, levelM: null }).points[3]?.state, 'unknown');
    assert.equal(hotSpots({ ...quietCable(), levelM: 4 }).points[7]?.state, 'uncovered', 'above the level');
  });

  const calm = ({ days }: CablePoint): CablePoint['days'] =>
    days.map(({ day, meanC }) => ({ day, meanC, minC: meanC - 0.5, maxC: meanC + 0.5 }));

  it('takes the weather at the surface for no front, and a fall inside for one', () => {
    const fallsAt = (wanted: number) => quietCable((point, day) => (point === wanted && day > 11 ? 9 : 12));
    assert.equal(hotSpots(fallsAt(9)).status, 'watched');
    assert.equal(hotSpots(fallsAt(5)).status, 'settling');
  });

  it('knows the height of the surface from the weight', () => {
    const heights = Array.from({ length: 12 }, (_, index) => index + 0.5);
    assert.deepEqual(
      [0, 0.5, 1, 7].map((share) => levelM(share, heights)),
      [0, 6, 12, 12],
    );
    assert.equal(levelM(0.5, [3]), null);
  });

  it('finds the point that heats itself, and says how serious it is', () => {
    assert.deepEqual(hotPoints(hotSpots(quietCable(heating))), [5]);
    const found = hotSpots(quietCable(heating)).points[4];
    assert.equal(found?.severity, 'warning');
    assert.equal(found?.aboveNeighboursC, 3);
    assert.equal(found?.slopeCPerDay, 0.5);
    const fast = hotSpots(quietCable((point, day) => (point === 5 ? 12 + 1.2 * Math.max(0, day - 8) : 12)));
    assert.equal(fast.points[4]?.severity, 'critical', 'more than a degree a day');
    const old = hotSpots(quietCable((point) => (point === 5 ? 41 : 22)));
    assert.equal(old.points[4]?.severity, 'critical', 'hot, though it warms no more');
  });

  it('does not take layers, a slower cooling or the seasons for one', () => {
    assert.deepEqual(hotPoints(hotSpots(quietCable((point) => (point > 5 ? 24 : 9)))), [], 'two layers');
    const cooled = quietCable((point, day) => (point === 5 ? 20 : 20 - 0.5 * day));
    assert.deepEqual(hotPoints(hotSpots(cooled)), [], 'one point is not cooled');
    const spring = quietCable((point, day) => 5 + (point >= 9 ? 0.5 * day : 0));
    assert.deepEqual(hotPoints(hotSpots(spring)), [], 'the surface follows the air');
  });

  it('waits until grain that was filled or aerated has settled', () => {
    const filled = hotSpots({ ...quietCable(heating), disturbedOn: TODAY - 2 });
    assert.deepEqual([filled.status, hotPoints(filled)], ['settling', []]);
    const front = quietCable((point, day) => heating(point, day) - (point === 2 && day >= TODAY - 1 ? 6 : 0));
    assert.equal(hotSpots(front).status, 'settling', 'a front of cold air that nobody told of');
  });

  it('keeps a known hot spot until it is about as warm as its neighbours', () => {
    const level = quietCable((point) => (point === 5 ? 14 : 12));
    assert.deepEqual(hotPoints(hotSpots(level)), []);
    assert.deepEqual(hotPoints(hotSpots({ ...level, known: ['p5'] })), [5]);
    assert.deepEqual(hotPoints(hotSpots({ ...quietCable(), known: ['p5'] })), []);
  });

  it('sees moisture migrate to the top while the air is much colder', () => {
    const outside = Array.from({ length: TODAY + 1 }, (_, day) => ({ day, meanC: 0, minC: -2, maxC: 2 }));
    const warmTop = quietCable((point) => (point > 6 ? 16 : 13));
    assert.equal(hotSpots({ ...warmTop, outside }).isMoistureMigrating, true);
    assert.equal(hotSpots(warmTop).isMoistureMigrating, false, 'the air outside is not known');
  });

  it('accepts every input', () => {
    const temperature = fc.record({
      day: fc.integer({ min: -5, max: 20 }),
      meanC: fc.double(),
      minC: fc.double(),
      maxC: fc.double(),
    });
    const point = fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      cable: fc.integer({ min: 1, max: 2 }),
      point: fc.integer({ min: 1, max: 5 }),
      heightM: fc.option(fc.double()),
      days: fc.array(temperature, { maxLength: 20 }),
    });
    const input = fc.record({
      day: fc.integer({ min: -5, max: 20 }),
      points: fc.array(point, { maxLength: 6 }),
      levelM: fc.option(fc.double()),
      outside: fc.array(temperature, { maxLength: 5 }),
      disturbedOn: fc.option(fc.integer({ min: -5, max: 25 })),
      known: fc.array(fc.constantFrom('a', 'b')),
    });
    fc.assert(fc.property(input, (one) => assert.equal(hotSpots(one).points.length, one.points.length)));
  });
});

describe('hot spots in years with harvests, sales, fans and seasons', () => {
  it('are not found where there are none: at most 0.02 a month', () => {
    let found = 0;
    for (let seed = 1; seed <= YEARS; seed += 1) {
      const year = cableYear({ seed, tellsFans: seed % 2 === 0, resolutionC: seed % 3 === 0 ? 0.5 : 0.0625 });
      let known: readonly string[] = [];
      for (let day = 14; day < 365; day += 1) {
        const hot = hotSpots(cableInput(year, day, known)).points.filter(({ severity }) => severity !== null);
        found += hot.filter(({ id }) => !known.includes(id)).length;
        known = hot.map(({ id }) => id);
      }
    }
    assert.ok(found <= (0.02 * YEARS * (365 - 14)) / MONTH_DAYS, `${found} in ${YEARS} years`);
  });

  it('of 0.5 °C a day are found within six days, before they are four degrees', () => {
    const late: string[] = [];
    let tried = 0;
    for (let seed = 100; tried < 25; seed += 1) {
      const options = { seed, tellsFans: seed % 2 === 0, resolutionC: seed % 3 === 0 ? 0.5 : 0.0625 };
      const quiet = cableYear(options);
      const random = randomOf(seed);
      const fromDay = 30 + Math.floor(300 * random());
      const isDisturbed = [...quiet.disturbances, ...quiet.fanDays].some(
        (day) => day > fromDay - 10 && day < fromDay + 7,
      );
      const surface = Math.floor((quiet.levels[fromDay] ?? 0) - 0.5);
      if (isDisturbed || surface < 4) continue;
      tried += 1;
      const point = 1 + Math.floor((surface - 2) * random());
      const heated = cableYear({ ...options, hotSpot: { point, fromDay, perDayC: 0.5 } });
      const isFound = hotPoints(hotSpots(cableInput(heated, fromDay + 5))).includes(point + 1);
      if (!isFound) late.push(`seed ${seed}, point ${point + 1}`);
    }
    assert.ok(late.length <= 1, `not found in time: ${late.join('; ')}`);
  });
});
