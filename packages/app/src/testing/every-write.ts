import { DAY_MS, SECOND_MS, toIso } from '@granary/contract/time';
import { readingsOf } from '@granary/core/testing/readings';
import type { App } from '../app.ts';
import type { SLICES, SliceName } from '../use-cases.ts';
import { batchOf, NOW_MS, newDevice, reading, tickDue } from './fixtures.ts';

/** One of many rounds in which every write of the store is done on the same few rows. */
export interface WriteRound {
  readonly app: App;
  /** The number of the app among those that write at the same time. */
  readonly node: number;
  readonly round: number;
  readonly silos: readonly number[];
  readonly rovers: readonly number[];
  readonly alerts: readonly { readonly deviceNo: number; readonly alertId: string }[];
}

type Writes = (round: WriteRound) => readonly Promise<unknown>[];

/** The type requires an entry for every write of every slice. */
export type EveryWrite = {
  readonly [Slice in SliceName]: {
    readonly [Write in keyof (typeof SLICES)[Slice]['writes']]: Writes;
  };
};

const LIMIT = 100;
/** Raw readings of this age are removed again in the same round. */
const PAST_MS = 40 * DAY_MS;

const atMs = ({ round }: WriteRound): number => NOW_MS + round * SECOND_MS;

const ofEach = (deviceNos: readonly number[], write: (deviceNo: number) => Promise<unknown>) =>
  deviceNos.map(write);

/** The ids are the same within a round, so that replies of devices refer to its jobs. */
const operationId = (deviceNo: number, { round }: WriteRound): string => `op_${deviceNo}_${round}`;
const commandId = (deviceNo: number, { round }: WriteRound): string => `cmd_${deviceNo}_${round}`;
const missionId = (deviceNo: number, { round, node }: WriteRound): string =>
  `ms_${deviceNo}_${round}_${node}`;
const keyId = ({ round }: WriteRound): string => `key_${round}`;
const secret = (id: string, createdAtMs: number) => ({ keyId: id, hash: `hash of ${id}`, createdAtMs });

/** Appends the same rows in both orders: without a deadlock only if the order of the locks does not depend on the input. */
function append(round: WriteRound): Promise<unknown>[] {
  const { app, silos, rovers } = round;
  const nowMs = atMs(round);
  const weight = round.round % 2 ? 1_500_000 : 5_000_000;
  const batteryLevel = round.round % 2 ? 100_000 : 20_000;
  const position = { latitude: 520_000_000, longitude: 130_000_000, battery_level: batteryLevel };
  const readings = [
    ...silos.flatMap((no) => [reading(no, nowMs, { weight }), reading(no, nowMs - PAST_MS, { weight })]),
    ...rovers.flatMap((no) => readingsOf(no, nowMs, position)),
  ];
  const seen = [...silos, ...rovers].map((deviceNo) => ({ deviceNo, atMs: nowMs }));
  const rejections = silos.map((deviceNo) => {
    return { deviceNo, receivedAtMs: nowMs, topic: 'telemetry', reason: 'wrong', payload: '?' };
  });
  return [
    app.telemetry.append(batchOf({ readings, seen, rejections })),
    app.telemetry.append(
      batchOf({
        readings: readings.toReversed(),
        seen: seen.toReversed(),
        rejections: rejections.toReversed(),
      }),
    ),
  ];
}

export const EVERY_WRITE: EveryWrite = {
  devices: {
    register: (round) => [
      round.app.devices.register(newDevice({ deviceId: `new-${round.round}`, registeredAtMs: atMs(round) })),
    ],
    update: (round) =>
      ofEach([...round.silos, ...round.rovers], (deviceNo) =>
        round.app.devices.update(
          deviceNo,
          { sensors: [{ sensor_id: `co2_${round.round}`, type: 'co2', unit: 'ppm' }] },
          atMs(round),
        ),
      ),
    replaceSecret: (round) =>
      ofEach(round.silos, (deviceNo) =>
        round.app.devices.replaceSecret(deviceNo, `hash ${round.round}`, atMs(round)),
      ),
    recordLinkDown: (round) =>
      ofEach([...round.silos, ...round.rovers], (deviceNo) =>
        // The time is just before the device was seen again, otherwise it would be offline in every round.
        round.app.devices.recordLinkDown(deviceNo, atMs(round) - 1),
      ),
    recordState: (round) =>
      ofEach([...round.silos, ...round.rovers], (deviceNo) =>
        round.app.devices.recordState(deviceNo, 'online', atMs(round)),
      ),
  },
  telemetry: {
    append,
    expire: (round) => [
      round.app.telemetry.expire({
        rawBeforeMs: atMs(round) - PAST_MS + DAY_MS,
        fiveMinutesBeforeMs: atMs(round) - PAST_MS + DAY_MS,
        rowsMax: LIMIT,
      }),
    ],
  },
  configuration: {
    change: (round) => [
      ...ofEach(round.silos, (deviceNo) => {
        const thresholds = { low_level: 20 + (round.round % 5) };
        return round.app.configuration.change(deviceNo, { thresholds }, atMs(round));
      }),
      ...ofEach(round.rovers, (deviceNo) => {
        const thresholds = { low_battery: 25 + (round.round % 5) };
        return round.app.configuration.change(deviceNo, { thresholds }, atMs(round));
      }),
    ],
  },
  keys: {
    create: (round) => [
      round.app.keys.create({
        ...secret(`${keyId(round)}_${round.node}`, atMs(round)),
        ...{ name: 'key', scopes: ['read'], facilities: null, deviceIds: null, expiresAtMs: null },
      }),
    ],
    revoke: ({ app, round }) => [app.keys.revoke('key_shared', NOW_MS + round)],
    rotate: (round) => [
      round.app.keys.rotate(
        'key_lasting',
        secret(`${keyId(round)}_${round.node}_rotated`, atMs(round)),
        atMs(round) + DAY_MS,
      ),
    ],
    preset: (round) => [
      round.app.keys.preset({
        ...secret(`${keyId(round)}_${round.node}_preset`, atMs(round)),
        ...{ name: 'preset', scopes: ['admin'], facilities: null, deviceIds: null, expiresAtMs: null },
      }),
    ],
    recordUse: (round) => [round.app.keys.recordUse('key_lasting', atMs(round))],
  },
  operations: {
    expire: (round) => [round.app.operations.expire({ beforeMs: atMs(round), rowsMax: LIMIT })],
    start: (round) =>
      ofEach(round.silos, (deviceNo) => {
        const nowMs = atMs(round);
        const idempotencyKey = {
          keyId: 'key',
          key: `${round.round}`,
          fingerprint: '',
          nowMs,
          encryptedSecret: null,
        };
        const id = operationId(deviceNo, round);
        const request = { amount: 1 };
        const start = { deviceNo, operationId: id, type: 'feed', request, isReachable: true, nowMs } as const;
        return round.app.once(idempotencyKey).operations.start(start);
      }),
    notSent: (round) =>
      ofEach(round.silos, (deviceNo) =>
        round.app.operations.notSent({
          ...{ deviceNo, operationId: operationId(deviceNo, round), nowMs: atMs(round) },
          why: 'not_connected',
        }),
      ),
    stop: (round) =>
      ofEach(round.silos, (deviceNo) =>
        round.app.operations.stop({
          deviceNo,
          operationId: operationId(deviceNo, round),
          nowMs: atMs(round),
        }),
      ),
    acknowledged: (round) =>
      ofEach(round.silos, (deviceNo) => {
        const ack = { operation_id: operationId(deviceNo, round), accepted: true };
        return round.app.operations.acknowledged({ deviceNo, ack, nowMs: atMs(round) });
      }),
    progressed: (round) =>
      ofEach(round.silos, (deviceNo) => {
        const nowMs = atMs(round);
        const id = operationId(deviceNo, round);
        const progress = { operation_id: id, state: 'completed', amount_kg: 1, ts: nowMs } as const;
        return round.app.operations.progressed({ deviceNo, progress, nowMs });
      }),
    tick: (round) => [tickDue(round.app, 'operations', atMs(round))],
  },
  alerts: {
    expire: (round) => [round.app.alerts.expire({ beforeMs: atMs(round), rowsMax: LIMIT })],
    beginObservation: (round) => [round.app.alerts.beginObservation(NOW_MS - DAY_MS)],
    evaluate: (round) =>
      [[...round.silos, ...round.rovers], [...round.rovers, ...round.silos].toReversed()].map((deviceNos) =>
        round.app.alerts.evaluate({ deviceNos, nowMs: atMs(round) }),
      ),
    evaluateDue: (round) => [round.app.alerts.evaluateDue({ nowMs: atMs(round), limit: LIMIT })],
    acknowledge: (round) =>
      round.alerts.map((address) =>
        round.app.alerts.acknowledge({ ...address, nowMs: atMs(round), by: { acknowledged_by: 'Ada' } }),
      ),
    acknowledgeMany: (round) =>
      [round.alerts, round.alerts.toReversed()].map((alerts) =>
        round.app.alerts.acknowledgeMany({
          alertIds: alerts.map(({ alertId }) => alertId),
          limits: { facilities: null, deviceIds: null },
          by: { acknowledged_by: 'Ada' },
          nowMs: atMs(round),
        }),
      ),
    shelve: (round) =>
      round.alerts.map((address) => {
        const shelving = { until: toIso(atMs(round) + DAY_MS), reason: 'known' };
        return round.app.alerts.shelve({ ...address, nowMs: atMs(round), shelving });
      }),
    unshelve: (round) =>
      round.alerts.map((address) => round.app.alerts.unshelve({ ...address, nowMs: atMs(round) })),
  },
  events: {
    expire: (round) => [round.app.events.expire({ beforeMs: atMs(round) - 5 * SECOND_MS, rowsMax: LIMIT })],
  },
  idempotency: {
    expire: (round) => [
      round.app.idempotency.expire({ beforeMs: atMs(round) - 5 * SECOND_MS, rowsMax: LIMIT }),
    ],
  },
  commands: {
    expire: (round) => [round.app.commands.expire({ beforeMs: atMs(round), rowsMax: LIMIT })],
    issue: (round) =>
      ofEach(round.rovers, (deviceNo) => {
        const request = { command: round.round % 3 ? 'hold' : 'emergency_stop' } as const;
        const id = commandId(deviceNo, round);
        const issue = { deviceNo, commandId: id, request, isReachable: true };
        return round.app.commands.issue({ ...issue, nowMs: atMs(round) });
      }),
    notSent: (round) =>
      ofEach(round.rovers, (deviceNo) => {
        const unsent = {
          deviceNo,
          commandId: commandId(deviceNo, round),
          delivery: 'not_connected',
        } as const;
        return round.app.commands.notSent({ ...unsent, nowMs: atMs(round) });
      }),
    acknowledged: (round) =>
      ofEach(round.rovers, (deviceNo) => {
        const ack = { command_id: commandId(deviceNo, round), accepted: true };
        return round.app.commands.acknowledged({ deviceNo, ack, nowMs: atMs(round) });
      }),
    progressed: (round) =>
      ofEach(round.rovers, (deviceNo) => {
        const nowMs = atMs(round);
        const progress = { command_id: commandId(deviceNo, round), state: 'succeeded', ts: nowMs } as const;
        return round.app.commands.progressed({ deviceNo, progress, nowMs });
      }),
  },
  missions: {
    expire: (round) => [round.app.missions.expire({ beforeMs: atMs(round), rowsMax: LIMIT })],
    create: (round) =>
      ofEach(round.rovers, (deviceNo) => {
        const waypoints = [{ lat: 52, lng: 13, action: 'none' as const }];
        const mission = { mission_name: 'm', waypoints };
        const id = missionId(deviceNo, round);
        const creation = { deviceNo, missionId: id, mission, isReachable: true };
        return round.app.missions.create({ ...creation, nowMs: atMs(round) });
      }),
    control: (round) =>
      ofEach(round.rovers, (deviceNo) => {
        const id = missionId(deviceNo, round);
        return round.app.missions.control({
          ...{ deviceNo, missionId: id, control: 'cancel', isReachable: true, nowMs: atMs(round) },
        });
      }),
    notSent: (round) =>
      ofEach(round.rovers, (deviceNo) => {
        const unsent = { deviceNo, missionId: missionId(deviceNo, round), send: 'start' } as const;
        return round.app.missions.notSent({ ...unsent, nowMs: atMs(round) });
      }),
    acknowledged: (round) =>
      ofEach(round.rovers, (deviceNo) => {
        const ack = { mission_id: missionId(deviceNo, round), accepted: true };
        return round.app.missions.acknowledged({ deviceNo, ack, nowMs: atMs(round) });
      }),
    progressed: (round) =>
      ofEach(round.rovers, (deviceNo) => {
        const nowMs = atMs(round);
        const progress = { mission_id: missionId(deviceNo, round), state: 'running', ts: nowMs } as const;
        return round.app.missions.progressed({ deviceNo, progress, nowMs });
      }),
  },
  field: {
    tick: (round) => [tickDue(round.app, 'field', atMs(round))],
  },
  fleet: {},
  plants: {
    create: (round) => [
      round.app.plants.create({ id: `${round.round}`, name: 'Fern', tag: null, nowMs: atMs(round) }),
    ],
  },
};
