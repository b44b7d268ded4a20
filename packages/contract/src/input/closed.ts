import { Type } from 'typebox';

/** An object schema that refuses unknown fields. */
export function closed<P extends Parameters<typeof Type.Object>[0]>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}
