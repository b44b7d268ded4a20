import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ErrorCode, Refusal } from '@granary/contract/errors';
import type { Mission } from '@granary/contract/missions';
import { HOUR_MS, MINUTE_MS, SECOND_MS, toIso } from '@granary/contract/time';
import { beginCommand } from '../../commands/state.ts';
import { initialFieldConfiguration } from '../../configuration/field-configuration.ts';
import { NEVER_SEEN } from '../../devices/status.ts';
import { READING_AGE_MS_MAX } from '../../operations/interlocks.ts';
import { beginMission, type MissionState } from '../state.ts';
import {
  type FieldDeviceAtMission,
  PAST_START_MS_MAX,
  planMission,
  previewMission,
  START_AHEAD_MS_MAX,
  START_TOLERANCE_MS,
} from './plan.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');

const latest = {
  latitude: { value: 52_0010000, tsMs: NOW_MS },
  longitude: { value: 13_0010000, tsMs: NOW_MS },
  battery_level: { value: 90_000, tsMs: NOW_MS },
};
const device: FieldDeviceAtMission = {
  presence: { ...NEVER_SEEN, lastSeenAtMs: NOW_MS, linkDownAtMs: null, reportedState: 'online' },
  configuration: {
    ...initialFieldConfiguration(NOW_MS),
    base: { latitude: 52.001, longitude: 13.001, altitude: 0 },
  },
  latest,
  commands: [],
  isReachable: true,
  missions: [],
};
const mission: Mission = {
  mission_name: 'round',
  waypoints: [
    { lat: 52.002, lng: 13.001, action: 'scan' },
    { lat: 52.002, lng: 13.002, action: 'none' },
  ],
};
const startingIn = (ms: number): Mission => ({ ...mission, scheduled_start: toIso(NOW_MS + ms) });
const later = startingIn(MINUTE_MS);

const refusalOf = (request: Mission, change: Partial<FieldDeviceAtMission> = {}): Refusal | null => {
  try {
    planMission(request, { ...device, ...change }, NOW_MS);
    return null;
  } catch (error) {
    assert.ok(error instanceof Refusal);
    return error;
  }
};

/** An L shape around the waypoints: a square without its upper right quarter. */
const ELL = [
  { lat: 52, lng: 13 },
  { lat: 52, lng: 13.02 },
  { lat: 52.01, lng: 13.02 },
  { lat: 52.01, lng: 13.01 },
  { lat: 52.02, lng: 13.01 },
  { lat: 52.02, lng: 13 },
];
const configured = (change: object) => ({ configuration: { ...device.configuration, ...change } });
const fenced = configured({ geofence: ELL });
const through = (...points: readonly (readonly [number, number])[]): Mission => ({
  ...mission,
  waypoints: points.map(([lat, lng]) => ({ lat, lng, action: 'none' })),
});
const offline = { isReachable: false };
const stop = beginCommand(
  { commandId: 'cmd_1', deviceNo: 1, request: { command: 'emergency_stop' } },
  NOW_MS,
);
const inMaintenance = { presence: { ...device.presence, reportedState: 'maintenance' as const } };
const without = (channel: keyof typeof latest) => {
  const { [channel]: _, ...rest } = latest;
  return { latest: rest };
};
const aged = (channel: keyof typeof latest) => ({
  latest: { ...latest, [channel]: { ...latest[channel], tsMs: NOW_MS - READING_AGE_MS_MAX - 1 } },
});

const plannedIn = (ms: number, change: Partial<MissionState> = {}) => {
  const plan = planMission(startingIn(ms), device, NOW_MS);
  const other = beginMission({ missionId: 'ms_1', deviceNo: 1, name: 'other', plan }, NOW_MS);
  return { missions: [{ ...other, ...change }] };
};
const { busyMs } = planMission(mission, device, NOW_MS);
const underWay = { status: 'in_progress' } as const;
const late = {
  missions: plannedIn(0, underWay).missions.map((other) => ({
    ...other,
    plan: { ...other.plan, startAtMs: 0 },
  })),
};

const TABLE: readonly (readonly [string, Mission, Partial<FieldDeviceAtMission>, ErrorCode | 'accepted'])[] =
  [
    ['now', mission, {}, 'accepted'],
    ['a little late', startingIn(-PAST_START_MS_MAX), {}, 'accepted'],
    ['in the past', startingIn(-PAST_START_MS_MAX - 1), {}, 'invalid_input'],
    ['in a year', startingIn(START_AHEAD_MS_MAX), {}, 'accepted'],
    ['in more than a year', startingIn(START_AHEAD_MS_MAX + 1), {}, 'invalid_input'],
    ['now, offline', mission, offline, 'device_offline'],
    ['later, offline', later, offline, 'accepted'],
    ['now, stopped', mission, { commands: [stop] }, 'emergency_stop_active'],
    ['later, stopped', later, { commands: [stop] }, 'emergency_stop_active'],
    ['now, in maintenance', mission, inMaintenance, 'device_in_maintenance'],
    ['later, in maintenance', later, inMaintenance, 'accepted'],
    ['from an old place', mission, aged('latitude'), 'reading_stale'],
    ['with an old battery level', mission, aged('battery_level'), 'reading_stale'],
    ['later, from an old place', later, aged('longitude'), 'accepted'],
    ['from nowhere', later, without('latitude'), 'reading_stale'],
    ['without a battery level', later, without('battery_level'), 'reading_stale'],
    [
      'from an impossible place',
      later,
      { latest: { ...latest, latitude: { value: 91e7, tsMs: NOW_MS } } },
      'reading_stale',
    ],
    ['during another', mission, plannedIn(0, underWay), 'mission_in_progress'],
    ['before another ends', startingIn(busyMs - SECOND_MS), plannedIn(0, underWay), 'mission_in_progress'],
    ['when another should be over', startingIn(busyMs), plannedIn(0, underWay), 'accepted'],
    ['while a late one runs', mission, late, 'mission_in_progress'],
    ['into one that is planned', mission, plannedIn(busyMs - SECOND_MS), 'mission_in_progress'],
    ['before one that is planned', mission, plannedIn(busyMs), 'accepted'],
    ['after one that is over', mission, plannedIn(0, { status: 'failed', endedAtMs: NOW_MS }), 'accepted'],
    ['inside the fence', mission, fenced, 'accepted'],
    ['outside the fence', through([52.002, 13.001], [52.015, 13.015]), fenced, 'outside_geofence'],
    ['around a corner of the fence', through([52.005, 13.019], [52.019, 13.005]), fenced, 'outside_geofence'],
    [
      'around a corner, in two legs',
      through([52.005, 13.019], [52.005, 13.005], [52.019, 13.005]),
      fenced,
      'accepted',
    ],
    [
      'home around a corner',
      through([52.002, 13.019], [52.009, 13.019]),
      {
        ...fenced,
        ...configured({ geofence: ELL, base: { latitude: 52.019, longitude: 13.009, altitude: 0 } }),
      },
      'outside_geofence',
    ],
    ['too far', through([53, 13]), {}, 'mission_infeasible'],
    [
      'with a low battery',
      mission,
      { latest: { ...latest, battery_level: { value: 20_000, tsMs: NOW_MS } } },
      'mission_infeasible',
    ],
  ];

describe('a mission', () => {
  for (const [name, request, change, expected] of TABLE) {
    it(`${name}: ${expected}`, () => assert.equal(refusalOf(request, change)?.code ?? 'accepted', expected));
  }

  it('is planned with distance, duration and battery use', () => {
    const plan = planMission(later, device, NOW_MS);
    assert.equal(plan.startAtMs, NOW_MS + MINUTE_MS);
    assert.equal(plan.expiresAtMs, plan.startAtMs + START_TOLERANCE_MS);
    assert.equal(plan.linkLossAction, 'hold');
    assert.deepEqual(plan.waypoints, mission.waypoints);
    assert.equal(plan.preflight.legs.length, 2);
    assert.equal(plan.preflight.battery_available, 90);
    assert.ok(plan.busyMs > plan.preflight.duration_s * SECOND_MS);
  });

  it('that is infeasible is refused with the numbers', () => {
    const message = refusalOf(through([53, 13]))?.message ?? '';
    assert.match(message, /needs \d+(\.\d+)? % .* 111\d{3}(\.\d+)? m .* 20 % in reserve; there is 90 %/);
  });

  it('that leaves the fence is refused with the waypoints that do', () => {
    const outside = refusalOf(through([52.015, 13.015], [52.002, 13.001], [53, 13]), fenced);
    assert.deepEqual(
      outside?.details?.map(({ path }) => path),
      ['/waypoints/0', '/waypoints/2'],
    );
    const around = refusalOf(through([52.005, 13.019], [52.019, 13.005], [52.018, 13.005]), fenced);
    assert.deepEqual(
      around?.details?.map(({ path }) => path),
      ['/waypoints/1'],
    );
  });

  it('may begin outside the fence and enter it', () => {
    const away = { latest: { ...latest, latitude: { value: 51_9990000, tsMs: NOW_MS } } };
    assert.equal(refusalOf(mission, { ...fenced, ...away }), null);
  });
});

describe('the preview of a mission', () => {
  for (const [name, request, change, expected] of TABLE) {
    it(`${name}: ${expected}, with the words of the refusal`, () => {
      const { mission_name, ...preview } = request;
      const { refusal } = previewMission(preview, { ...device, ...change }, 8 * HOUR_MS, NOW_MS);
      assert.equal(refusal?.code ?? 'accepted', expected, mission_name);
      assert.equal(refusal?.message, refusalOf(request, change)?.message);
    });
  }

  it('has the numbers of the plan, also where it is refused', () => {
    assert.deepEqual(
      previewMission(mission, device, 8 * HOUR_MS, NOW_MS).preflight,
      planMission(mission, device, NOW_MS).preflight,
    );
    const { preflight, refusal } = previewMission(through([53, 13]), device, 8 * HOUR_MS, NOW_MS);
    assert.equal(refusal?.code, 'mission_infeasible');
    assert.ok((preflight?.battery_required ?? 0) > 90);
    assert.ok(previewMission(mission, { ...device, ...offline }, 8 * HOUR_MS, NOW_MS).preflight);
  });

  it('warns of what takes longer than a shift, also where it is refused', () => {
    assert.deepEqual(previewMission(mission, device, 8 * HOUR_MS, NOW_MS).warnings, []);
    assert.deepEqual(previewMission(mission, device, SECOND_MS, NOW_MS).warnings, ['longer_than_shift']);
    const far = previewMission(through([53, 13]), device, SECOND_MS, NOW_MS);
    assert.deepEqual(far.warnings, ['longer_than_shift']);
  });

  it('has no numbers while the place or the battery is not known', () => {
    for (const name of ['latitude', 'battery_level'] as const) {
      const { preflight, refusal } = previewMission(
        later,
        { ...device, ...without(name) },
        8 * HOUR_MS,
        NOW_MS,
      );
      assert.deepEqual([preflight, refusal?.code], [null, 'reading_stale']);
    }
  });
});
