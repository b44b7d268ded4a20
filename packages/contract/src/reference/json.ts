/** A part of a reference document. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

/** Schemas and examples are data that JSON can express. */
export const toJson = (value: unknown): Json => JSON.parse(JSON.stringify(value));

export const sortedByName = (parts: ReadonlyMap<string, Json>): JsonObject =>
  Object.fromEntries([...parts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
