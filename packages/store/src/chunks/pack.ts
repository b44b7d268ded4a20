import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ByteList, ByteReader } from './bytes.ts';

/** The first byte of a chunk. Another encoding gets the next number, and this one stays readable. */
const VERSION = 1;
/** Higher levels take several times as long for these short lists and save nothing. */
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Shorter lists would become longer. */
const COMPRESSED_BYTES_MIN = 32;

/** Compresses each list of bytes by itself, because each has its own distribution of bytes. */
export function pack(lists: readonly ByteList[]): Uint8Array {
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

export function unpack(chunk: Uint8Array): Uint8Array[] {
  const reader = new ByteReader(chunk);
  const version = reader.next();
  if (version !== VERSION) throw new Error(`a chunk of readings has the unknown encoding ${version}`);
  const sizes = Array.from({ length: reader.nextNumber() }, () => reader.nextNumber());
  return sizes.map((size) => {
    const bytes = reader.take(Math.floor(size / 2));
    return size % 2 === 1 ? zstdDecompressSync(bytes) : bytes;
  });
}
