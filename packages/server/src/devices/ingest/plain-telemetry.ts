import type { ChannelName } from '@granary/contract/telemetry/channels';
import type { DeviceReading } from '@granary/contract/telemetry/telemetry';
import { isClockRight } from '@granary/core/reception/reception';
import type { Sensor } from '@granary/core/sensors/sensor';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import {
  FIELDS,
  type PackedReadings,
  packReadings,
  TIME_AT,
  VALUES_AT,
} from '@granary/core/telemetry/packed-readings';
import { isPlausible } from '@granary/core/telemetry/plausibility';
import { acceptReading, isFault, undeclaredIn } from '@granary/core/telemetry/readings';
import type { LinkDevice, MessageReceipts, PlainTelemetry } from '@granary/link/port';
import { decodeSafely } from '@granary/link/session/deliver';
import type { SensorsById } from '../declared-sensors.ts';
import type { Arrival, PlainReceiver } from './batch.ts';
import type { IngestPipeline } from './pipeline.ts';

/** A longer message is not usual. */
const BYTES_MAX = 4_096;
/**
 * After a message of another shape the next messages are not compared: twice as many each time, up to this number. As many
 * usual messages in a row end that.
 */
const SKIPPED_MAX = 1_024;
/**
 * A decimal number with at most this many digits is a whole number divided by a power of ten. Both are exact, so the quotient
 * is what `JSON.parse` gives.
 */
const DIGITS_MAX = 15;
const POWERS_OF_TEN = Array.from({ length: DIGITS_MAX + 1 }, (_, power) => 10 ** power);
const ZERO = 0x30;
const MINUS = 0x2d;
const POINT = 0x2e;
const OBJECT = 0x7b;
/** Matches a member whose value is a number, the beginning of a nested object, or the end of an object. */
const MEMBERS = /"([^"\\]*)"\s*:\s*(?:(-?[0-9][-+.0-9eE]*)|\{)|\}/g;
const ANY_TIME = { oldestMs: Number.NEGATIVE_INFINITY, newestMs: Number.POSITIVE_INFINITY };

interface PlainParts {
  readonly cachedSensors: (deviceId: string) => SensorsById | undefined;
  readonly pipeline: Pick<IngestPipeline, 'submitPlain'>;
  readonly now: () => number;
  /** Resolves when a message that cannot be stored is dealt with. */
  readonly unstorable: (arrival: Arrival, error: unknown) => Promise<void>;
}

/**
 * Takes the usual telemetry of one connection without making a text or an object for each message. This is not a parser: it compares a
 * message with the text of an earlier one, which the general decoder has accepted, and only the numbers may differ. A message that
 * differs in anything else, or about which somebody has to be told something, is left to the general decoder.
 */
export class PlainMessages implements PlainTelemetry, PlainReceiver {
  readonly #device: LinkDevice;
  readonly #receipts: MessageReceipts;
  readonly #parts: PlainParts;
  #shape: Shape | null = null;
  #pause = 0;
  #toSkip = 0;
  #usualInRow = 0;

  constructor(device: LinkDevice, receipts: MessageReceipts, parts: PlainParts) {
    this.#device = device;
    this.#receipts = receipts;
    this.#parts = parts;
  }

  take(bytes: Uint8Array, start: number, end: number, message: number): boolean {
    const shape = this.#shape;
    if (shape === null || !this.#isCurrent(shape) || !shape.reads(bytes, start, end)) {
      this.#learn(bytes, start, end);
      return false;
    }
    if (++this.#usualInRow === SKIPPED_MAX) this.#pause = 0;
    const nowMs = this.#parts.now();
    const { tsMs } = shape;
    if (!Number.isInteger(tsMs) || !isClockRight(tsMs - nowMs)) return false;
    if (!shape.fill(this.#device.capacityKg)) return false;
    return this.#parts.pipeline.submitPlain(shape.rows, nowMs, this, message);
  }

  stored(message: number): void {
    this.#receipts.stored(message);
  }

  failed(message: number, error: unknown, arrival: Arrival): void {
    this.#parts.unstorable(arrival, error).then(
      () => this.#receipts.stored(message),
      (fault: unknown) => this.#receipts.failed(message, fault),
    );
  }

  /** The cache returns the same object until the sensors of the device change. */
  #isCurrent({ declared }: Shape): boolean {
    return declared === undefined || this.#parts.cachedSensors(this.#device.deviceId) === declared;
  }

  #learn(bytes: Uint8Array, start: number, end: number): void {
    this.#usualInRow = 0;
    if (this.#toSkip > 0) {
      this.#toSkip--;
      return;
    }
    this.#pause = Math.min(2 * this.#pause + 1, SKIPPED_MAX);
    this.#toSkip = this.#pause;
    if (end - start > BYTES_MAX || bytes[start] !== OBJECT) return;
    const payload = Buffer.from(bytes.subarray(start, end));
    const decoded = decodeSafely(this.#device, 'telemetry', payload);
    if (!('telemetry' in decoded) || Array.isArray(decoded.telemetry)) return;
    const declared = this.#parts.cachedSensors(this.#device.deviceId);
    this.#shape = shapeOf(payload, decoded.telemetry as DeviceReading, this.#device, declared) ?? this.#shape;
  }
}

/** A number of a message. */
interface Member {
  /** `null` for the time of the message. */
  readonly sensor: Sensor | null;
  /** The index of the value in the rows. */
  readonly at: number;
}

/** `null` for a message that is not usual. */
function shapeOf(
  payload: Buffer,
  sent: DeviceReading,
  device: LinkDevice,
  declared: SensorsById | undefined,
): Shape | null {
  const source = declared === undefined ? device : { ...device, declared };
  const readings = acceptReading(source, sent, ANY_TIME);
  if (isFault(readings) || readings.some(({ badMask }) => badMask !== 0)) return null;
  if (sent.bad !== undefined || undeclaredIn(source, sent).length > 0) return null;
  const members: Member[] = [];
  const texts: string[] = [];
  const sensors: Readonly<Record<string, number>> = sent.sensors ?? {};
  const values: unknown[] = [];
  let isInSensors = false;
  let textFrom = 0;
  // A byte is a character, so that places in the text are places in the payload.
  const text = payload.toString('latin1');
  for (const { 0: member, 1: name, 2: number, index } of text.matchAll(MEMBERS)) {
    if (name !== undefined && number !== undefined) {
      const sensor = isInSensors ? declared?.get(name) : STANDARD_SENSORS[name as ChannelName];
      const row = sensor === undefined ? 0 : readings.findIndex(({ group }) => group === sensor.lane.group);
      const at = sensor === undefined ? TIME_AT : row * FIELDS + VALUES_AT + sensor.lane.slot;
      members.push({ sensor: sensor ?? null, at });
      values.push(isInSensors ? sensors[name] : sent[name as ChannelName | 'ts']);
      const numberAt = index + member.length - number.length;
      texts.push(text.slice(textFrom, numberAt));
      textFrom = index + member.length;
    } else isInSensors = name !== undefined;
  }
  texts.push(text.slice(textFrom));
  const shape = new Shape(
    texts,
    members,
    packReadings(readings),
    sent.sensors === undefined ? undefined : declared,
  );
  // The shape must read exactly the values that were decoded, and all of them.
  const channels = Object.keys(sent).length - (sent.sensors === undefined ? 0 : 1);
  const isAll = members.length === channels + Object.keys(sensors).length;
  const isSame =
    isAll &&
    shape.reads(payload, 0, payload.length) &&
    values.every((one, n) => Object.is(one, shape.numbers[n]));
  return isSame && shape.tsMs === sent.ts ? shape : null;
}

/** The text of a message with places for its numbers. */
class Shape {
  /** The numbers of the message that was read last. */
  readonly numbers: Float64Array;
  /** The readings of a message, which `fill` completes. */
  readonly rows: PackedReadings;
  /** The declared sensors of the device, where the shape has values of them. */
  readonly declared: SensorsById | undefined;
  readonly #members: readonly Member[];
  /** The texts before, between and after the numbers, and where each of them ends. */
  readonly #text: Uint8Array;
  readonly #ends: readonly number[];
  readonly #timeAt: number;

  constructor(
    texts: readonly string[],
    members: readonly Member[],
    rows: PackedReadings,
    declared: SensorsById | undefined,
  ) {
    let end = 0;
    this.#text = Buffer.from(texts.join(''), 'latin1');
    this.#ends = texts.map(({ length }) => {
      end += length;
      return end;
    });
    this.#members = members;
    this.#timeAt = members.findIndex(({ sensor }) => sensor === null);
    this.numbers = new Float64Array(members.length);
    this.rows = rows;
    this.declared = declared;
  }

  get tsMs(): number {
    return this.numbers[this.#timeAt] ?? Number.NaN;
  }

  /** Whether the bytes are the text with other numbers; if so, the numbers are in `numbers`. */
  reads(bytes: Uint8Array, start: number, end: number): boolean {
    const text = this.#text;
    let at = start;
    let textAt = 0;
    for (let n = 0; n < this.numbers.length; n++) {
      const textEnd = this.#ends[n] ?? 0;
      while (textAt < textEnd) if (bytes[at++] !== text[textAt++]) return false;
      const isNegative = bytes[at] === MINUS;
      if (isNegative) at++;
      const first = at;
      let whole = 0;
      let digit = (bytes[at] ?? 0) - ZERO;
      for (; digit >= 0 && digit <= 9; digit = (bytes[++at] ?? 0) - ZERO) whole = whole * 10 + digit;
      let digits = at - first;
      if (digits === 0 || (digits > 1 && bytes[first] === ZERO)) return false;
      let decimals = 0;
      if (bytes[at] === POINT) {
        digit = (bytes[++at] ?? 0) - ZERO;
        for (; digit >= 0 && digit <= 9; digit = (bytes[++at] ?? 0) - ZERO) {
          whole = whole * 10 + digit;
          decimals++;
        }
        if (decimals === 0) return false;
        digits += decimals;
      }
      if (digits > DIGITS_MAX) return false;
      const number = whole / (POWERS_OF_TEN[decimals] ?? 1);
      this.numbers[n] = isNegative ? -number : number;
    }
    while (textAt < text.length) if (bytes[at++] !== text[textAt++]) return false;
    return at === end;
  }

  /** Completes the rows; false for a value that is not plausible. */
  fill(capacityKg: number | undefined): boolean {
    const { rows, numbers } = this;
    for (let n = 0; n < numbers.length; n++) {
      const { sensor, at } = this.#members[n] as Member;
      if (sensor === null) continue;
      const stored = Math.round((numbers[n] ?? 0) * sensor.scale);
      if (!isPlausible(sensor, stored / sensor.scale, capacityKg)) return false;
      rows[at] = stored;
    }
    for (let at = TIME_AT; at < rows.length; at += FIELDS) rows[at] = this.tsMs;
    return true;
  }
}
