import { Endpoint, type PolledUnit, type PollGroup } from '../../endpoint/endpoint.ts';
import type { ModbusMapping, Point } from '../../mapping/mapping.ts';
import { type ModbusPlace, ORDERS, rawAt, rawBit } from '../../mapping/modbus-place.ts';
import { type PlannedRead, planReads, type ReadGroup } from '../../mapping/read-plan.ts';
import { evaluatePoints, type PointValue, pointsNeededBy, type RawValue } from '../../mapping/value.ts';
import type { AttachedDevice, Driver, DriverEvents, DriverModule, DriverParts, Sample } from '../driver.ts';
import { ReadError } from '../read-error.ts';
import { everyMsOf, modbusDeviceFaults } from './device-faults.ts';
import { type LineOptions, ModbusLine, parseLineAddress } from './line.ts';

const DEFAULT_UNIT = 1;

/** A device with its mapping, in the form that this driver needs. */
interface ModbusDevice {
  readonly id: string;
  readonly unit: number;
  readonly mapping: ModbusMapping;
  readonly groups: readonly ReadGroup[];
}

function modbusDevice(device: AttachedDevice): ModbusDevice {
  const { id, unit, mapping } = device;
  const [fault] = modbusDeviceFaults(device);
  if (fault !== undefined || mapping.protocol !== 'modbus') throw new Error(`${id}: ${fault}`);
  return { id, unit: unit ?? DEFAULT_UNIT, mapping, groups: planReads(mapping, everyMsOf(device)) };
}

/** Returns the values of the points whose registers were read. */
function valuesOf(
  points: readonly Point<ModbusPlace>[],
  answers: ReadonlyMap<PlannedRead, Buffer>,
): PointValue[] {
  const raw = new Map<string, RawValue>();
  for (const [read, data] of answers)
    for (const { name, place } of read.points) raw.set(name, rawOf(place, read, data));
  return evaluatePoints(points, (name) => raw.get(name));
}

function rawOf(place: ModbusPlace, read: PlannedRead, data: Buffer): RawValue {
  const index = place.at - read.at;
  if (place.type === 'bit') return rawBit((((data[index >> 3] ?? 0) >> (index & 7)) & 1) === 1);
  return rawAt(place, data, 2 * index);
}

class ModbusDriver implements Driver {
  readonly #endpoints: readonly { readonly line: ModbusLine; readonly endpoint: Endpoint<PlannedRead> }[];

  constructor(devices: readonly AttachedDevice[], events: DriverEvents, parts: DriverParts) {
    const byEndpoint = Map.groupBy(devices, ({ endpoint }) => endpoint);
    this.#endpoints = [...byEndpoint].map(([address, attached]) => {
      const here = attached.map(modbusDevice);
      const pauseAfterConnectMs = Math.max(
        ...here.map(({ mapping }) => mapping.settings.pauseAfterConnectMs),
      );
      const line = new ModbusLine(parseLineAddress(address), { pauseAfterConnectMs });
      const units = here.map((device) => polledUnit(device, line, events, parts));
      return { line, endpoint: new Endpoint(units, parts) };
    });
  }

  start(): Promise<void> {
    for (const { endpoint } of this.#endpoints) endpoint.start();
    return Promise.resolve();
  }

  stop(): Promise<void> {
    for (const { endpoint, line } of this.#endpoints) {
      endpoint.stop();
      line.close();
    }
    return Promise.resolve();
  }

  health() {
    return this.#endpoints.flatMap(({ endpoint }) => endpoint.health());
  }
}

function polledUnit(
  { id, unit, mapping, groups }: ModbusDevice,
  line: ModbusLine,
  events: DriverEvents,
  { now }: DriverParts,
): PolledUnit<PlannedRead> {
  return {
    deviceId: id,
    timeoutMs: mapping.settings.timeoutMs,
    pauseMs: mapping.settings.pauseMs,
    ask: (read, timeoutMs) => line.ask(unit, read, timeoutMs),
    groups: groups.map((group): PollGroup<PlannedRead> => {
      const lostWith = new Map(group.reads.map((read) => [read, namesLostWith(read, group)]));
      return {
        everyMs: group.everyMs,
        requests: group.reads,
        pointsOf: (read) => lostWith.get(read) ?? [],
        finished: (answers, roundTripMs) =>
          events.sample({ deviceId: id, atMs: now(), roundTripMs, values: valuesOf(group.points, answers) }),
        failed: (failure) => events.failed(id, failure),
      };
    }),
  };
}

/** Returns the points in a read, and the points whose values depend on one of them. */
function namesLostWith({ points }: PlannedRead, group: ReadGroup): string[] {
  const read = new Set(points.map(({ name }) => name));
  return group.points
    .filter(({ name, rules }) => read.has(name) || pointsNeededBy(rules).some((needed) => read.has(needed)))
    .map(({ name }) => name);
}

/** Returns the value of each point in every order of bytes: usually only the right order gives a plausible value. */
export function valuesInOrders(
  points: readonly Point<ModbusPlace>[],
  values: readonly PointValue[],
): Map<string, Record<string, number | string | null>> {
  const shown = new Map<string, Record<string, number | string | null>>();
  for (const { point: name, raw } of values) {
    const point = points.find((each) => each.name === name);
    if (point === undefined || ['bit', 'string'].includes(point.place.type)) continue;
    const bytes = Buffer.from(raw, 'hex');
    const { scale, offset } = point.rules;
    const entries = ORDERS.map((order) => {
      const { is } = rawAt({ ...point.place, order }, bytes, 0);
      return [order, typeof is === 'bigint' ? String(is) : Number(is) * scale + offset] as const;
    });
    shown.set(name, Object.fromEntries(entries));
  }
  return shown;
}

/** Reads all values of a device once, on a separate connection. The first failure ends it. */
export async function readDevice(
  device: AttachedDevice,
  { now }: Pick<DriverParts, 'now'>,
  options: Pick<LineOptions, 'tap'> = {},
): Promise<Sample> {
  const { id, unit, mapping, groups } = modbusDevice(device);
  const { timeoutMs, pauseMs, pauseAfterConnectMs } = mapping.settings;
  const line = new ModbusLine(parseLineAddress(device.endpoint), { ...options, pauseAfterConnectMs });
  try {
    const answers = new Map<PlannedRead, Buffer>();
    const failures: ReadError[] = [];
    let roundTripMs = 0;
    for (const read of groups.flatMap(({ reads }) => reads)) {
      const startedMs = performance.now();
      try {
        answers.set(read, await line.ask(unit, read, timeoutMs));
        roundTripMs = performance.now() - startedMs;
      } catch (error) {
        if (!(error instanceof ReadError) || error.isConnection || error.code === 'timeout') throw error;
        failures.push(error);
      }
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    const [failure] = failures;
    if (answers.size === 0 && failure !== undefined) throw failure;
    return { deviceId: id, atMs: now(), roundTripMs, values: valuesOf(mapping.points, answers) };
  } finally {
    line.close();
  }
}

export const modbus: DriverModule = {
  makeDriver: (devices, events, parts) => new ModbusDriver(devices, events, parts),
  readOnce: readDevice,
};
