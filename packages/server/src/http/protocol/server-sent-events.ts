import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // A proxy that buffers answers would delay events.
  'x-accel-buffering': 'no',
};

/** Takes the answer over, to write server-sent events to it without end. */
export function hijackForStream(reply: FastifyReply): ServerResponse {
  reply.headers(HEADERS).hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  return reply.raw;
}
