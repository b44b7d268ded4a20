import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { WAYPOINTS_MAX } from '@granary/contract/missions';
import {
  type Draft,
  EMPTY_DRAFT,
  hasStart,
  legFaults,
  missionOf,
  withChange,
  withOrder,
  withoutWaypoint,
  withWaypoint,
} from './mission-draft.ts';
import { LatestOnly } from './use-preflight.ts';

const drawn = (count: number): Draft =>
  Array.from({ length: count }, (_, index) => ({ lat: 52 + index, lng: 8 })).reduce(
    withWaypoint,
    EMPTY_DRAFT,
  );
const order = ({ waypoints }: Draft): number[] => waypoints.map(({ id }) => id);

describe('a drawn mission', () => {
  test('waypoints are added at the end, selected, and do what the one before does', () => {
    const [first] = drawn(1).waypoints;
    const changed = withChange(drawn(1), first?.id ?? 0, { action: 'photograph', waitSeconds: 5 });
    const { waypoints, selectedId } = withWaypoint(changed, { lat: 52.123456789, lng: 8 });
    assert.deepEqual(waypoints[1], {
      id: 2,
      lat: 52.1234568,
      lng: 8,
      action: 'photograph',
      altitude: null,
      waitSeconds: 5,
    });
    assert.equal(selectedId, 2);
  });

  test('no more waypoints are added than a mission may have', () => {
    const full = drawn(WAYPOINTS_MAX);
    assert.equal(withWaypoint(full, { lat: 1, lng: 1 }), full);
  });

  test('waypoints are reordered and removed', () => {
    assert.deepEqual(order(withOrder(drawn(3), 3, 0)), [3, 1, 2]);
    assert.deepEqual(order(withOrder(drawn(3), 1, 2)), [2, 3, 1]);
    assert.deepEqual(order(withOrder(drawn(3), 1, 99)), [2, 3, 1]);
    assert.deepEqual(order(withOrder(drawn(3), 2, -1)), [2, 1, 3]);
    assert.deepEqual(order(withOrder(drawn(2), 7, 0)), [1, 2]);
    assert.deepEqual(order(withoutWaypoint(drawn(3), 2)), [1, 3]);
  });

  test('becomes a request, with only what was given', () => {
    const draft = withChange(drawn(2), 2, { altitude: 120, waitSeconds: 0 });
    assert.deepEqual(missionOf({ ...draft, name: '  ' }, 'Mission'), {
      mission_name: 'Mission',
      waypoints: [
        { lat: 52, lng: 8, action: 'scan' },
        { lat: 53, lng: 8, action: 'scan', altitude: 120, wait_seconds: 0 },
      ],
    });
    const later = missionOf({ ...draft, name: 'Round', startsAt: '2026-11-16T08:00Z' }, '');
    assert.equal(later.scheduled_start, '2026-11-16T08:00:00.000Z');
  });

  test('has no start while its time is not complete', () => {
    const starts = [null, '2026-11-16T08:00Z', '', '2026-11-', '2026-99-99T08:00Z'];
    assert.deepEqual(
      starts.map((startsAt) => hasStart({ ...EMPTY_DRAFT, startsAt })),
      [true, true, false, false, false],
    );
  });
});

describe('the faults of legs', () => {
  const leg = (battery: number) => ({ distance_m: 1, duration_s: 1, battery });
  const preflight = {
    distance_m: 2,
    duration_s: 2,
    return_distance_m: 1,
    battery_required: 60,
    battery_available: 50,
    battery_reserve: 20,
    legs: [leg(20), leg(20), leg(1)],
  };

  test('waypoints that the refusal names', () => {
    const details = [{ path: '/waypoints/1', message: 'lies outside the geofence' }];
    const faults = legFaults({
      preflight,
      refusal: {
        code: 'outside_geofence',
        message: '',
        message_code: 'waypoint_outside_fence',
        message_values: { waypoint: 1 },
        details,
      },
      warnings: [],
    });
    assert.deepEqual([...faults.waypoints], [[1, 'outside']]);
    assert.equal(faults.isWayBackTooFar, false);
  });

  test('legs from where the battery is used up', () => {
    const details = [{ path: '/waypoints', message: 'it needs more' }];
    const faults = legFaults({
      preflight,
      refusal: { code: 'mission_infeasible', message: '', details },
      warnings: [],
    });
    assert.deepEqual([[...faults.tooFar], faults.waypoints.size, faults.isWayBackTooFar], [[1, 2], 0, true]);
  });

  test('none where the mission would be accepted', () => {
    const { waypoints, tooFar, isWayBackTooFar } = legFaults({ preflight, refusal: null, warnings: [] });
    assert.deepEqual([waypoints.size, tooFar.size, isWayBackTooFar], [0, 0, false]);
  });
});

test('of the works that are wanted while one runs only the newest runs next', async () => {
  const latest = new LatestOnly(0);
  const done: number[] = [];
  const running = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<void>();
  latest.run(async () => {
    await running.promise;
    done.push(1);
  });
  latest.run(async () => void done.push(2));
  latest.run(async () => {
    done.push(3);
    finished.resolve();
  });
  running.resolve();
  await finished.promise;
  assert.deepEqual(done, [1, 3]);
});
