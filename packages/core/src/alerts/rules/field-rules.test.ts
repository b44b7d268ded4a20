import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AlertType } from '@granary/contract/alerts';
import { sentence } from '@granary/contract/sentences/codes';
import { inEnglish } from '@granary/contract/sentences/english';
import { HOUR_MS, SECOND_MS, toIso } from '@granary/contract/time';
import { STOP_CONFIRMATION_MS_MAX } from '../../commands/emergency-stop.ts';
import { beginCommand, type CommandState } from '../../commands/state.ts';
import { initialFieldConfiguration } from '../../configuration/field-configuration.ts';
import { FRESHNESS_MS, NEVER_SEEN } from '../../devices/status.ts';
import { beginMission, type MissionState } from '../../missions/state.ts';
import { HALT_CONFIRMATION_MS_MAX, START_ANSWER_MS_MAX } from '../../missions/steps.ts';
import { standardSensorsOf } from '../../sensors/standard-sensors.ts';
import { evaluateAlerts, nextEvaluationAtMs } from '../evaluation.ts';
import type { AlertState, Condition } from '../lifecycle.ts';
import { DEFAULT_MONITORING, delaysOf } from '../monitoring.ts';
import type { Observed } from '../observation.ts';
import { type FieldFacts, fieldConditionsOf, fieldRules } from './field-rules.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
const OLD_MS = NOW_MS - FRESHNESS_MS - 1;

const DEFAULT_DELAYS = delaysOf(DEFAULT_MONITORING.alarms);

type Facts = FieldFacts & Observed;

const configuration = initialFieldConfiguration(NOW_MS);
const online = { ...NEVER_SEEN, lastSeenAtMs: NOW_MS, linkDownAtMs: null, reportedState: 'online' } as const;
const goneAtMs = NOW_MS - online.offlineDelayMs;
const offline = { ...online, lastSeenAtMs: goneAtMs, linkDownAtMs: goneAtMs };
const fresh = (value: number) => ({ value, tsMs: NOW_MS });

const facts: Facts = {
  deviceNo: 1,
  presence: online,
  sensors: standardSensorsOf('rover'),
  latest: { latitude: fresh(52_0050000), longitude: fresh(13_0050000), battery_level: fresh(80_000) },
  configuration,
  missions: [],
  commands: [],
  observedSinceMs: 0,
  onlineSinceMs: 0,
  dueAtMs: null,
};

const FENCE = [
  { lat: 52, lng: 13 },
  { lat: 52, lng: 13.01 },
  { lat: 52.01, lng: 13.01 },
  { lat: 52.01, lng: 13 },
];
const fenced = { configuration: { ...configuration, geofence: FENCE } };
const latestWith = (change: Facts['latest']) => ({ latest: { ...facts.latest, ...change } });
const charged = (percent: number) => latestWith({ battery_level: fresh(percent * 1_000) });
const away = latestWith({ latitude: fresh(53_0000000) });

const scheduled = beginMission(
  {
    missionId: 'ms_1',
    deviceNo: 1,
    name: 'round',
    plan: {
      waypoints: [],
      startAtMs: NOW_MS - HOUR_MS,
      expiresAtMs: NOW_MS,
      busyMs: 1,
      linkLossAction: 'hold',
      preflight: {
        distance_m: 0,
        duration_s: 0,
        return_distance_m: 0,
        battery_required: 0,
        battery_available: 0,
        battery_reserve: 0,
        legs: [],
      },
    },
  },
  NOW_MS - HOUR_MS,
);
const running: MissionState = { ...scheduled, status: 'in_progress', dispatchedAtMs: NOW_MS - HOUR_MS };
const ended = (status: MissionState['status'], reason: 'lost' | 'device_fault' | null): MissionState => ({
  ...running,
  status,
  endedAtMs: NOW_MS,
  result:
    reason === null ? null : { reason, message: sentence('device_said', { words: 'a wheel came off' }) },
});
const newer: MissionState = { ...running, missionId: 'ms_2', dispatchedAtMs: NOW_MS };
const stop = beginCommand(
  { commandId: 'cmd_1', deviceNo: 1, request: { command: 'emergency_stop' } },
  NOW_MS,
);
const oldStop = { ...stop, createdAtMs: NOW_MS - STOP_CONFIRMATION_MS_MAX };
const confirmedStop: CommandState = { ...oldStop, status: 'succeeded', endedAtMs: NOW_MS };
const startingFor = (ms: number): MissionState => ({
  ...running,
  status: 'dispatched',
  startSentAtMs: NOW_MS - ms,
});

/** A mission whose cancel was requested this long ago and is not confirmed. */
const haltingFor = (ms: number): MissionState => ({
  ...running,
  requested: 'cancel',
  requestedAtMs: NOW_MS - ms,
  requestSentAtMs: NOW_MS,
});

const conditionOf = (type: AlertType, change: Partial<Facts>, nowMs = NOW_MS): Condition => {
  const found = fieldConditionsOf({ ...facts, ...change }, nowMs).filter((one) => one.type === type);
  const [condition] = found;
  assert.ok(condition !== undefined && found.length === 1, `${type} is named once`);
  return condition;
};

type Outcome = 'absent' | 'indeterminate' | 'info' | 'warning' | 'critical';

const TABLE: readonly (readonly [AlertType, string, Partial<Facts>, Outcome])[] = [
  ['low_battery', 'well charged', {}, 'absent'],
  ['low_battery', 'at the threshold', charged(25), 'warning'],
  ['low_battery', 'a little above it', charged(25.001), 'indeterminate'],
  ['low_battery', 'at the end of the dead band', charged(26), 'indeterminate'],
  ['low_battery', 'beyond the dead band', charged(26.001), 'absent'],
  ['low_battery', 'at the critical threshold', charged(10), 'critical'],
  ['low_battery', 'a little above the critical one', charged(10.001), 'warning'],
  [
    'low_battery',
    'low, but long ago',
    latestWith({ battery_level: { value: 0, tsMs: OLD_MS } }),
    'indeterminate',
  ],
  ['low_battery', 'impossible', charged(101), 'indeterminate'],
  ['low_battery', 'never reported', { latest: {} }, 'indeterminate'],
  ['geofence_breach', 'without a fence', away, 'absent'],
  ['geofence_breach', 'inside', fenced, 'absent'],
  ['geofence_breach', 'outside', { ...fenced, ...away }, 'critical'],
  [
    'geofence_breach',
    'on the fence',
    { ...fenced, ...latestWith({ latitude: fresh(52_0000000) }) },
    'absent',
  ],
  [
    'geofence_breach',
    'outside, but long ago',
    { ...fenced, ...latestWith({ latitude: { value: 53e7, tsMs: OLD_MS } }) },
    'indeterminate',
  ],
  ['geofence_breach', 'nowhere', { ...fenced, latest: {} }, 'indeterminate'],
  ['mission_failed', 'without missions', {}, 'absent'],
  ['mission_failed', 'during one', { missions: [running] }, 'absent'],
  ['mission_failed', 'after a good one', { missions: [ended('completed', null)] }, 'absent'],
  ['mission_failed', 'after a cancelled one', { missions: [ended('cancelled', null)] }, 'absent'],
  ['mission_failed', 'after a failed one', { missions: [ended('failed', 'device_fault')] }, 'warning'],
  ['mission_failed', 'after an aborted one', { missions: [ended('aborted', null)] }, 'warning'],
  ['mission_failed', 'after a missed one', { missions: [ended('missed', null)] }, 'warning'],
  ['mission_failed', 'when the device is lost', { missions: [ended('failed', 'lost')] }, 'critical'],
  ['mission_failed', 'when a new one has begun', { missions: [ended('failed', 'lost'), newer] }, 'absent'],
  ['mission_failed', 'just told to start', { missions: [startingFor(START_ANSWER_MS_MAX - 1)] }, 'absent'],
  ['mission_failed', 'told to start, no answer', { missions: [startingFor(START_ANSWER_MS_MAX)] }, 'warning'],
  ['mission_failed', 'just told to end', { missions: [haltingFor(HALT_CONFIRMATION_MS_MAX - 1)] }, 'absent'],
  [
    'mission_failed',
    'told to end, runs on',
    { missions: [haltingFor(HALT_CONFIRMATION_MS_MAX)] },
    'critical',
  ],
  [
    'mission_failed',
    'told to end while the service was down',
    { missions: [haltingFor(HALT_CONFIRMATION_MS_MAX)], observedSinceMs: NOW_MS - 1 },
    'absent',
  ],
  ['emergency_stop_unconfirmed', 'without a stop', {}, 'absent'],
  ['emergency_stop_unconfirmed', 'just requested', { commands: [stop] }, 'absent'],
  ['emergency_stop_unconfirmed', 'after 5 s', { commands: [oldStop] }, 'critical'],
  ['emergency_stop_unconfirmed', 'after 5 s, away', { commands: [oldStop], presence: offline }, 'critical'],
  ['emergency_stop_unconfirmed', 'confirmed', { commands: [confirmedStop] }, 'absent'],
  ['device_offline', 'offline after a stop', { presence: offline, commands: [confirmedStop] }, 'warning'],
  ['device_offline', 'online', {}, 'absent'],
  ['device_offline', 'offline', { presence: offline }, 'warning'],
  ['device_offline', 'offline in a mission', { presence: offline, missions: [running] }, 'critical'],
  ['device_offline', 'offline in a stop', { presence: offline, commands: [stop] }, 'critical'],
  ['device_offline', 'never heard of', { presence: { ...offline, lastSeenAtMs: null } }, 'absent'],
  [
    'device_offline',
    'offline a moment ago',
    { presence: { ...online, linkDownAtMs: NOW_MS } },
    'indeterminate',
  ],
  ['sensor_fault', 'in order', {}, 'absent'],
  ['sensor_fault', 'overcharged', charged(101), 'warning'],
  ['sensor_fault', 'in a storm', latestWith({ wind_speed: fresh(151_000) }), 'warning'],
  ['sensor_fault', 'offline', { presence: offline }, 'indeterminate'],
  ['maintenance_due', 'not yet due', {}, 'absent'],
  [
    'maintenance_due',
    'due',
    {
      configuration: { ...configuration, maintenance: { next_scheduled: toIso(NOW_MS), interval_hours: 1 } },
    },
    'info',
  ],
];

describe('a field device', () => {
  for (const [type, name, change, expected] of TABLE) {
    it(`${name}: ${type} is ${expected}`, () => {
      const condition = conditionOf(type, change);
      assert.equal(condition.state === 'present' ? condition.severity : condition.state, expected);
    });
  }

  it('is told of with numbers and names', () => {
    const battery = conditionOf('low_battery', charged(24));
    assert.ok(battery.state === 'present');
    assert.deepEqual([battery.currentValue, battery.threshold], [24, 25]);
    const failed = conditionOf('mission_failed', { missions: [ended('failed', 'device_fault')] });
    assert.ok(failed.state === 'present');
    assert.equal(failed.cause, 'ms_1');
    assert.equal(inEnglish(failed.message), 'Mission round failed: a wheel came off');
    const unconfirmed = conditionOf('emergency_stop_unconfirmed', {
      commands: [{ ...oldStop, lastAnswer: sentence('stop_refused', {}) }],
    });
    assert.ok(unconfirmed.state === 'present');
    assert.match(
      inEnglish(unconfirmed.message),
      /^The device has not confirmed the emergency stop, .* its last answer: it refused the stop$/,
    );
    const breach = conditionOf('geofence_breach', { ...fenced, ...away });
    assert.ok(breach.state === 'present');
    assert.match(inEnglish(breach.message), /at 53, 13\.005; it is to hold$/);
  });
});

describe('the alerts of a field device', () => {
  const settings = { delays: DEFAULT_DELAYS, newAlertId: () => 'al_1' };
  const raised = (change: Partial<Facts>, open: readonly AlertState[] = []) =>
    evaluateAlerts(fieldRules, { ...facts, ...change }, open, settings, NOW_MS).flatMap(
      ({ after }) => after ?? [],
    );

  it('follow its state, and are raised once', () => {
    assert.deepEqual(raised({}), []);
    const open = raised(charged(20));
    assert.deepEqual(
      open.map(({ type, severity, status }) => [type, severity, status]),
      [['low_battery', 'warning', 'active']],
    );
    assert.deepEqual(raised(charged(20), open), []);
    assert.deepEqual(
      raised(charged(5), open).map(({ severity }) => severity),
      ['critical'],
    );
  });

  it('are looked at again when something could have become old', () => {
    const nextMs = (change: Partial<Facts>, open: readonly AlertState[] = []) =>
      nextEvaluationAtMs(fieldRules, { ...facts, ...change }, open, DEFAULT_DELAYS, NOW_MS);
    assert.equal(nextMs({}), NOW_MS + FRESHNESS_MS + 1);
    assert.equal(nextMs({ commands: [stop] }), NOW_MS + STOP_CONFIRMATION_MS_MAX);
    assert.equal(nextMs({ missions: [startingFor(0)] }), NOW_MS + START_ANSWER_MS_MAX);
    assert.equal(nextMs({ missions: [haltingFor(1)] }), NOW_MS - 1 + HALT_CONFIRMATION_MS_MAX);
    assert.equal(
      nextMs(latestWith({ latitude: { value: 0, tsMs: NOW_MS - SECOND_MS } })),
      NOW_MS + FRESHNESS_MS - SECOND_MS + 1,
    );
    assert.equal(
      nextMs({ presence: offline, latest: {} }),
      Date.parse(configuration.maintenance.next_scheduled),
    );
  });
});
