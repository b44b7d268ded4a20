import type { StoredPlant } from '@granary/app/plants';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import {
  isPlant,
  type NewPlant,
  type Plant,
  type PlantError,
  plantErrorStatus,
  readNewPlant,
  readPlantId,
} from '@granary/contract/endpoints/plants';
import { Refusal } from '@granary/contract/errors';
import { storedPlantJson } from '@granary/contract/plant-json';
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../process/settings.ts';
import { creating } from './audit/attempt.ts';
import { refusalRecorder } from './audit/refused-attempts.ts';
import { refuseUnrouted } from './protocol/accept.ts';
import { pageOf, readPage } from './protocol/answers.ts';
import { type Answerer, errorHandler } from './protocol/error-map.ts';
import { acceptJsonBodies } from './protocol/json-body.ts';
import { register } from './register.ts';
import type { Parts } from './route-dependencies.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** The plant store sample, which any valid key may use. */
export function plantRoutes(
  routes: FastifyInstance,
  parts: Parts<'settings' | 'reads' | 'idempotency' | 'refusedAttempts' | 'logger' | 'now'>,
): void {
  const { reads, idempotency, settings, logger, refusedAttempts, now } = parts;
  const record = refusalRecorder(refusedAttempts, now);
  routes.setErrorHandler(errorHandler(logger, answerPlantError, record));
  refuseUnrouted(routes);
  // The text is parsed here, because an id beyond 2^53 would lose its last digits as a number.
  acceptJsonBodies(routes, (text) => text);

  register(routes, endpoints.plants.create, async (exchange) => {
    const { request } = exchange;
    const { id, name, tag = null } = accepted(request.body);
    const plant = { id: String(id), name, tag, nowMs: now() };
    const { result } = await idempotency.once(creating(exchange, plant.id), (slices) =>
      slices.plants.create(plant),
    );
    return plantOf(result);
  });

  register(routes, endpoints.plants.list, async ({ request, reply, read }) => {
    const page = pageOf(read.query(request));
    const plantsAfter = (cursor: string | null, limit: number) =>
      reads(request).plants.list({ after: cursor === null ? null : String(wantedId(cursor)), limit });
    const { data, page: next } = await readPage(request, page, plantsAfter, ({ id }) => id, plantJson);
    if (next.next_cursor !== null) {
      const query = new URLSearchParams({ limit: String(page.limit), cursor: next.next_cursor });
      reply.header('link', `<${settings.sandboxPath}/plants?${query}>; rel="next"`);
    }
    return reply.type(JSON_TYPE).send(`[${data.join()}]`);
  });

  register(routes, endpoints.plants.get, async ({ request, reply }) => {
    const plant = await reads(request).plants.find(String(wantedId(request.params.plant_id)));
    if (plant === undefined) throw new Refusal('plant_not_found', 'there is no such plant');
    return reply.type(JSON_TYPE).send(plantJson(plant));
  });
}

function accepted(body: unknown): NewPlant {
  const read = readNewPlant(typeof body === 'string' ? body : '');
  if (isPlant(read)) return read;
  throw new Refusal('invalid_input', 'the plant is not valid', read);
}

function wantedId(text: string): bigint {
  const id = readPlantId(text);
  if (id !== null) return id;
  throw new Refusal('invalid_input', 'the id is not a whole number of 64 bits');
}

const plantOf = ({ name, tag }: StoredPlant): Plant => ({ name, ...(tag === null ? {} : { tag }) });

const plantJson = (plant: StoredPlant): string =>
  storedPlantJson({ id: BigInt(plant.id), ...plantOf(plant) });

/** `error` is the status that the same error has in the device groups, so that programs can distinguish errors. */
const answerPlantError: Answerer = (refusal, status, _request, reply) => {
  const { message, details = [] } = refusal;
  const faults = details.map((fault) => `${fault.path} ${fault.message}`.trim()).join('; ');
  const body: PlantError = { error: status, message: faults === '' ? message : `${message}: ${faults}` };
  const answered = plantErrorStatus(status);
  // The documented 400 answer has no `Retry-After`.
  if (answered !== status) reply.removeHeader('retry-after');
  reply.code(answered).send(body);
};

/** Answers errors that are found before the route of an address is known. */
export const withPlantErrors =
  ({ sandboxPath }: Settings, usual: Answerer): Answerer =>
  (refusal, status, request, reply) => {
    const answer = request.url.startsWith(`${sandboxPath}/`) ? answerPlantError : usual;
    answer(refusal, status, request, reply);
  };
