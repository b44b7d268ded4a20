import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { nextPart } from '../access/request-turns.ts';

/** A larger body is sent in parts, each when the caller has read the one before and it is its turn. */
export const PART_BYTES = 64 * 1024;

/** Sends bytes that many answers share. A caller who reads slowly needs the memory of one part. */
export function sendBytes(reply: FastifyReply, bytes: Buffer): FastifyReply {
  if (bytes.length <= PART_BYTES) return reply.send(bytes);
  reply.header('content-length', bytes.length);
  const parts = partsOf(reply.request, bytes);
  return reply.send(Readable.from(parts, { objectMode: false, highWaterMark: PART_BYTES }));
}

async function* partsOf(request: FastifyRequest, bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
  for (let start = 0; start < bytes.length; start += PART_BYTES) {
    await nextPart(request);
    yield bytes.subarray(start, start + PART_BYTES);
  }
}
