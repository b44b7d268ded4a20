import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** A larger body is sent in parts, each when the caller has read the one before. */
export const PART_BYTES = 64 * 1024;

/** Sends bytes that many answers share. A caller who reads slowly needs the memory of one part. */
export function sendBytes(reply: FastifyReply, bytes: Buffer): FastifyReply {
  if (bytes.length <= PART_BYTES) return reply.send(bytes);
  reply.header('content-length', bytes.length);
  return reply.send(Readable.from(partsOf(bytes), { objectMode: false, highWaterMark: PART_BYTES }));
}

export function* partsOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += PART_BYTES) {
    yield bytes.subarray(start, start + PART_BYTES);
  }
}
