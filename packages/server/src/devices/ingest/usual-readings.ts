import type { ChannelName } from '@granary/contract/telemetry/channels';
import type { DeviceReading } from '@granary/contract/telemetry/telemetry';
import { isClockRight } from '@granary/core/reception/reception';
import type { Sensor } from '@granary/core/sensors/sensor';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import { isPlausible } from '@granary/core/telemetry/plausibility';
import {
  acceptReading,
  FIELDS,
  isFault,
  type PackedReadings,
  packReadings,
  TIME_AT,
  undeclaredIn,
  VALUES_AT,
} from '@granary/core/telemetry/readings';
import type { LinkDevice, MessageReceipts, TelemetryField, UsualReadings } from '@granary/link/port';
import type { SensorsById } from '../declared-sensors.ts';
import type { Arrival, PlainReceiver } from './batch.ts';
import type { IngestPipeline } from './pipeline.ts';

const ANY_TIME = { oldestMs: Number.NEGATIVE_INFINITY, newestMs: Number.POSITIVE_INFINITY };

export interface UsualParts {
  readonly cachedSensors: (deviceId: string) => SensorsById | undefined;
  readonly pipeline: Pick<IngestPipeline, 'submitPlain'>;
  readonly now: () => number;
  /** Resolves when a message that cannot be stored is dealt with. */
  readonly unstorable: (arrival: Arrival, error: unknown) => Promise<void>;
}

/** A number of a message that is the value of a sensor. */
interface Member {
  readonly sensor: Sensor;
  /** The index of the number in the message. */
  readonly numberAt: number;
  /** The index of the value in the rows. */
  readonly at: number;
}

/** The connection that the messages come from. */
interface UsualConnection {
  readonly device: LinkDevice;
  readonly receipts: MessageReceipts;
}

/**
 * Returns what takes the messages of one layout, or `null` if the decoded message has a value that is not plausible or not declared,
 * because somebody has to be told about it.
 */
export function usualReadings(
  connection: UsualConnection,
  parts: UsualParts,
  fields: readonly TelemetryField[],
  sent: DeviceReading,
): UsualReadings | null {
  const { device } = connection;
  const declared = sent.sensors === undefined ? undefined : parts.cachedSensors(device.deviceId);
  const source = declared === undefined ? device : { ...device, declared };
  const readings = acceptReading(source, sent, ANY_TIME);
  if (isFault(readings) || readings.some(({ badMask }) => badMask !== 0)) return null;
  if (sent.bad !== undefined || undeclaredIn(source, sent).length > 0) return null;
  const timeAt = fields.findIndex(({ name, isDeclared }) => name === 'ts' && !isDeclared);
  const members = fields.flatMap(({ name, isDeclared }, numberAt): Member[] => {
    const sensor = isDeclared ? declared?.get(name) : STANDARD_SENSORS[name as ChannelName];
    if (sensor === undefined) return [];
    const row = readings.findIndex(({ group }) => group === sensor.lane.group);
    return [{ sensor, numberAt, at: row * FIELDS + VALUES_AT + sensor.lane.slot }];
  });
  if (timeAt === -1 || members.length + 1 !== fields.length) return null;
  return new RowsOfLayout(connection, parts, { timeAt, members, declared, rows: packReadings(readings) });
}

interface Layout {
  /** The index of the time in the numbers. */
  readonly timeAt: number;
  readonly members: readonly Member[];
  /** The declared sensors of the device, where the layout has values of them. */
  readonly declared: SensorsById | undefined;
  /** The readings of a message, whose values and time each message replaces. */
  readonly rows: PackedReadings;
}

/** Puts the numbers of each message into rows, and the rows into the next batch. */
class RowsOfLayout implements UsualReadings, PlainReceiver {
  readonly #connection: UsualConnection;
  readonly #parts: UsualParts;
  readonly #layout: Layout;

  constructor(connection: UsualConnection, parts: UsualParts, layout: Layout) {
    this.#connection = connection;
    this.#parts = parts;
    this.#layout = layout;
  }

  /** The cache returns the same object until the sensors of the device change. */
  get isCurrent(): boolean {
    const { declared } = this.#layout;
    return declared === undefined || this.#parts.cachedSensors(this.#connection.device.deviceId) === declared;
  }

  take(numbers: Float64Array, message: number): boolean {
    const { pipeline, now } = this.#parts;
    const { timeAt, rows } = this.#layout;
    const nowMs = now();
    const tsMs = numbers[timeAt] ?? Number.NaN;
    if (!Number.isInteger(tsMs) || !isClockRight(tsMs - nowMs) || !this.#fill(numbers)) return false;
    for (let at = TIME_AT; at < rows.length; at += FIELDS) rows[at] = tsMs;
    return pipeline.submitPlain(rows, nowMs, this, message);
  }

  stored(message: number): void {
    this.#connection.receipts.stored(message);
  }

  failed(message: number, error: unknown, arrival: Arrival): void {
    const { receipts } = this.#connection;
    this.#parts.unstorable(arrival, error).then(
      () => receipts.stored(message),
      (fault: unknown) => receipts.failed(message, fault),
    );
  }

  /** Returns false for a value that is not plausible. */
  #fill(numbers: Float64Array): boolean {
    const { members, rows } = this.#layout;
    const { capacityKg } = this.#connection.device;
    for (const { sensor, numberAt, at } of members) {
      const stored = Math.round((numbers[numberAt] ?? 0) * sensor.scale);
      if (!isPlausible(sensor, stored / sensor.scale, capacityKg)) return false;
      rows[at] = stored;
    }
    return true;
  }
}
