import type { EventBounds } from '@granary/app/events/event-rows';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import type { EventQuery } from '@granary/contract/events';
import { listOf } from '@granary/contract/input/lists';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { opening, reset } from '../background/events/frame.ts';
import { credentialOf } from './access/credentials.ts';
import { selectEvents } from './event-stream/selection.ts';
import { EventStream } from './event-stream/stream.ts';
import { hijackForStream } from './protocol/server-sent-events.ts';
import { register } from './register.ts';
import type { RouteDependencies } from './route-dependencies.ts';

export function eventRoutes(routes: FastifyInstance, { app, feed, subscribers }: RouteDependencies): void {
  register(routes, endpoints.events.stream, async (request, reply, read) => {
    const query = read.query(request);
    const wanted = { deviceIds: setOf(query.device_id), types: setOf(query.type) };
    const lastSeen = readLastSeen(request, query);
    const bounds = await app.events.bounds();
    const credential = credentialOf(request);
    subscribers.requireRoom(credential);
    const canResume = lastSeen !== null && isKept(lastSeen, bounds);
    const position = canResume ? lastSeen : bounds.newest;
    const stream = new EventStream(hijackForStream(reply), selectEvents(request.caller, wanted), position);
    stream.say(opening(lastSeen === null ? position : null));
    if (lastSeen !== null && !canResume) stream.say(reset(bounds));
    subscribers.open(credential, stream, feed);
    return reply;
  });
}

/** A position beyond the end belongs to another, lost log, so the stream cannot resume from it. */
const isKept = (lastSeen: number, { oldest, newest }: EventBounds): boolean =>
  lastSeen >= oldest - 1 && lastSeen <= newest;

const setOf = (list: string | undefined): ReadonlySet<string> | null => {
  const entries = listOf(list);
  return entries === null ? null : new Set(entries);
};

/** A browser sends the header only when it reconnects; the query parameter is for its first request. */
function readLastSeen({ headers }: FastifyRequest, query: EventQuery): number | null {
  const text = headers['last-event-id'] ?? query.last_event_id ?? '';
  if (text === '') return null;
  if (typeof text === 'string' && /^\d{1,15}$/.test(text)) return Number(text);
  throw new Refusal('invalid_input', 'the Last-Event-ID is not valid', [
    { path: '/last-event-id', message: 'must be the id of an event' },
  ]);
}
