import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DRONE_UNIT, ROVER_UNIT, START_MS } from '@granary/testing/simulator/field';
import fc from 'fast-check';
import { bodyAtHome, type RoverBody } from './chassis.ts';
import { type Course, drive, isAirborne, isAt, placeAt, type Vehicle } from './drive.ts';
import { apartM, type Place, type PlanePoint, surfaceM, turnDegrees } from './ground.ts';

const STEP_S = 0.1;
const STEPS_MAX = 20_000;
const FAST = { speedMSMax: 100, isEmergency: false };
const STOP: Course = { target: null, ...FAST };

const atHome = ({ ground }: Vehicle): RoverBody => bodyAtHome(ground, START_MS);

/** The body after each step to the target. */
function wayTo(vehicle: Vehicle, from: RoverBody, target: Place, course: Partial<Course> = {}): RoverBody[] {
  const way = [from];
  for (let body = from; !isAt(body, target); way.push(body)) {
    assert.ok(way.length < STEPS_MAX, 'it never gets there');
    body = drive(vehicle, body, { ...FAST, target, ...course }, STEP_S);
  }
  return way;
}

const offLineM = (to: PlanePoint, body: RoverBody): number =>
  Math.abs(to.eastM * body.northM - to.northM * body.eastM) / Math.max(1e-9, Math.hypot(to.eastM, to.northM));

const spots = fc.record({
  eastM: fc.double({ min: -500, max: 500, noNaN: true }),
  northM: fc.double({ min: -500, max: 500, noNaN: true }),
});

for (const vehicle of [ROVER_UNIT, DRONE_UNIT]) {
  const { id, chassis, ground } = vehicle;

  test(`${id} gets everywhere in a straight line, and never moves or turns faster than it can`, () => {
    fc.assert(
      fc.property(spots, fc.double({ min: 0.5, max: 20, noNaN: true }), (spot, speedMSMax) => {
        const target = placeAt(vehicle, atHome(vehicle), spot, null);
        const limitMS = Math.min(chassis.speedMS, speedMSMax);
        let before = atHome(vehicle);
        for (const body of wayTo(vehicle, before, target, { speedMSMax })) {
          assert.ok(offLineM(target, body) < 0.1, 'off the line');
          assert.ok(body.speedMS <= limitMS + 1e-9, `${body.speedMS} m/s`);
          assert.ok(apartM(before, body) <= limitMS * STEP_S + 1e-6);
          const turned = Math.abs(turnDegrees(before.headingDegrees, body.headingDegrees));
          assert.ok(turned <= chassis.turnDegreesPerS * STEP_S + 1, `turned ${turned}°`);
          assert.ok(body.altitudeM >= surfaceM(ground, body));
          before = body;
        }
      }),
      { numRuns: 40 },
    );
  });

  test(`${id} comes to a stand within its braking distance, and stays there`, () => {
    fc.assert(
      fc.property(spots, fc.nat(300), fc.boolean(), (spot, steps, isEmergency) => {
        const target = placeAt(vehicle, atHome(vehicle), spot, null);
        const way = wayTo(vehicle, atHome(vehicle), target);
        const from = way[Math.min(steps, way.length - 1)] ?? assert.fail();
        const brakingMS2 = isEmergency ? chassis.emergencyMS2 : chassis.brakingMS2;
        let body = from;
        for (let left = 100; left > 0; left--) body = drive(vehicle, body, { ...STOP, isEmergency }, STEP_S);
        assert.equal(body.speedMS, 0);
        const reachM = from.speedMS ** 2 / (2 * brakingMS2) + from.speedMS * STEP_S;
        assert.ok(apartM(from, body) <= reachM);
        assert.deepEqual(drive(vehicle, body, STOP, STEP_S), body);
      }),
      { numRuns: 40 },
    );
  });
}

test('a rover stays on the ground, whatever altitude it is sent', () => {
  const target = placeAt(ROVER_UNIT, atHome(ROVER_UNIT), { eastM: 80, northM: 30 }, 500);
  for (const body of wayTo(ROVER_UNIT, atHome(ROVER_UNIT), target)) {
    assert.ok(!isAirborne(ROVER_UNIT, body));
  }
});

test('a drone rises before it sets out, and lands at the end', () => {
  const spot = { eastM: 80, northM: 30 };
  const target = placeAt(DRONE_UNIT, atHome(DRONE_UNIT), spot, 0);
  const way = wayTo(DRONE_UNIT, atHome(DRONE_UNIT), target);
  const travelling = way.filter(({ speedMS }) => speedMS > 0);
  assert.ok(travelling.every((body) => body.altitudeM > surfaceM(DRONE_UNIT.ground, body) + 12));
  assert.ok(!isAirborne(DRONE_UNIT, way.at(-1) ?? assert.fail()));
});

test('thirty metres with two turns take a rover less than twenty seconds', () => {
  const half = placeAt(ROVER_UNIT, atHome(ROVER_UNIT), { eastM: 10, northM: 0 }, null);
  const there = wayTo(ROVER_UNIT, atHome(ROVER_UNIT), half);
  const last = there.at(-1) ?? assert.fail();
  const on = wayTo(ROVER_UNIT, last, placeAt(ROVER_UNIT, last, { eastM: 10, northM: 20 }, null));
  assert.ok((there.length + on.length) * STEP_S < 20);
});
