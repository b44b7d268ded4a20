import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { NewestValuesQuery } from '@granary/contract/fleet';
import { listOf } from '@granary/contract/input/lists';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { opening } from '../../background/event-feed.ts';
import { credentialOf } from '../access/credentials.ts';
import { NewestValuesStream, type ShownSelection } from '../event-stream/newest-values-stream.ts';
import { hijackForStream } from '../event-stream/stream-connection.ts';
import { limitsOf } from '../fleet/selection.ts';
import { register } from '../register.ts';
import type { RouteDependencies } from '../route-dependencies.ts';

export function newestValuesRoutes(
  routes: FastifyInstance,
  { newestValues, subscribers, now }: RouteDependencies,
): void {
  register(routes, endpoints.readings.stream, async (request, reply, read) => {
    const selection = selectionOf(request, read.query(request));
    await newestValues.check(selection);
    const credential = credentialOf(request);
    subscribers.requireRoom(credential);
    const { shown } = newestValues;
    const stream = new NewestValuesStream(hijackForStream(reply), { selection, shown, now });
    stream.say(opening(null));
    subscribers.open(credential, stream, newestValues);
    return reply;
  });
}

/** Of the devices that the query names, those that the key may access. */
function selectionOf(request: FastifyRequest, query: NewestValuesQuery): ShownSelection {
  const { facilities, deviceIds: allowed } = limitsOf(request);
  const named = listOf(query.device_id);
  const deviceIds = allowed === null ? named : allowed.filter((id) => named === null || named.includes(id));
  return { limits: { facilities, deviceIds }, facility: query.facility ?? null };
}
