import { type Static, Type } from 'typebox';
import { checkPageQuery } from '../envelope.ts';
import { Refusal } from '../errors.ts';
import { readJson } from '../input/json.ts';
import { checker, closed, type ValidationIssue } from '../input/schema.ts';
import { plain } from './declaration/answers.ts';
import { body, endpointsWith } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const endpoint = endpointsWith({
  plant_id: {
    schema: Type.String({ pattern: '^-?[0-9]{1,19}$' }),
    description: 'the identification number of a plant, of 64 bits',
    notFound: 'plant_not_found',
    example: '42',
  },
});

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const NOT_AN_INT64 = `must be a whole number from ${INT64_MIN} to ${INT64_MAX}`;
const INTEGER = /^-?[0-9]+$/;
/** An int64 has no more characters, so longer texts are refused without parsing. */
const ID_CHARS_MAX = 20;

/** Many times the length of the longest name and tag with escapes. The text is parsed twice, so a longer one is refused. */
const JSON_CHARS_MAX = 16_384;

const Text = Type.String({ minLength: 1, maxLength: 200 });

export const Plant = closed({ name: Text, tag: Type.Optional(Type.String({ maxLength: 200 })) });

/** `readNewPlant` reads it, because an id of 64 bits does not fit into a number. */
export const NewPlant = closed({ id: Type.BigInt(), ...Plant.properties });

/** The store has its own error body, with a number instead of a code. */
export const PlantError = closed({ error: Type.Integer(), message: Type.String() });

export type Plant = Static<typeof Plant>;
export type NewPlant = Static<typeof NewPlant>;
export type PlantError = Static<typeof PlantError>;

/** The store answers 400 for every fault of a caller, except for a missing key. */
export const plantErrorStatus = (status: number): number => (status > 401 && status < 500 ? 400 : status);

const checkNewPlant = checker(NewPlant);

/** The plant in a JSON text, or all of its validation issues. */
export function readNewPlant(json: string): NewPlant | readonly ValidationIssue[] {
  if (json.length > JSON_CHARS_MAX) {
    return [{ path: '', message: `must not be longer than ${JSON_CHARS_MAX} characters` }];
  }
  try {
    readJson(json);
  } catch (error) {
    if (error instanceof Refusal && error.details !== undefined) return error.details;
    throw error;
  }
  const body: unknown = JSON.parse(json, exactId);
  if (checkNewPlant.accepts(body)) return body;
  return checkNewPlant
    .faults(body)
    .map((fault) =>
      fault.path === '/id' && hasId(body) ? { path: fault.path, message: NOT_AN_INT64 } : fault,
    );
}

export const isPlant = (read: NewPlant | readonly ValidationIssue[]): read is NewPlant => 'id' in read;

const hasId = (body: unknown): boolean => typeof body === 'object' && body !== null && 'id' in body;

/** Reads the id from its digits, because a number would lose digits beyond 2^53. */
function exactId(key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (key !== 'id' || typeof value !== 'number') return value;
  return readPlantId(context?.source ?? '') ?? value;
}

/** `null` for a text that is not an int64 in digits. */
export function readPlantId(text: string): bigint | null {
  if (text.length > ID_CHARS_MAX || !INTEGER.test(text)) return null;
  const id = BigInt(text);
  return id >= INT64_MIN && id <= INT64_MAX ? id : null;
}

/** A JSON number whose digits are all kept by `readNewPlant`. */
const PlantWithId = closed({ id: Type.Integer({ format: 'int64' }), ...Plant.properties });

/** Any valid key may use the plant store sample. */
const endpoints = {
  create: endpoint('sandbox', 'POST', '/plants', {
    number: 17,
    summary: 'Stores a plant.',
    body: body(checker(PlantWithId), 'plant'),
    answers: { 200: plain(Plant) },
    errors: ['plant_exists'],
    examples: [
      { summary: 'with a tag', body: { id: 41, name: 'Rose', tag: 'flower' } },
      { summary: 'an id that is taken', body: { id: 42, name: 'Rose' }, refusal: 'plant_exists' },
    ],
  }),
  list: endpoint('sandbox', 'GET', '/plants', {
    summary: 'Lists the plants by id; the next page is in the header Link.',
    query: checkPageQuery,
    answers: { 200: plain(Type.Array(PlantWithId), { headers: ['link'] }) },
    examples: [{ summary: 'the first page' }, { summary: 'one plant', query: { limit: '1' } }],
  }),
  get: endpoint('sandbox', 'GET', '/plants/{plant_id}', {
    summary: 'Shows one plant.',
    answers: { 200: plain(PlantWithId) },
    examples: [
      { summary: 'a plant' },
      { summary: 'an unknown plant', parameters: { plant_id: '-1' }, refusal: 'plant_not_found' },
    ],
  }),
};

export const plants = {
  description: 'A sample store, for first steps.',
  endpoints,
  schemas: { Plant, PlantError },
} satisfies Slice;
