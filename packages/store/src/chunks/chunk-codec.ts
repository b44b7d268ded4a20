import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ByteList, ByteReader, unzigzag, zigzag } from './bytes.ts';

/** Which rows have a value. */
const PRESENCE = { none: 0, all: 1, some: 2 } as const;
/** `exact` stores floating-point numbers unchanged; the other methods store the first value and whole multiples of a step. */
const METHOD = { constant: 0, offsets: 1, differences: 2, secondDifferences: 3, exact: 4 } as const;
/** Differences of differences of numbers up to this one are exact in floating point. */
const ABSOLUTE_MAX = 2 ** 48;
const PRESENCES = 3;
/** The size is only estimated: a larger number counts as this one, because hardly any value is larger. */
const COUNTED_MAX = 2 ** 31 - 1;
/** The first byte of a chunk. Another encoding gets the next number, and this one stays readable. */
const VERSION = 1;
/** Higher compression levels take several times as long for these short lists and save nothing. */
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Shorter lists would become longer by compression. */
const COMPRESSED_BYTES_MIN = 32;
/** How the times of a series are stored; a device sends the values of several groups with one time. */
const TIMES = { asBefore: 0, own: 1 } as const;
/** The columns `a`, `b`, `c` and `bad_mask` of a row, which follow its key. */
const COLUMNS = [3, 4, 5, 6] as const;
const NOTHING = new ByteReader(new Uint8Array());

type Method = (typeof METHOD)[keyof typeof METHOD];

/** Writes a column of whole numbers: its description to `head`, and a number for each value to `body`. */
function writeColumn(values: readonly (number | null)[], head: ByteList, body: ByteList): void {
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

function readColumn(length: number, head: ByteReader, body: ByteReader): (number | null)[] {
  const { isPresent, count, method } = readKind(length, head);
  if (count === 0) return Array(length).fill(null);
  const values = readValues(count, method, head, body);
  if (isPresent === null) return values;
  let next = 0;
  return Array.from({ length }, (_, row) => (isPresent(row) ? (values[next++] ?? null) : null));
}

/** Skips a column without decoding it. */
function skipColumn(length: number, head: ByteReader, body: ByteReader): void {
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

/** Returns the method with the fewest bits: noise is smaller without differences, a slope is smaller with them. */
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

const bitsOf = (number: number): number => 32 - Math.clz32(Math.min(Math.abs(number), COUNTED_MAX));

/** Returns the difference between an offset and its prediction from the offsets before it. */
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
  /** Whether a row has a value; `null` if all rows have one, or none has. */
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

/** A row of raw readings: its key, which is also its place in the order of the rows, and its values. */
export type ChunkRow = readonly [
  tsMs: number,
  deviceNo: number,
  group: number,
  a: number | null,
  b: number | null,
  c: number | null,
  badMask: number | null,
];

/**
 * Encodes rows with distinct keys. The rows of a device and sensor group are a series, which is written column by column;
 * columns with the same meaning are compressed together.
 */
export function encodeChunk(rows: readonly ChunkRow[]): Uint8Array {
  const directory = new ByteList();
  const times = new ByteList();
  const columnsOf = new Map<number, ByteList[]>();
  let deviceBefore = 0;
  let timesBefore: readonly number[] = [];
  for (const series of seriesIn(rows)) {
    const [, deviceNo, group] = series[0];
    directory.pushNumber(deviceNo - deviceBefore);
    directory.pushNumber(group);
    directory.pushNumber(series.length);
    const ownTimes = series.map(([tsMs]) => tsMs);
    if (areEqual(ownTimes, timesBefore)) directory.push(TIMES.asBefore);
    else {
      directory.push(TIMES.own);
      writeColumn(ownTimes, directory, times);
    }
    const columns = columnsOf.get(group) ?? COLUMNS.map(() => new ByteList());
    columnsOf.set(group, columns);
    for (const [n, body] of columns.entries()) {
      const column = COLUMNS[n] ?? 0;
      writeColumn(
        series.map((row) => row[column]),
        directory,
        body,
      );
    }
    deviceBefore = deviceNo;
    timesBefore = ownTimes;
  }
  return pack([directory, times, ...[...columnsOf.values()].flat()]);
}

type Series = [ChunkRow, ...ChunkRow[]];

const bySeries = (one: ChunkRow, other: ChunkRow): number =>
  one[1] - other[1] || one[2] - other[2] || one[0] - other[0];

function seriesIn(rows: readonly ChunkRow[]): Series[] {
  const found: Series[] = [];
  for (const row of rows.toSorted(bySeries)) {
    const last = found.at(-1);
    if (last !== undefined && last[0][1] === row[1] && last[0][2] === row[2]) last.push(row);
    else found.push([row]);
  }
  return found;
}

const areEqual = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((number, index) => number === other[index]);

export type IsWanted = (deviceNo: number, group: number) => boolean;

/** Returns the rows of the wanted series in the order of their keys; the columns of other series are skipped. */
export function decodeChunk(chunk: Uint8Array, isWanted: IsWanted = () => true): ChunkRow[] {
  const lists = unpack(chunk).map((bytes) => new ByteReader(bytes));
  const [directory = NOTHING, timesBody = NOTHING, ...bodies] = lists;
  const bodiesOf = new Map<number, ByteReader[]>();
  const rows: ChunkRow[] = [];
  let deviceNo = 0;
  let times: readonly (number | null)[] = [];
  while (!directory.isAtEnd) {
    deviceNo += directory.nextNumber();
    const group = directory.nextNumber();
    const length = directory.nextNumber();
    if (directory.next() === TIMES.own) times = readColumn(length, directory, timesBody);
    const columns = bodiesOf.get(group) ?? bodies.splice(0, COLUMNS.length);
    bodiesOf.set(group, columns);
    if (!isWanted(deviceNo, group)) {
      for (const body of columns) skipColumn(length, directory, body);
      continue;
    }
    const [a = [], b = [], c = [], badMask = []] = columns.map((body) => readColumn(length, directory, body));
    for (let n = 0; n < length; n++) {
      rows.push([
        times[n] ?? 0,
        deviceNo,
        group,
        a[n] ?? null,
        b[n] ?? null,
        c[n] ?? null,
        badMask[n] ?? null,
      ]);
    }
  }
  // The series are in the order of devices and groups, and a sort by time leaves rows of the same time in that order.
  return rows.sort((one, other) => one[0] - other[0]);
}

/** Encodes columns of equal length, so that each can be decoded without the others. */
export function encodeColumns(columns: readonly (readonly (number | null)[])[]): Uint8Array {
  const length = new ByteList();
  length.pushNumber(columns[0]?.length ?? 0);
  const lists = columns.map((values) => {
    const list = new ByteList();
    writeColumn(values, list, list);
    return list;
  });
  return pack([length, ...lists]);
}

/** Decodes the columns at these places. */
export function decodeColumns(chunk: Uint8Array, wanted: readonly number[]): (number | null)[][] {
  const lists = unpack(chunk, (list) => list === 0 || wanted.includes(list - 1));
  const length = new ByteReader(lists[0] ?? new Uint8Array()).nextNumber();
  return wanted.map((column) => {
    const list = new ByteReader(lists[column + 1] ?? new Uint8Array());
    return readColumn(length, list, list);
  });
}

/** Compresses each list of bytes by itself, because each has its own distribution of bytes. */
function pack(lists: readonly ByteList[]): Uint8Array {
  const packed = new ByteList();
  packed.push(VERSION);
  packed.pushNumber(lists.length);
  const contents = lists.map((list) => {
    const plain = list.view();
    const compressed = plain.length < COMPRESSED_BYTES_MIN ? plain : zstdCompressSync(plain, LEVEL);
    const isShorter = compressed.length < plain.length;
    const bytes = isShorter ? compressed : plain;
    packed.pushNumber(2 * bytes.length + (isShorter ? 1 : 0));
    return bytes;
  });
  for (const bytes of contents) packed.append(bytes);
  return packed.view().slice();
}

/** Decompresses the wanted lists; the others stay compressed. */
function unpack(chunk: Uint8Array, isWanted: (list: number) => boolean = () => true): Uint8Array[] {
  const reader = new ByteReader(chunk);
  const version = reader.next();
  if (version !== VERSION) throw new Error(`a chunk has the unknown encoding ${version}`);
  const sizes = Array.from({ length: reader.nextNumber() }, () => reader.nextNumber());
  return sizes.map((size, list) => {
    const bytes = reader.take(Math.floor(size / 2));
    return size % 2 === 1 && isWanted(list) ? zstdDecompressSync(bytes) : bytes;
  });
}
