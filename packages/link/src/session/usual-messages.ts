import type { ChannelName } from '@granary/contract/telemetry/channels';
import type { DeviceReading } from '@granary/contract/telemetry/telemetry';
import type { LinkDevice, TakeLayout, TelemetryField, UsualReadings } from '../port.ts';
import { decodeSafely } from './deliver.ts';

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

/**
 * The stage of the decoder for the usual telemetry of one connection, which makes no text and no object for a message. It is not a
 * parser: it compares a message with the text of an earlier one, which the general decoder has accepted, and only the numbers may
 * differ. A message that differs in anything else, or about which somebody has to be told something, is left to the general decoder.
 */
export class UsualMessages {
  readonly #device: LinkDevice;
  readonly #takeLayout: TakeLayout;
  #shape: Shape | null = null;
  #readings: UsualReadings | null = null;
  #pause = 0;
  #toSkip = 0;
  #usualInRow = 0;

  constructor(device: LinkDevice, takeLayout: TakeLayout) {
    this.#device = device;
    this.#takeLayout = takeLayout;
  }

  /** Returns false if the message is not a usual one; then nothing was done. Otherwise the receipts get the result later. */
  take(bytes: Uint8Array, start: number, end: number, message: number): boolean {
    const shape = this.#shape;
    const readings = this.#readings;
    if (shape === null || readings?.isCurrent !== true || !shape.reads(bytes, start, end)) {
      this.#learn(bytes, start, end);
      return false;
    }
    if (++this.#usualInRow === SKIPPED_MAX) this.#pause = 0;
    return readings.take(shape.numbers, message);
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
    const sent = decoded.telemetry as DeviceReading;
    const shape = shapeOf(payload, sent);
    const readings = shape && this.#takeLayout(shape.fields, sent);
    if (readings === null) return;
    this.#shape = shape;
    this.#readings = readings;
  }
}

/** Returns `null` if the message has anything but numbers. */
function shapeOf(payload: Buffer, sent: DeviceReading): Shape | null {
  const fields: TelemetryField[] = [];
  const texts: string[] = [];
  const sensors: Readonly<Record<string, number>> = sent.sensors ?? {};
  const values: unknown[] = [];
  let isDeclared = false;
  let textFrom = 0;
  // A byte is a character, so that places in the text are places in the payload.
  const text = payload.toString('latin1');
  for (const { 0: member, 1: name, 2: number, index } of text.matchAll(MEMBERS)) {
    if (name !== undefined && number !== undefined) {
      fields.push({ name, isDeclared });
      values.push(isDeclared ? sensors[name] : sent[name as ChannelName | 'ts']);
      const numberAt = index + member.length - number.length;
      texts.push(text.slice(textFrom, numberAt));
      textFrom = index + member.length;
    } else isDeclared = name !== undefined;
  }
  texts.push(text.slice(textFrom));
  const shape = new Shape(texts, fields);
  // The shape must read exactly the values that were decoded, and all of them.
  const channels = Object.keys(sent).length - (sent.sensors === undefined ? 0 : 1);
  const isAll = fields.length === channels + Object.keys(sensors).length;
  const isSame =
    isAll &&
    shape.reads(payload, 0, payload.length) &&
    values.every((value, n) => Object.is(value, shape.numbers[n]));
  return isSame ? shape : null;
}

/** The text of a message with places for its numbers. */
class Shape {
  readonly fields: readonly TelemetryField[];
  /** The numbers of the message that was read last. */
  readonly numbers: Float64Array;
  /** The texts before, between and after the numbers, and where each of them ends. */
  readonly #text: Uint8Array;
  readonly #ends: readonly number[];

  constructor(texts: readonly string[], fields: readonly TelemetryField[]) {
    let end = 0;
    this.#text = Buffer.from(texts.join(''), 'latin1');
    this.#ends = texts.map(({ length }) => {
      end += length;
      return end;
    });
    this.fields = fields;
    this.numbers = new Float64Array(fields.length);
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
}
