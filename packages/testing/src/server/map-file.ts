import { crc32, deflateSync, gzipSync } from 'node:zlib';
import { tileNumber } from '@granary/server/http/console/map-file';
import { message, varint } from './protobuf.ts';

interface MapParts {
  readonly type: 'vector' | 'png';
  readonly levelMin: number;
  readonly levelMax: number;
  /** The tiles by `z/x/y`. */
  readonly tiles: Readonly<Record<string, Buffer>>;
  /** True when all entries are in a second directory. */
  readonly hasLeaf?: boolean;
}

const HEADER_BYTES = 127;

/** A PMTiles file, version 3, with gzipped directories and tiles. */
export function mapFile({ type, levelMin, levelMax, tiles, hasLeaf = false }: MapParts): Buffer {
  const entries = Object.entries(tiles)
    .map(([place, body]) => {
      const [z = 0, x = 0, y = 0] = place.split('/').map(Number);
      return { id: tileNumber({ z, x, y }), body: gzipSync(body) };
    })
    .sort((one, other) => one.id - other.id);
  let end = 0;
  const placed = entries.map(({ id, body }) => {
    const offset = end;
    end += body.length;
    return { id, run: 1, length: body.length, offset };
  });
  const own = directory(placed);
  const root = hasLeaf ? directory([{ id: 0, run: 0, length: own.length, offset: 0 }]) : own;
  const leaves = hasLeaf ? own : Buffer.alloc(0);
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('PMTiles', 'latin1');
  header[7] = 3;
  const leavesAt = HEADER_BYTES + root.length;
  const tilesAt = leavesAt + leaves.length;
  const longs: readonly (readonly [at: number, value: number])[] = [
    [8, HEADER_BYTES],
    [16, root.length],
    [40, leavesAt],
    [48, leaves.length],
    [56, tilesAt],
    [64, end],
  ];
  for (const [at, value] of longs) header.writeBigUInt64LE(BigInt(value), at);
  header.set([1, 2, 2, type === 'vector' ? 1 : 2, levelMin, levelMax], 96);
  return Buffer.concat([header, root, leaves, ...entries.map(({ body }) => body)]);
}

interface Placed {
  readonly id: number;
  readonly run: number;
  readonly length: number;
  readonly offset: number;
}

function directory(entries: readonly Placed[]): Buffer {
  const ids = entries.map(({ id }, index) => id - (entries[index - 1]?.id ?? 0));
  const numbers = [
    entries.length,
    ...ids,
    ...entries.map(({ run }) => run),
    ...entries.map(({ length }) => length),
    ...entries.map(({ offset }) => offset + 1),
  ];
  return gzipSync(Buffer.from(numbers.flatMap(varint)));
}

const zigzag = (value: number): number[] => varint(value < 0 ? -2 * value - 1 : 2 * value);

/** A vector tile with one square of water in its middle and one road from corner to corner. */
export function vectorTile(): Buffer {
  const square = [
    [1_024, 1_024],
    [2_048, 0],
    [0, 2_048],
    [-2_048, 0],
  ] as const;
  const [first, ...sides] = square.map((step) => step.flatMap(zigzag));
  const water = [...varint(9), ...(first ?? []), ...varint(3 * 8 + 2), ...sides.flat(), ...varint(15)];
  const road = [...varint(9), ...zigzag(0), ...zigzag(0), ...varint(10), ...zigzag(4_096), ...zigzag(4_096)];
  const layer = (name: string, type: number, geometry: number[]): number[] =>
    message(3, [
      ...message(1, Buffer.from(name)),
      ...message(2, [...varint(3 * 8), type, ...message(4, geometry)]),
      ...varint(5 * 8),
      ...varint(4_096),
    ]);
  return Buffer.from([
    ...layer('water', 3, water),
    ...layer('roads', 2, road),
    ...layer('pois', 1, [9, 0, 0]),
  ]);
}

/** A picture of one colour. */
export function pngTile([red, green, blue]: readonly [number, number, number]): Buffer {
  const side = 8;
  const row = Buffer.from([0, ...Array.from({ length: side }, () => [red, green, blue]).flat()]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 2], 8);
  const chunk = (name: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const rows = deflateSync(Buffer.concat(Array.from({ length: side }, () => row)));
  const sign = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([sign, chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]);
}
