import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMMAND_NAMES, type CommandName, type CommandRequest } from '@granary/contract/commands';
import type { RefusalCause } from '@granary/contract/devices/reception';
import { Refusal } from '@granary/contract/errors';
import { COMMAND_STATES, MISSION_STATES } from '@granary/contract/link/field-messages';
import { PROGRESS_STATES } from '@granary/contract/link/messages';
import { MISSION_REQUESTS, type PreflightRequest } from '@granary/contract/missions';
import { inEnglish } from '@granary/contract/sentences/english';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, toIso } from '@granary/contract/time';
import { faultsOfSentence } from '@granary/testing/contract/sentences';
import fc from 'fast-check';
import type { Condition } from './alerts/lifecycle.ts';
import { receptionConditions } from './alerts/rules/device-rules.ts';
import { fieldConditionsOf } from './alerts/rules/field-rules.ts';
import { conditionsOf } from './alerts/rules/silo-rules.ts';
import { thresholdConditions } from './alerts/rules/threshold-rules.ts';
import { refuseDeclaration as refuseCommandDeclaration } from './commands/declared-end.ts';
import { refuseRelease, refuseWhileStopped } from './commands/emergency-stop.ts';
import { commandRecord } from './commands/record.ts';
import { refuseCommand } from './commands/refusals.ts';
import { unstoredStopDetail } from './commands/sentences.ts';
import { beginCommand, type CommandState } from './commands/state.ts';
import { advanceCommand, type CommandInput } from './commands/transitions.ts';
import { applyFieldPatch, initialFieldConfiguration } from './configuration/field-configuration.ts';
import { applyPatch, initialConfiguration } from './configuration/silo-configuration.ts';
import { NEVER_SEEN } from './devices/status.ts';
import { attentionList } from './fleet/attention.ts';
import { refuseBusyRemoval, refuseRemoved } from './fleet/removal.ts';
import { refuseDeclaration as refuseMissionDeclaration } from './missions/declared-end.ts';
import { type FieldDeviceAtMission, planMission, withoutBase } from './missions/planning/plan.ts';
import { missionRecord } from './missions/record.ts';
import { beginMission, type MissionState } from './missions/state.ts';
import { advanceMission, type MissionInput, refuseRequest } from './missions/transitions.ts';
import { refuseDeclaration as refuseOperationDeclaration } from './operations/declared-end.ts';
import {
  type OperationRequest,
  planOperation,
  refuseWhileOperating,
  type SiloAtStart,
} from './operations/interlocks.ts';
import { operationRecord } from './operations/record.ts';
import { beginOperation, type OperationState, unsolicitedOperation } from './operations/state.ts';
import { notSentRefusal } from './operations/status-detail.ts';
import { operationTrace } from './operations/trace.ts';
import { advanceOperation, type OperationInput } from './operations/transitions.ts';
import { refuseUnsupported } from './profiles/profile.ts';
import type { Duplicate } from './reception/duplicate.ts';
import { advanceReception, type MessageReception, type Reception } from './reception/reception.ts';
import type { Sensor } from './sensors/sensor.ts';
import { standardSensorsOf } from './sensors/standard-sensors.ts';

const START_MS = Date.parse('2026-03-01T12:00:00Z');
const OBSERVED = { observedSinceMs: 0, onlineSinceMs: 0, dueAtMs: null };
const RUNS = { numRuns: 300 };

const check = (sentences: readonly (string | null | undefined)[]): void => {
  for (const sentence of sentences) {
    if (sentence !== null && sentence !== undefined) assert.deepEqual(faultsOfSentence(sentence), []);
  }
};

/** The text that a caller gets if this refuses; `null` if it does not refuse. */
function refusalOf(act: () => unknown): string | null {
  try {
    act();
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.message;
  }
}

const messagesOf = (conditions: readonly Condition[]): string[] =>
  conditions.flatMap((condition) => (condition.state === 'present' ? [inEnglish(condition.message)] : []));

const seenAt = (nowMs: number) =>
  ({ ...NEVER_SEEN, lastSeenAtMs: nowMs, linkDownAtMs: null, reportedState: 'online' }) as const;

const timeMs = fc.integer({ min: -MINUTE_MS, max: 12 * MINUTE_MS }).map((sinceMs) => START_MS + sinceMs);
/** A device may send a reason that is empty, or one that is a whole sentence. */
const reason = fc.constantFrom(null, '', ' ', 'the gate is jammed', 'The gate is jammed.', 'Hot!');
const declaration = fc.constantFrom(
  { reason: 'the gate is closed', looked_by: 'Ada', by: null },
  { reason: 'I have looked.', looked_by: 'Ada', by: null },
);
const steps = <Input>(input: fc.Arbitrary<Input>) => fc.array(fc.tuple(input, timeMs), { maxLength: 30 });

describe('no sentence about an operation has an id, a code name or an empty part', () => {
  const plan = {
    amountG: 300_000,
    unit: 'kg',
    rateGPerMin: 100_000,
    rateUnit: 'kg/min',
    targetContainer: 'Cart',
    maxAmountG: 306_000,
    maxDurationMs: 3 * MINUTE_MS,
    expiresAtMs: START_MS + 10_000,
  } as const;
  const asked = {
    operationId: 'op_1m7kkwbyd0tnp1',
    deviceNo: 1,
    weight: { valueG: 5_000_000, tsMs: START_MS },
  };
  const discharge = beginOperation({ ...asked, type: 'discharge', plan }, START_MS);
  const feed = beginOperation(
    { ...asked, type: 'feed', plan: { ...plan, unit: 't', targetContainer: null } },
    START_MS,
  );
  const panel = { operation_id: 'panel_a', state: 'running', amount_kg: 3, ts: START_MS } as const;
  const own = [{ ...panel, type: 'feed' as const }, panel].flatMap(
    (progress) => unsolicitedOperation(1, progress, START_MS) ?? [],
  );
  const weight = fc.record({ valueG: fc.integer({ min: 4_000_000, max: 6_000_000 }), tsMs: timeMs });
  const input: fc.Arbitrary<OperationInput> = fc.oneof(
    fc.constant({ kind: 'stop' } as const),
    declaration.map((said) => ({ kind: 'declare_ended' as const, declaration: said })),
    fc.record({ kind: fc.constant('ack' as const), accepted: fc.boolean(), reason }),
    fc.record({
      kind: fc.constant('progress' as const),
      state: fc.constantFrom(...PROGRESS_STATES),
      amountG: fc.integer({ min: 0, max: 400_000 }),
      reason,
      tsMs: timeMs,
    }),
    fc.record({
      kind: fc.constant('not_sent' as const),
      why: fc.constantFrom(
        'not_connected' as const,
        'not_subscribed' as const,
        'expired' as const,
        'in_flight' as const,
      ),
    }),
    fc.record({
      kind: fc.constant('tick' as const),
      isReachable: fc.boolean(),
      isNewSession: fc.boolean(),
      weight: fc.option(weight),
      capacityG: fc.constant(10_000_000),
    }),
  );

  const sentencesOf = (operation: OperationState, nowMs: number): (string | null | undefined)[] => {
    const { status_detail, failure } = operationRecord(operation);
    const facts = {
      ...OBSERVED,
      deviceNo: 1,
      presence: seenAt(nowMs),
      capacityKg: 10_000,
      latest: {},
      sensors: [],
      configuration: initialConfiguration(START_MS),
      operations: [operation],
    };
    const offline = { ...operation, deviceId: 'silo-1', name: 'Silo 1', state: operation };
    const { attention } = attentionList(
      { emergencyStops: [], operations: [offline], alerts: [], offline: [] },
      nowMs,
    );
    return [
      status_detail,
      failure?.message,
      ...operationTrace(operation).steps.map(({ detail }) => detail),
      ...messagesOf(conditionsOf(facts, nowMs)),
      ...attention.map(({ message }) => message),
      notSentRefusal(operation)?.message,
      refusalOf(() => refuseOperationDeclaration(operation, nowMs)),
      refusalOf(() => refuseWhileOperating([operation])),
      refusalOf(() => refuseBusyRemoval({ operations: [operation], commands: [], missions: [] })),
    ];
  };

  it('whatever happens to it', () => {
    fc.assert(
      fc.property(fc.constantFrom(discharge, feed, ...own), steps(input), (from, inputs) => {
        let operation: OperationState = from;
        check(sentencesOf(operation, START_MS));
        for (const [given, nowMs] of inputs) {
          operation = advanceOperation(operation, given, nowMs).operation;
          check(sentencesOf(operation, nowMs));
        }
      }),
      RUNS,
    );
  });

  it('when it is refused', () => {
    const silo: SiloAtStart = {
      presence: seenAt(START_MS),
      weight: { value: 600_000, tsMs: START_MS },
      capacityKg: 1_000,
      configuration: initialConfiguration(START_MS),
      isReachable: true,
      operations: [],
    };
    const wanted: OperationRequest = { type: 'feed', amount: 100, rate: 50 };
    const cases: readonly (readonly [Partial<SiloAtStart>, OperationRequest?])[] = [
      [{ operations: [discharge] }],
      ...own.map((underWay) => [{ operations: [underWay] }] as const),
      [{ isReachable: false }],
      [{ isReachable: false, presence: NEVER_SEEN }],
      [{ presence: NEVER_SEEN }],
      [{ presence: { ...silo.presence, reportedState: 'maintenance' } }],
      [{ weight: undefined }],
      [{ weight: { value: 600_000, tsMs: START_MS - HOUR_MS } }],
      [{ weight: { value: 9_000_000, tsMs: START_MS } }],
      [{}, { ...wanted, rate: 5_000 }],
      [{}, { ...wanted, amount: 5_000 }],
      [{}, { ...wanted, amount: 0.0001 }],
      [{}, { ...wanted, amount: 300, rate: 0.000_001 }],
      [{}, { type: 'discharge', amount: 5_000, unit: 't', target_container: 'Cart' }],
    ];
    for (const [change, given] of cases) {
      const request: OperationRequest = given ?? wanted;
      const message = refusalOf(() => planOperation(request, { ...silo, ...change }, START_MS));
      assert.ok(message !== null, JSON.stringify([change, request]));
      check([message]);
    }
  });
});

const mobile = {
  presence: seenAt(START_MS),
  configuration: initialFieldConfiguration(START_MS),
  isReachable: true,
};
const FENCE = [
  { lat: 52, lng: 13 },
  { lat: 52, lng: 13.01 },
  { lat: 52.01, lng: 13.01 },
  { lat: 52.01, lng: 13 },
];
const fieldFacts = {
  ...OBSERVED,
  deviceNo: 1,
  presence: seenAt(START_MS),
  latest: {},
  sensors: standardSensorsOf('rover'),
  configuration: { ...initialFieldConfiguration(START_MS), geofence: FENCE },
  missions: [],
  commands: [],
};

const requestFor = (command: CommandName): CommandRequest =>
  command === 'move_to_coordinates'
    ? { command, parameters: { latitude: 60, longitude: 13, altitude: 0 } }
    : { command };

describe('no sentence about a command has an id, a code name or an empty part', () => {
  const input: fc.Arbitrary<CommandInput> = fc.oneof(
    fc.record({ kind: fc.constant('issue' as const), isReachable: fc.boolean() }),
    fc.record({
      kind: fc.constant('not_sent' as const),
      delivery: fc.constantFrom('not_connected' as const, 'expired' as const),
    }),
    fc.constantFrom({ kind: 'cancel' } as const, { kind: 'release' } as const),
    fc.record({ kind: fc.constant('declare_ended' as const), declaration, isReachable: fc.boolean() }),
    fc.record({ kind: fc.constant('ack' as const), accepted: fc.boolean(), reason }),
    fc.record({
      kind: fc.constant('progress' as const),
      state: fc.constantFrom(...COMMAND_STATES),
      reason,
      tsMs: timeMs,
    }),
    fc.record({
      kind: fc.constant('tick' as const),
      isReachable: fc.boolean(),
      isNewSession: fc.boolean(),
      isStopped: fc.boolean(),
    }),
  );
  const begun = COMMAND_NAMES.map((name) =>
    beginCommand({ commandId: 'cmd_1m7kkmf41ya7', deviceNo: 1, request: requestFor(name) }, START_MS),
  );

  const sentencesOf = (command: CommandState, nowMs: number): (string | null | undefined)[] => {
    const { status_detail, result } = commandRecord(command);
    const device = { ...mobile, commands: [command] };
    return [
      status_detail,
      result?.message,
      ...messagesOf(fieldConditionsOf({ ...fieldFacts, commands: [command] }, nowMs)),
      refusalOf(() => refuseCommandDeclaration(command, { isReachable: true, nowMs })),
      refusalOf(() => refuseCommandDeclaration(command, { isReachable: false, nowMs })),
      refusalOf(() => refuseWhileStopped([command])),
      refusalOf(() => refuseRelease([command])),
      refusalOf(() => refuseBusyRemoval({ operations: [], commands: [command], missions: [] })),
      ...COMMAND_NAMES.map((name) => refusalOf(() => refuseCommand(requestFor(name), device, nowMs))),
    ];
  };

  it('whatever happens to it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...begun), steps(input), (from, inputs) => {
        let command = from;
        check(sentencesOf(command, START_MS));
        for (const [given, nowMs] of inputs) {
          command = advanceCommand(command, given, nowMs).command;
          check(sentencesOf(command, nowMs));
        }
      }),
      RUNS,
    );
  });

  it('when it is refused', () => {
    const fenced = { ...mobile, configuration: { ...mobile.configuration, geofence: FENCE }, commands: [] };
    const devices = [
      fenced,
      { ...fenced, isReachable: false },
      { ...fenced, isReachable: false, presence: NEVER_SEEN },
      { ...fenced, presence: { ...fenced.presence, reportedState: 'maintenance' as const } },
    ];
    for (const device of devices) {
      check([refusalOf(() => refuseCommand(requestFor('move_to_coordinates'), device, START_MS))]);
    }
    check([inEnglish(unstoredStopDetail(true)), inEnglish(unstoredStopDetail(false))]);
  });
});

describe('no sentence about a mission has an id, a code name or an empty part', () => {
  const waypoint = { lat: 52.005, lng: 13.005, action: 'collect_sample' } as const;
  const preflight = {
    distance_m: 0,
    duration_s: 0,
    return_distance_m: 0,
    battery_required: 0,
    battery_available: 100,
    battery_reserve: 20,
    legs: [],
  };
  const missionNamed = (name: string, linkLossAction: 'return_to_base' | 'hold' | 'continue') =>
    beginMission(
      {
        missionId: 'ms_1m7kkmf41ya7',
        deviceNo: 1,
        name,
        plan: {
          waypoints: [waypoint, waypoint],
          startAtMs: START_MS + 10 * SECOND_MS,
          expiresAtMs: START_MS + 5 * MINUTE_MS,
          busyMs: 2 * MINUTE_MS,
          linkLossAction,
          preflight,
        },
      },
      START_MS,
    );
  const input: fc.Arbitrary<MissionInput> = fc.oneof(
    fc.record({ kind: fc.constantFrom(...MISSION_REQUESTS) }),
    fc.constant({ kind: 'emergency_stop' } as const),
    fc.record({ kind: fc.constant('declare_ended' as const), declaration, isReachable: fc.boolean() }),
    fc.record({
      kind: fc.constant('not_sent' as const),
      send: fc.constantFrom('upload' as const, 'start' as const, 'resume' as const),
    }),
    fc.record({ kind: fc.constant('ack' as const), accepted: fc.boolean(), reason }),
    fc.record({
      kind: fc.constant('progress' as const),
      state: fc.constantFrom(...MISSION_STATES),
      waypoints: fc.constant([]),
      reason,
      tsMs: timeMs,
    }),
    fc.record({
      kind: fc.constant('tick' as const),
      isReachable: fc.boolean(),
      deviceFree: fc.constant(true),
      isStopped: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
    }),
  );

  const sentencesOf = (mission: MissionState, nowMs: number): (string | null | undefined)[] => {
    const { status_detail, result } = missionRecord(mission);
    return [
      status_detail,
      result?.message,
      ...messagesOf(fieldConditionsOf({ ...fieldFacts, missions: [mission] }, nowMs)),
      refusalOf(() => refuseMissionDeclaration(mission, { isReachable: true, nowMs })),
      refusalOf(() => refuseMissionDeclaration(mission, { isReachable: false, nowMs })),
      ...MISSION_REQUESTS.map((kind) => refusalOf(() => refuseRequest(mission, kind))),
      refusalOf(() => refuseBusyRemoval({ operations: [], commands: [], missions: [mission] })),
      refusalOf(() => withoutBase(mission)),
    ];
  };

  it('whatever happens to it', () => {
    const from = fc.constantFrom(
      missionNamed('Field survey', 'return_to_base'),
      missionNamed('Mission', 'hold'),
      missionNamed('Field survey', 'continue'),
    );
    fc.assert(
      fc.property(from, steps(input), (begun, inputs) => {
        let mission = begun;
        check(sentencesOf(mission, START_MS));
        for (const [given, nowMs] of inputs) {
          mission = advanceMission(mission, given, nowMs).mission;
          check(sentencesOf(mission, nowMs));
        }
      }),
      RUNS,
    );
  });

  it('when it is refused', () => {
    const latest = {
      latitude: { value: 52_0050000, tsMs: START_MS },
      longitude: { value: 13_0050000, tsMs: START_MS },
      battery_level: { value: 30_000, tsMs: START_MS },
    };
    const device = {
      ...mobile,
      configuration: { ...mobile.configuration, geofence: FENCE },
      latest,
      commands: [],
      missions: [],
    };
    const wanted = { mission_name: 'Field survey', waypoints: [waypoint] };
    const startAt = (ms: number) => ({ ...wanted, scheduled_start: toIso(START_MS + ms) });
    const { battery_level, ...withoutBattery } = latest;
    const cases: readonly (readonly [FieldDeviceAtMission, PreflightRequest])[] = [
      [device, { ...wanted, waypoints: [{ ...waypoint, lat: 60 }] }],
      [device, { ...wanted, waypoints: Array(200).fill(waypoint) }],
      [device, startAt(-DAY_MS)],
      [device, startAt(400 * DAY_MS)],
      [{ ...device, latest: withoutBattery }, wanted],
      [{ ...device, latest: { ...latest, battery_level: { value: 1, tsMs: START_MS - HOUR_MS } } }, wanted],
      [{ ...device, missions: [missionNamed('Field survey', 'hold')] }, wanted],
    ];
    assert.ok(battery_level);
    for (const [at, request] of cases) {
      const message = refusalOf(() => planMission(request, at, START_MS));
      assert.ok(message !== null, JSON.stringify(request).slice(0, 200));
      check([message]);
    }
  });
});

describe('no sentence about values, devices and settings has a code name or a unit in words', () => {
  const probe: Sensor = {
    sensorId: 'temp_12',
    type: 'temperature',
    unit: 'celsius',
    scale: 10,
    min: -40,
    max: 80,
    lane: { group: 8, slot: 0 },
    reportingIntervalMs: null,
  };
  const nowMs = START_MS + HOUR_MS;
  const wrong = (value: number, tsMs = nowMs) => ({ value, tsMs });

  it('in the alerts of a silo', () => {
    const sensors = [...standardSensorsOf('silo_scale'), probe];
    const initial = initialConfiguration(START_MS - 400 * DAY_MS);
    const rules = [
      { sensor_id: 'temp_12', above: 30, severity: 'warning' as const },
      { sensor_id: 'temp_12', above: 30, severity: 'critical' as const, message: 'Hot grain' },
      { sensor_id: 'level', below: 40, severity: 'warning' as const },
      { sensor_id: 'humidity', above: 30, severity: 'warning' as const },
    ];
    const configuration = { ...initial, rules };
    const facts = {
      ...OBSERVED,
      deviceNo: 1,
      capacityKg: 1_000,
      sensors,
      configuration,
      operations: [],
      presence: seenAt(nowMs),
    };
    const values = [
      { weight: wrong(10_000), temperature: wrong(21_000), humidity: wrong(35_000), temp_12: wrong(314) },
      { weight: wrong(990_000), humidity: wrong(-1_000), temp_12: wrong(900) },
      { weight: wrong(90_000_000), temperature: wrong(1, START_MS), temp_12: wrong(1, START_MS) },
    ];
    const told = values.flatMap((latest) => [
      ...messagesOf(conditionsOf({ ...facts, latest }, nowMs)),
      ...messagesOf(thresholdConditions({ ...facts, latest }, nowMs)),
    ]);
    assert.ok(told.length >= 10, String(told.length));
    check(told);
    const gone = { ...facts, presence: { ...seenAt(START_MS), linkDownAtMs: START_MS }, latest: {} };
    check(messagesOf(conditionsOf(gone, nowMs)));
  });

  it('in the alerts of a field device', () => {
    const facts = { ...fieldFacts, presence: seenAt(nowMs) };
    const values = [
      { latitude: wrong(60_0000000), longitude: wrong(13_0000000), battery_level: wrong(3_000) },
      { battery_level: wrong(300_000), signal_strength: wrong(9_000_000), soil_moisture: wrong(-1) },
    ];
    const told = values.flatMap((latest) => messagesOf(fieldConditionsOf({ ...facts, latest }, nowMs)));
    assert.ok(told.length >= 3, String(told.length));
    check(told);
  });

  it('in the alerts about how messages arrive', () => {
    const causes: readonly RefusalCause[] = [
      { code: 'clock', offset_s: 3_600 },
      { code: 'clock', offset_s: -90 },
      { code: 'time_unit', unit: 'seconds' },
      { code: 'not_a_number', field: 'battery_level', found: 'text' },
      { code: 'undeclared_sensor', field: 'temp_12' },
      { code: 'other', text: 'the JSON cannot be used: a value is missing at line 1, column 1' },
    ];
    const receive = (from: Reception | null, message: Omit<MessageReception, 'deviceNo'>): Reception | null =>
      advanceReception(from, { deviceNo: 1, ...message });
    const told: string[] = [];
    const tell = (facts: { readonly reception?: Reception | null; readonly duplicate?: Duplicate | null }) =>
      told.push(...messagesOf(receptionConditions({ presence: seenAt(nowMs), ...facts }, nowMs)));
    for (const cause of causes) {
      for (const taken of ['none', 'some'] as const) {
        let reception: Reception | null = null;
        for (let n = 0; n < 3; n++) {
          const message = { atMs: nowMs + n, refusal: { taken, cause }, clockOffsetMs: null };
          reception = receive(reception, message);
        }
        tell({ reception });
      }
    }
    for (const clockOffsetMs of [-HOUR_MS, -90 * SECOND_MS, -40 * DAY_MS]) {
      let reception: Reception | null = null;
      for (let n = 0; n < 4; n++) {
        reception = receive(reception, { atMs: nowMs + n * 10 * SECOND_MS, refusal: null, clockOffsetMs });
      }
      tell({ reception });
    }
    for (const addresses of [[], ['10.0.0.7'], ['10.0.0.7', '10.0.0.8']]) {
      tell({ duplicate: { takeovers: 5, addresses, sinceMs: nowMs, lastAtMs: nowMs } });
    }
    assert.equal(told.length, 2 * causes.length + 3 + 3, told.join('\n'));
    check(told);
  });

  it('in refusals', () => {
    const silo = initialConfiguration(START_MS);
    const field = initialFieldConfiguration(START_MS);
    const refused = [
      refusalOf(() => applyPatch(silo, { thresholds: { low_level: 95 } })),
      refusalOf(() => applyPatch(silo, { thresholds: { critical_level: 50 } })),
      refusalOf(() => applyFieldPatch(field, { thresholds: { critical_battery: 90 } })),
      refusalOf(() => refuseUnsupported('weather_station', 'missions')),
      refusalOf(() => refuseUnsupported('silo_scale', 'commands')),
      refusalOf(() => refuseRemoved({ deviceId: 'silo-1', removedAtMs: START_MS })),
    ];
    assert.ok(refused.every((message) => message !== null));
    check(refused);
  });
});
