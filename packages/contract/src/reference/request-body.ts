import type { Endpoint } from '../endpoints/declaration/endpoint.ts';
import type { ComponentSchemas } from './component-schemas.ts';
import { type JsonObject, toJson } from './json.ts';

/** The name of an example is its summary in the form of an identifier. */
export const exampleName = (summary: string): string =>
  summary
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

export function requestBodyOf({ body, examples }: Endpoint, schemas: ComponentSchemas): JsonObject | null {
  if (body === null) return null;
  const schema = schemas.use(body.check.schema, 'request');
  const shown = examples.filter((example) => example.body !== undefined);
  const named = shown.map(({ summary, body: value, refusal }) => {
    const text = refusal === undefined ? summary : `${summary} (${refusal})`;
    return [exampleName(summary), { summary: text, value: toJson(value) }];
  });
  const ofJson = { schema, ...(named.length === 0 ? {} : { examples: Object.fromEntries(named) }) };
  const others = body.alternatives.map((mediaType) => [mediaType, { schema }]);
  return {
    required: !body.isOptional,
    content: { 'application/json': ofJson, ...Object.fromEntries(others) },
  };
}
