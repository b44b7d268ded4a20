import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMMAND_NAMES, checkCommandQuery, checkCommandRequest } from './commands.ts';
import { checkFieldConfigurationPatch } from './configuration/field-configuration.ts';
import type { ValidationIssue } from './input/schema.ts';
import { checkFieldAck, checkFieldCommand, checkFieldProgress } from './link/field-messages.ts';
import { checkMission, checkMissionQuery } from './missions.ts';
import { checkTrackQuery } from './telemetry/field-readings.ts';
import { checkHistoryQuery } from './telemetry/telemetry.ts';

const at = { latitude: 52.5, longitude: 13.4, altitude: 0 };
const move = { command: 'move_to_coordinates', parameters: at };
const waypoint = { lat: 52.5, lng: 13.4, action: 'scan' };
const mission = { mission_name: 'round', waypoints: [waypoint] };
const execute = {
  command: 'execute',
  command_id: 'cmd_1',
  name: 'scan',
  parameters: {},
  expires_at: null,
};
const upload = {
  command: 'mission_upload',
  mission_id: 'ms_1',
  waypoints: [waypoint],
  start_at: '2026-03-01T12:00:00Z',
  expires_at: '2026-03-01T12:05:00Z',
  link_loss_action: 'hold',
};
const ofCommand = { command_id: 'cmd_1', state: 'executing', ts: 1 };
const ofMission = { mission_id: 'ms_1', state: 'running', ts: 1 };
const triangle = [
  { lat: 0, lng: 0 },
  { lat: 0, lng: 1 },
  { lat: 1, lng: 0 },
];

interface Cases {
  readonly check: { accepts(value: unknown): boolean; faults(value: unknown): ValidationIssue[] };
  readonly accepted: readonly unknown[];
  /** Refused values with the paths of their faults. */
  readonly refused: readonly (readonly [unknown, ...string[]])[];
}

const withMove = (change: object) => ({ ...move, parameters: { ...at, ...change } });
const withWaypoint = (change: object) => ({ ...mission, waypoints: [{ ...waypoint, ...change }] });

const CASES: Record<string, Cases> = {
  'a command': {
    check: checkCommandRequest,
    accepted: [
      move,
      withMove({ latitude: -90, longitude: 180, altitude: 10_000 }),
      ...COMMAND_NAMES.slice(1).map((command) => ({ command })),
      { command: 'hold', parameters: {} },
    ],
    refused: [
      [{ command: 'fly' }, '/command'],
      [{}, '/command'],
      [null, ''],
      [{ command: 'move_to_coordinates' }, '/parameters'],
      [withMove({ latitude: 90.1 }), '/parameters/latitude'],
      [withMove({ longitude: -180.1 }), '/parameters/longitude'],
      [withMove({ altitude: 10_001 }), '/parameters/altitude'],
      [withMove({ latitude: '1' }), '/parameters/latitude'],
      [withMove({ latitude: Number.NaN }), '/parameters/latitude'],
      [withMove({ speed: 3 }), '/parameters/speed'],
      [{ ...move, parameters: { latitude: 1 } }, '/parameters/longitude', '/parameters/altitude'],
      [{ command: 'hold', parameters: at }, ...Object.keys(at).map((name) => `/parameters/${name}`)],
      [{ command: 'hold', why: 'rain' }, '/why'],
    ],
  },
  'a command query': {
    check: checkCommandQuery,
    accepted: [{}, { status: 'timed_out', command: 'hold', limit: '5' }],
    refused: [
      [{ status: 'open' }, '/status'],
      [{ command: 'fly' }, '/command'],
    ],
  },
  'a mission': {
    check: checkMission,
    accepted: [
      mission,
      { ...mission, scheduled_start: '2026-03-01T12:00:00Z' },
      { ...mission, waypoints: Array(500).fill(waypoint) },
      withWaypoint({ action: 'wait', wait_seconds: 10, altitude: 30 }),
    ],
    refused: [
      [{ ...mission, mission_name: '' }, '/mission_name'],
      [{ ...mission, mission_name: 'x'.repeat(201) }, '/mission_name'],
      [{ ...mission, waypoints: [] }, '/waypoints'],
      [{ ...mission, waypoints: Array(501).fill(waypoint) }, '/waypoints'],
      [{ mission_name: 'x' }, '/waypoints'],
      [{ ...mission, scheduled_start: 'soon' }, '/scheduled_start'],
      [{ ...mission, speed: 1 }, '/speed'],
      [withWaypoint({ lat: 91 }), '/waypoints/0/lat'],
      [withWaypoint({ lng: -181 }), '/waypoints/0/lng'],
      [withWaypoint({ action: 'dance' }), '/waypoints/0/action'],
      [withWaypoint({ wait_seconds: -1 }), '/waypoints/0/wait_seconds'],
      [{ ...mission, waypoints: [{ lat: 1, lng: 1 }] }, '/waypoints/0/action'],
    ],
  },
  'a mission query': {
    check: checkMissionQuery,
    accepted: [{}, { status: 'in_progress' }],
    refused: [[{ status: 'running' }, '/status']],
  },
  'a configuration patch': {
    check: checkFieldConfigurationPatch,
    accepted: [
      {},
      { geofence: triangle, base: at },
      { geofence: null, base: null },
      { motion: { speed_m_s: 2 }, failsafe: { link_loss_action: 'hold' } },
      { thresholds: { low_battery: 30 }, maintenance: { interval_hours: 5 } },
    ],
    refused: [
      [{ geofence: triangle.slice(1) }, '/geofence'],
      [{ geofence: Array(201).fill({ lat: 0, lng: 0 }) }, '/geofence'],
      [{ motion: { speed_m_s: 0 } }, '/motion/speed_m_s'],
      [{ battery: { reserve_percent: 101 } }, '/battery/reserve_percent'],
      [{ failsafe: { link_loss_action: 'explode' } }, '/failsafe/link_loss_action'],
      [{ thresholds: { low_level: 1 } }, '/thresholds/low_level'],
      [{ colour: 'red' }, '/colour'],
    ],
  },
  'a history query': {
    check: checkHistoryQuery,
    accepted: [{}, { sensor: 'soil_moisture', interval: '5m', aggregate: 'max' }],
    refused: [
      [{ sensor: 7 }, '/sensor'],
      [{ interval: '2h' }, '/interval'],
    ],
  },
  'a track query': {
    check: checkTrackQuery,
    accepted: [{}, { from: '2026-03-01T12:00:00Z', to: '2026-03-01T13:00:00Z' }],
    refused: [[{ from: 'noon' }, '/from']],
  },
  'an answer of the device': {
    check: checkFieldAck,
    accepted: [
      { command_id: 'cmd_1', accepted: true },
      { mission_id: 'ms_1', accepted: false, reason: 'memory full' },
    ],
    refused: [
      [{ accepted: true }, '/command_id'],
      [{ mission_id: 'ms_1' }, '/accepted'],
      [{ mission_id: 'ms_1', command_id: 'cmd_1', accepted: true }, '/command_id'],
      [{ command_id: 'cmd/1', accepted: true }, '/command_id'],
      [null, ''],
    ],
  },
  'a report of the device': {
    check: checkFieldProgress,
    accepted: [
      ofCommand,
      { ...ofCommand, state: 'unknown', reason: 'x', ts: '2026-03-01T12:00:00Z' },
      ofMission,
      { ...ofMission, waypoints: [{ index: 0, state: 'reached', reached_at: 1, action_result: 'failed' }] },
    ],
    refused: [
      [{ ...ofCommand, state: 'running' }, '/state'],
      [{ ...ofCommand, waypoints: [] }, '/waypoints'],
      [{ ...ofMission, state: 'executing' }, '/state'],
      [{ ...ofMission, waypoints: [{ index: -1, state: 'reached' }] }, '/waypoints/0/index'],
      [{ ...ofMission, waypoints: [{ index: 500, state: 'reached' }] }, '/waypoints/0/index'],
      [{ ...ofMission, waypoints: [{ index: 0, state: 'near' }] }, '/waypoints/0/state'],
      [{ ...ofMission, reason: 'x'.repeat(501) }, '/reason'],
    ],
  },
};

for (const [name, { check, accepted, refused }] of Object.entries(CASES)) {
  describe(name, () => {
    for (const value of accepted) {
      it(`may be ${JSON.stringify(value).slice(0, 80)}`, () => {
        assert.deepEqual(check.faults(value), []);
        assert.equal(check.accepts(value), true);
      });
    }
    for (const [value, ...paths] of refused) {
      it(`may not be ${JSON.stringify(value).slice(0, 80)}`, () => {
        assert.equal(check.accepts(value), false);
        const found = check.faults(value).map(({ path }) => path);
        assert.deepEqual(new Set(found), new Set(paths));
      });
    }
  });
}

describe('an unknown command', () => {
  it('is answered with the known ones', () => {
    const [fault] = checkCommandRequest.faults({ command: 'fly', parameters: { height: 3 } });
    for (const command of COMMAND_NAMES) assert.ok(fault?.message.includes(command));
  });
});

describe('a message to the device', () => {
  const reports = [
    { command: 'report', command_id: 'cmd_1' },
    { command: 'report', mission_id: 'ms_1' },
  ];
  const { expires_at } = upload;
  const motions = ['start', 'resume'].map((kind) => ({
    command: `mission_${kind}`,
    mission_id: 'ms_1',
    expires_at,
  }));
  const halts = ['pause', 'cancel'].map((kind) => ({ command: `mission_${kind}`, mission_id: 'ms_1' }));

  it('is one of a few', () => {
    for (const message of [execute, { ...execute, name: 'move_to_coordinates', parameters: at }, upload]) {
      assert.equal(checkFieldCommand.accepts(message), true);
    }
    for (const message of [...reports, ...motions, ...halts]) {
      assert.equal(checkFieldCommand.accepts(message), true);
    }
  });

  it('that sets a mission in motion says until when it may be obeyed', () => {
    for (const { expires_at: _, ...message } of motions) {
      assert.equal(checkFieldCommand.accepts(message), false);
    }
    for (const message of halts) assert.equal(checkFieldCommand.accepts({ ...message, expires_at }), false);
  });

  it('is never in parts', () => {
    for (const message of [
      { ...upload, waypoints: [] },
      { ...upload, part: 1 },
      { ...execute, name: 'fly' },
      { command: 'mission_start' },
      { command: 'report' },
    ]) {
      assert.equal(checkFieldCommand.accepts(message), false);
    }
  });
});
