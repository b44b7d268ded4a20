import { Type } from 'typebox';
import { checkPageQuery } from '../envelope.ts';
import { closed } from '../input/closed.ts';
import { checker } from '../input/schema.ts';
import { Plant } from '../plants.ts';
import { plain } from './declaration/answers.ts';
import { body, endpoint } from './declaration/endpoint.ts';

/** A JSON number whose digits are all kept by `readNewPlant`. */
const PlantWithId = closed({ id: Type.Integer({ format: 'int64' }), ...Plant.properties });

/** Any valid key may use the plant store sample. */
export const plants = {
  create: endpoint('sandbox', 'POST', '/plants', {
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
