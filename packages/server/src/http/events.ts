import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import type { EventQuery } from '@granary/contract/events';
import type { EventBounds } from '@granary/store/tables/events';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { opening, reset } from '../events/frame.ts';
import { selectEvents } from '../events/selection.ts';
import { EventStream } from '../events/stream.ts';
import { bearerOf } from './access/auth.ts';
import { register } from './register.ts';
import type { RouteDependencies } from './route-dependencies.ts';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // A proxy that buffers answers would delay events.
  'x-accel-buffering': 'no',
};

export function eventRoutes(routes: FastifyInstance, { app, subscribers }: RouteDependencies): void {
  register(routes, endpoints.events.stream, async (request, reply, read) => {
    const query = read.query(request);
    const wanted = { deviceIds: setOf(query.device_id), types: setOf(query.type) };
    const lastSeen = readLastSeen(request, query);
    const bounds = await app.events.bounds();
    const key = bearerOf(request);
    subscribers.requireRoom(key);
    const canResume = lastSeen !== null && isKept(lastSeen, bounds);
    const position = canResume ? lastSeen : bounds.newest;
    reply.headers(HEADERS).hijack();
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value);
    }
    const stream = new EventStream(reply.raw, selectEvents(request.caller, wanted), position);
    stream.say(opening(lastSeen === null ? position : null));
    if (lastSeen !== null && !canResume) stream.say(reset(bounds));
    subscribers.open(key, stream);
    return reply;
  });
}

/** A position beyond the end belongs to another, lost log, so the stream cannot resume from it. */
const isKept = (lastSeen: number, { oldest, newest }: EventBounds): boolean =>
  lastSeen >= oldest - 1 && lastSeen <= newest;

const setOf = (list: string | undefined): ReadonlySet<string> | null =>
  list === undefined ? null : new Set(list.split(','));

/** A browser sends the header only when it reconnects; the query parameter is for its first request. */
function readLastSeen({ headers }: FastifyRequest, query: EventQuery): number | null {
  const text = headers['last-event-id'] ?? query.last_event_id ?? '';
  if (text === '') return null;
  if (typeof text === 'string' && /^\d{1,15}$/.test(text)) return Number(text);
  throw new Refusal('invalid_input', 'the Last-Event-ID is not valid', [
    { path: '/last-event-id', message: 'must be the id of an event' },
  ]);
}
