/** A part of a reference document. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

/** Converts schemas and examples, which JSON can express, to plain data. */
export const toJson = (value: unknown): Json => JSON.parse(JSON.stringify(value));

export const sortedByName = (parts: ReadonlyMap<string, Json>): JsonObject =>
  Object.fromEntries([...parts].toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Bodies of requests refuse unknown fields; answers may get further fields in a later version. */
export type SchemaUse = 'request' | 'answer';

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A schema may have a description beside its reference. The form of a text, if it has one, follows its meaning. */
function explained(schema: Json, meaning: string): Json {
  if (!isObject(schema)) return schema;
  const { description: form, ...rest } = schema;
  return { ...rest, description: typeof form === 'string' ? `${meaning} Form: ${form}.` : meaning };
}

/** Some generators require the type of an enumeration. */
const isOfTexts = ({ type, enum: values }: JsonObject): boolean =>
  type === undefined && Array.isArray(values) && values.every((value) => typeof value === 'string');

/**
 * Collects the schemas that have a name, so that a document contains each of them once. A schema that is used in requests
 * and in answers has two names, therefore answers are collected first.
 */
export class ComponentSchemas {
  readonly #names: ReadonlyMap<string, string>;
  readonly #prefix: string;
  readonly #schemas = new Map<string, Json>();
  readonly #inAnswers = new Set<string>();
  /** Many endpoints share schemas, and the comparison with the named ones is expensive. */
  readonly #converted = { request: new WeakMap<object, Json>(), answer: new WeakMap<object, Json>() };

  /** `prefix` is the address of the collected schemas, such as `#/components/schemas/`. */
  constructor(named: Readonly<Record<string, unknown>>, prefix: string) {
    this.#names = new Map(Object.entries(named).map(([name, schema]) => [JSON.stringify(schema), name]));
    this.#prefix = prefix;
  }

  /** The schemas in alphabetical order. */
  get schemas(): JsonObject {
    return sortedByName(this.#schemas);
  }

  /** A reference to a schema that has a name, or the schema itself. */
  use(schema: unknown, use: SchemaUse): Json {
    // JSON can express schemas.
    return this.#convert(schema as Json, use);
  }

  #convert(schema: Json, use: SchemaUse): Json {
    if (!isObject(schema)) return schema;
    const { 'x-meaning': meaning, ...unexplained } = schema;
    if (typeof meaning === 'string') return explained(this.#convert(unexplained, use), meaning);
    const converted = this.#converted[use].get(schema) ?? this.#named(schema, use);
    this.#converted[use].set(schema, converted);
    return converted;
  }

  #named(schema: JsonObject, use: SchemaUse): Json {
    const known = this.#names.get(JSON.stringify(schema));
    if (known === undefined) return this.#inline(schema, use);
    if (use === 'answer') this.#inAnswers.add(known);
    const name = use === 'request' && this.#inAnswers.has(known) ? `${known}Input` : known;
    this.#add(name, this.#inline(schema, use));
    return { $ref: this.#prefix + name };
  }

  #add(name: string, schema: Json): void {
    const before = this.#schemas.get(name);
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(schema)) {
      throw new Error(`two schemas have the name ${name}`);
    }
    this.#schemas.set(name, schema);
  }

  #inline(schema: JsonObject, use: SchemaUse): JsonObject {
    const fields = Object.entries(schema).flatMap(([keyword, value]): [string, Json][] => {
      if (keyword === 'additionalProperties' && value === false && use === 'answer') return [];
      if (keyword === 'properties' || keyword === 'patternProperties') {
        return [[keyword, this.#convertEach(value, use)]];
      }
      if (keyword === 'items') return [[keyword, this.#convert(value, use)]];
      if (keyword === 'anyOf' && Array.isArray(value)) {
        return [[keyword, value.map((branch) => this.#convert(branch, use))]];
      }
      return [[keyword, value]];
    });
    return Object.fromEntries(isOfTexts(schema) ? [['type', 'string'], ...fields] : fields);
  }

  #convertEach(schemas: Json, use: SchemaUse): Json {
    if (!isObject(schemas)) return schemas;
    return Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, this.#convert(schema, use)]),
    );
  }
}
