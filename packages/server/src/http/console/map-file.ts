import { createHash } from 'node:crypto';
import { closeSync, openSync, readdirSync, readSync, read as readWithCallback, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { BoundedMap } from '@granary/common/bounded-map';
import type { MapFault } from '@granary/contract/console';
import { drawingOf, EMPTY_DRAWING, type MapTile, pictureOf } from './map-drawing.ts';
import { Varints } from './varints.ts';

const HEADER_BYTES = 127;
const VERSION = 3;
/** The limit of one tile or one directory, also when it is unpacked: a damaged file must not fill the memory. */
const PART_BYTES_MAX = 4 * 1024 * 1024;
const DIRECTORIES_KEPT = 32;
/** The number of directories on the way to a tile: the root, and at most three more. */
const DEPTH_MAX = 4;
/** Tile numbers of higher levels do not fit into the numbers that are used here. */
const LEVEL_MAX = 24;

/** The media types by their numbers in the file. */
const PICTURE_TYPES: Readonly<Record<number, string>> = {
  2: 'image/png',
  3: 'image/jpeg',
  4: 'image/webp',
  5: 'image/avif',
};
const VECTOR_TYPE = 1;

const LIMIT = { maxOutputLength: PART_BYTES_MAX };
const UNPACKERS: Readonly<Record<number, (bytes: Buffer) => Buffer>> = {
  0: (bytes) => bytes,
  1: (bytes) => bytes,
  2: (bytes) => gunzipSync(bytes, LIMIT),
  3: (bytes) => brotliDecompressSync(bytes, LIMIT),
  4: (bytes) => zstdDecompressSync(bytes, LIMIT),
};

const readAt = promisify(readWithCallback);

/** Says why a file cannot be used. */
export class MapFileError extends Error {
  readonly fault: MapFault;

  constructor(fault: MapFault, options: ErrorOptions = {}) {
    super(`the map file cannot be used: ${fault}`, options);
    this.fault = fault;
  }
}

interface Entry {
  readonly tileId: number;
  readonly offset: number;
  readonly length: number;
  /** The number of tiles with this content; 0 when the entry is a further directory. */
  readonly runLength: number;
}

export interface TilePlace {
  readonly z: number;
  readonly x: number;
  readonly y: number;
}

/** The first map in a folder by name; `null` where there is none. */
export function findMapFile(folder: string): string | null {
  try {
    const [name] = readdirSync(folder)
      .filter((one) => one.endsWith('.pmtiles'))
      .toSorted();
    return name === undefined ? null : join(folder, name);
  } catch {
    return null;
  }
}

/** One file with the tiles of a map: PMTiles, version 3. */
export class MapFile {
  readonly #descriptor: number;
  readonly #header: Header;
  readonly #root: readonly Entry[];
  readonly #directories = new BoundedMap<number, readonly Entry[]>(DIRECTORIES_KEPT);
  /** A value that differs when the file does. */
  readonly version: string;

  private constructor(descriptor: number, header: Header, root: readonly Entry[], version: string) {
    this.#descriptor = descriptor;
    this.#header = header;
    this.#root = root;
    this.version = version;
  }

  /** Throws a `MapFileError`. */
  static open(path: string): MapFile {
    let descriptor: number;
    try {
      descriptor = openSync(path, 'r');
    } catch (cause) {
      throw new MapFileError('not_readable', { cause });
    }
    try {
      const bytes = Buffer.alloc(HEADER_BYTES);
      const count = readSync(descriptor, bytes, 0, HEADER_BYTES, 0);
      const { size, mtimeMs } = statSync(path);
      const header = headerOf(bytes.subarray(0, count), size);
      const packed = Buffer.alloc(header.rootLength);
      readSync(descriptor, packed, 0, header.rootLength, header.rootOffset);
      const root = directoryOf(unpack(header.packing, packed));
      const version = createHash('sha256').update(`${size} ${mtimeMs} `).update(bytes).digest('hex');
      return new MapFile(descriptor, header, root, version.slice(0, 12));
    } catch (failure) {
      closeSync(descriptor);
      throw failure instanceof MapFileError ? failure : new MapFileError('damaged', { cause: failure });
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** A tile that is not in the file is an empty drawing. For levels beyond those of the file, a part of the highest one is shown. */
  async tile({ z, x, y }: TilePlace): Promise<MapTile> {
    const { levelMin, levelMax, tileType } = this.#header;
    const above = Math.max(0, z - levelMax);
    const place = { z: z - above, x: Math.floor(x / 2 ** above), y: Math.floor(y / 2 ** above) };
    const found = z < levelMin ? undefined : await this.#find(tileNumber(place));
    if (found === undefined) return EMPTY_DRAWING;
    const packed = await this.#part(this.#header.tilesOffset + found.offset, found.length);
    const tile = unpack(this.#header.tilePacking, packed);
    const share = 1 / 2 ** above;
    const part = { x: (x / 2 ** above) % 1, y: (y / 2 ** above) % 1, share };
    const type = PICTURE_TYPES[tileType];
    if (type === undefined) return drawingOf(tile, part);
    return above === 0 ? { type, body: tile } : pictureOf({ type, body: tile }, part);
  }

  async #find(tileId: number): Promise<Entry | undefined> {
    let entries = this.#root;
    for (let depth = 0; depth < DEPTH_MAX; depth++) {
      const entry = entries.findLast((one) => one.tileId <= tileId);
      if (entry === undefined) return undefined;
      if (entry.runLength > 0) return tileId < entry.tileId + entry.runLength ? entry : undefined;
      entries = await this.#directory(entry);
    }
    throw new MapFileError('damaged');
  }

  async #directory({ offset, length }: Entry): Promise<readonly Entry[]> {
    const kept = this.#directories.get(offset);
    if (kept !== undefined) return kept;
    const read = directoryOf(
      unpack(this.#header.packing, await this.#part(this.#header.leavesOffset + offset, length)),
    );
    this.#directories.set(offset, read);
    return read;
  }

  async #part(offset: number, length: number): Promise<Buffer> {
    if (length > PART_BYTES_MAX) throw new MapFileError('damaged');
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await readAt(this.#descriptor, bytes, 0, length, offset);
    if (bytesRead < length) throw new MapFileError('damaged');
    return bytes;
  }
}

interface Header {
  readonly rootOffset: number;
  readonly rootLength: number;
  readonly leavesOffset: number;
  readonly tilesOffset: number;
  readonly packing: number;
  readonly tilePacking: number;
  readonly tileType: number;
  readonly levelMin: number;
  readonly levelMax: number;
}

function headerOf(bytes: Buffer, size: number): Header {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, 7) !== 'PMTiles')
    throw new MapFileError('not_pmtiles');
  if (bytes[7] !== VERSION) throw new MapFileError('unknown_version');
  const long = (at: number): number => Number(bytes.readBigUInt64LE(at));
  const header = {
    rootOffset: long(8),
    rootLength: long(16),
    leavesOffset: long(40),
    tilesOffset: long(56),
    packing: bytes.readUInt8(97),
    tilePacking: bytes.readUInt8(98),
    tileType: bytes.readUInt8(99),
    levelMin: bytes.readUInt8(100),
    levelMax: bytes.readUInt8(101),
  };
  const isKnown = header.tileType === VECTOR_TYPE || header.tileType in PICTURE_TYPES;
  if (!isKnown) throw new MapFileError('unknown_tiles');
  const end = Math.max(header.rootOffset + header.rootLength, header.tilesOffset + long(64));
  if (end > size || header.rootLength > PART_BYTES_MAX || header.levelMax > LEVEL_MAX)
    throw new MapFileError('damaged');
  return header;
}

function unpack(packing: number, bytes: Buffer): Buffer {
  const unpacker = UNPACKERS[packing];
  if (unpacker === undefined) throw new MapFileError('damaged');
  return unpacker(bytes);
}

function directoryOf(bytes: Buffer): readonly Entry[] {
  const numbers = new Varints(bytes);
  const count = numbers.next();
  if (count > bytes.length) throw new MapFileError('damaged');
  const column = (): number[] => Array.from({ length: count }, () => numbers.next());
  let tileId = 0;
  const tileIds = column().map((difference) => {
    tileId += difference;
    return tileId;
  });
  const runLengths = column();
  const lengths = column();
  let end = 0;
  return tileIds.map((id, index) => {
    const given = numbers.next();
    const offset = given === 0 ? end : given - 1;
    const length = lengths[index] ?? 0;
    end = offset + length;
    return { tileId: id, offset, length, runLength: runLengths[index] ?? 0 };
  });
}

/** The place of a tile in the order of the file: level by level, along a Hilbert curve. */
export function tileNumber({ z, x, y }: TilePlace): number {
  let number = (4 ** z - 1) / 3;
  let [column, row] = [x, y];
  for (let side = 2 ** z / 2; side >= 1; side /= 2) {
    const right = column & side;
    const below = row & side;
    number += ((3 * right) ^ below) * side;
    if (below === 0) {
      [column, row] = right === 0 ? [row, column] : [side - 1 - row, side - 1 - column];
    }
  }
  return number;
}
