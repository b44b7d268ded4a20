import { type ByteList, type ByteReader, unzigzag, zigzag } from './bytes.ts';

/** Which rows have a value. */
const PRESENCE = { none: 0, all: 1, some: 2 } as const;
/** `exact` are floating-point numbers as they are; the others are the first value and whole multiples of a step. */
const METHOD = { constant: 0, offsets: 1, differences: 2, secondDifferences: 3, exact: 4 } as const;
type Method = (typeof METHOD)[keyof typeof METHOD];

/** Differences of differences of numbers up to this one are exact in floating point. */
const ABSOLUTE_MAX = 2 ** 48;
const PRESENCES = 3;

/** Writes a column of whole numbers: its description to `head`, and a number for each value to `body`. */
export function writeColumn(values: readonly (number | null)[], head: ByteList, body: ByteList): void {
  const present = values.filter((value) => value !== null);
  if (present.length === 0) {
    head.push(PRESENCE.none);
    return;
  }
  const isWhole = present.length === values.length;
  const [first = 0] = present;
  const step = stepOf(present, first);
  const offsets = step > 0 ? present.map((value) => (value - first) / step) : [];
  const methodWithoutOffsets = step === 0 ? METHOD.constant : METHOD.exact;
  const method = step > 0 ? bestMethod(offsets) : methodWithoutOffsets;
  head.push((isWhole ? PRESENCE.all : PRESENCE.some) + PRESENCES * method);
  if (!isWhole) writePresence(values, head);
  if (method === METHOD.exact) {
    head.append(new Uint8Array(Float64Array.from(present).buffer));
    return;
  }
  head.pushNumber(zigzag(first));
  if (method === METHOD.constant) return;
  head.pushNumber(step);
  for (let index = 1; index < offsets.length; index++)
    body.pushNumber(zigzag(predicted(offsets, index, method)));
}

export function readColumn(length: number, head: ByteReader, body: ByteReader): (number | null)[] {
  const { isPresent, count, method } = readKind(length, head);
  if (count === 0) return Array(length).fill(null);
  const values = readValues(count, method, head, body);
  if (isPresent === null) return values;
  let next = 0;
  return Array.from({ length }, (_, row) => (isPresent(row) ? (values[next++] ?? null) : null));
}

/** Passes over a column without decoding it. */
export function skipColumn(length: number, head: ByteReader, body: ByteReader): void {
  const { count, method } = readKind(length, head);
  if (count === 0) return;
  if (method === METHOD.exact) {
    head.take(count * Float64Array.BYTES_PER_ELEMENT);
    return;
  }
  head.nextNumber();
  if (method === METHOD.constant) return;
  head.nextNumber();
  body.skipNumbers(count - 1);
}

/** The largest step of which all differences are multiples; 0 if all values are equal, −1 if only `exact` keeps them. */
function stepOf(values: readonly number[], first: number): number {
  let step = 0;
  for (const value of values) {
    if (!(Math.abs(value) < ABSOLUTE_MAX) || Object.is(value, -0)) return -1;
    if (step !== 1) step = greatestDivisor(step, Math.abs(value - first));
  }
  return step;
}

function greatestDivisor(one: number, other: number): number {
  let [large, small] = [one, other];
  while (small > 0) [large, small] = [small, large % small];
  return large;
}

/** The one with the fewest bits: noise is smaller without differences, a slope with them. */
function bestMethod(offsets: readonly number[]): Method {
  let [ofOffsets, ofDifferences, ofSecondDifferences] = [0, 0, 0];
  let before = 0;
  let differenceBefore = 0;
  for (const offset of offsets) {
    const difference = offset - before;
    ofOffsets += bitsOf(offset);
    ofDifferences += bitsOf(difference);
    ofSecondDifferences += bitsOf(difference - differenceBefore);
    before = offset;
    differenceBefore = difference;
  }
  if (ofDifferences <= Math.min(ofOffsets, ofSecondDifferences)) return METHOD.differences;
  return ofOffsets <= ofSecondDifferences ? METHOD.offsets : METHOD.secondDifferences;
}

/** Only an estimate of the size: a larger number counts as this one, because hardly any value is larger. */
const COUNTED_MAX = 2 ** 31 - 1;
const bitsOf = (number: number): number => 32 - Math.clz32(Math.min(Math.abs(number), COUNTED_MAX));

/** What is left of an offset when the offsets before it predict it. */
function predicted(offsets: readonly number[], index: number, method: Method): number {
  const offset = offsets[index] ?? 0;
  if (method === METHOD.offsets) return offset;
  const before = offsets[index - 1] ?? 0;
  if (method === METHOD.differences || index === 1) return offset - before;
  return offset - 2 * before + (offsets[index - 2] ?? 0);
}

function readValues(count: number, method: Method, head: ByteReader, body: ByteReader): number[] {
  if (method === METHOD.exact) {
    const bytes = head.take(count * Float64Array.BYTES_PER_ELEMENT);
    return [...new Float64Array(Uint8Array.from(bytes).buffer)];
  }
  const first = unzigzag(head.nextNumber());
  const values: number[] = [first];
  if (method === METHOD.constant) return Array(count).fill(first);
  const step = head.nextNumber();
  let offset = 0;
  let slope = 0;
  for (let index = 1; index < count; index++) {
    const rest = unzigzag(body.nextNumber());
    if (method === METHOD.offsets) offset = rest;
    else {
      slope = method === METHOD.differences ? rest : slope + rest;
      offset += slope;
    }
    values.push(first + offset * step);
  }
  return values;
}

function writePresence(values: readonly (number | null)[], head: ByteList): void {
  for (let start = 0; start < values.length; start += 8) {
    let byte = 0;
    for (let bit = 0; bit < 8; bit++) if ((values[start + bit] ?? null) !== null) byte |= 1 << bit;
    head.push(byte);
  }
}

interface Kind {
  readonly count: number;
  readonly method: Method;
  /** `null`: every row has a value, or none has one. */
  readonly isPresent: ((row: number) => boolean) | null;
}

function readKind(length: number, head: ByteReader): Kind {
  const kind = head.next();
  const method = Math.floor(kind / PRESENCES) as Method;
  if (kind % PRESENCES === PRESENCE.none) return { count: 0, method, isPresent: null };
  if (kind % PRESENCES === PRESENCE.all) return { count: length, method, isPresent: null };
  const bits = head.take(Math.ceil(length / 8));
  const isPresent = (row: number): boolean => (((bits[row >> 3] ?? 0) >> (row & 7)) & 1) === 1;
  let count = 0;
  for (let row = 0; row < length; row++) if (isPresent(row)) count++;
  return { count, method, isPresent };
}
