import type { ServerResponse } from 'node:http';
import type { EventBounds } from '@granary/app/events/event-rows';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import type { EventQuery } from '@granary/contract/events';
import type { NewestValuesQuery } from '@granary/contract/fleet';
import { listOf } from '@granary/contract/input/schema';
import { type Access, canAccess, isUnlimited, limitsAmong, limitsWith } from '@granary/core/keys';
import { hasPlaceOf } from '@granary/core/shifts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type EncodedEvent, heartbeat, opening, reset } from '../../background/event-feed.ts';
import { credentialOf, limitsOf } from '../access/credentials.ts';
import { shownAccess } from '../access/factor-of-administrators.ts';
import { register } from '../register.ts';
import type { Parts } from '../route-dependencies.ts';
import { NewestValuesStream, type ShownSelection } from './newest-values-stream.ts';
import { hijackForStream, StreamConnection } from './stream-connection.ts';

/** The filters of a reader; `null` means everything. */
interface EventFilter {
  readonly deviceIds: ReadonlySet<string> | null;
  readonly types: ReadonlySet<string> | null;
}

/** A reader gets an event that matches its filters and that its key may access. */
function selectEvents(access: Access, { deviceIds, types }: EventFilter): (event: EncodedEvent) => boolean {
  const hasFullAccess = isUnlimited(limitsWith(access, 'admin'));
  const limits = limitsWith(access, 'read');
  return ({ type, deviceId, facility, place }) => {
    if (types !== null && !types.has(type)) return false;
    if (place !== undefined) return deviceIds === null && hasPlaceOf(limits, place);
    if (deviceId === null || facility === null) return deviceIds === null && hasFullAccess;
    if (deviceIds !== null && !deviceIds.has(deviceId)) return false;
    return canAccess(limits, { deviceId, facility });
  };
}

/** One reader of the event log and its position; a reader that is disconnected can reconnect and resume. */
export class EventStream extends StreamConnection {
  readonly #selects: (event: EncodedEvent) => boolean;
  #position: number;

  constructor(response: ServerResponse, selects: (event: EncodedEvent) => boolean, position: number) {
    super(response);
    this.#selects = selects;
    this.#position = position;
  }

  /** All events up to this position were sent or do not match. */
  get position(): number {
    return this.#position;
  }

  /** Events arrive in the order of their numbers; those that were already sent are skipped. */
  offer(encoded: readonly EncodedEvent[]): void {
    const unsent = encoded.filter((event) => event.sequence > this.#position && this.#selects(event));
    this.skipTo(encoded.at(-1)?.sequence ?? 0);
    this.say(...unsent.map(({ bytes }) => bytes));
  }

  skipTo(sequence: number): void {
    this.#position = Math.max(this.#position, sequence);
  }

  beat(): void {
    this.say(heartbeat(this.#position));
  }
}

export function eventRoutes(
  routes: FastifyInstance,
  { reads, feed, subscribers }: Parts<'reads' | 'feed' | 'subscribers'>,
): void {
  register(routes, endpoints.events.stream, async ({ request, reply, read }) => {
    const query = read.query(request);
    const wanted = { deviceIds: setOf(query.device_id), types: setOf(query.type) };
    const lastSeen = readLastSeen(request, query);
    const bounds = await reads(request).events.bounds();
    const credential = credentialOf(request);
    const access = await shownAccess(request.caller, reads(request));
    subscribers.requireRoom(credential);
    const canResume = lastSeen !== null && isKept(lastSeen, bounds);
    const position = canResume ? lastSeen : bounds.newest;
    const stream = new EventStream(hijackForStream(reply), selectEvents(access, wanted), position);
    stream.say(opening(lastSeen === null ? position : null));
    if (lastSeen !== null && !canResume) stream.say(reset(bounds));
    subscribers.open(credential, request.caller, stream, feed);
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

export function newestValuesRoutes(
  routes: FastifyInstance,
  { newestValues, subscribers, now }: Parts<'newestValues' | 'subscribers' | 'now'>,
): void {
  register(routes, endpoints.readings.stream, async ({ request, reply, read }) => {
    const selection = selectionOf(request, read.query(request));
    await newestValues.check(selection);
    const credential = credentialOf(request);
    subscribers.requireRoom(credential);
    const { shown } = newestValues;
    const stream = new NewestValuesStream(hijackForStream(reply), { selection, shown, now });
    stream.say(opening(null));
    subscribers.open(credential, request.caller, stream, newestValues);
    return reply;
  });
}

/** The selection of those devices that the query names and that the key may access. */
const selectionOf = (request: FastifyRequest, query: NewestValuesQuery): ShownSelection => ({
  limits: limitsAmong(limitsOf(request), listOf(query.device_id)),
  facility: query.facility ?? null,
});
