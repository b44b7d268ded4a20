import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ByteList, ByteReader } from './bytes.ts';
import { readColumn, skipColumn, writeColumn } from './column.ts';

/** The first byte of a chunk. Another encoding gets the next number, and this one stays readable. */
const VERSION = 1;

/** Higher levels take several times as long for these short lists and save nothing. */
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Shorter lists would become longer. */
const COMPRESSED_BYTES_MIN = 32;

/** How the times of a series are stored; a device sends the values of several groups with one time. */
const TIMES = { asBefore: 0, own: 1 } as const;

/** The columns `a`, `b`, `c` and `bad_mask` of a row, which follow its key. */
const COLUMNS = [3, 4, 5, 6] as const;

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

/** The rows of the wanted series in the order of their keys. The columns of other series are passed over. */
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

const NOTHING = new ByteReader(new Uint8Array());

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

function unpack(chunk: Uint8Array): Uint8Array[] {
  const reader = new ByteReader(chunk);
  const version = reader.next();
  if (version !== VERSION) throw new Error(`a chunk of readings has the unknown encoding ${version}`);
  const sizes = Array.from({ length: reader.nextNumber() }, () => reader.nextNumber());
  return sizes.map((size) => {
    const bytes = reader.take(Math.floor(size / 2));
    return size % 2 === 1 ? zstdDecompressSync(bytes) : bytes;
  });
}
