/**
 * Replaces the schema library in the operators' page, which only sends values from forms and never validates. Schemas stay
 * plain objects with their properties, because some schemas are made from the properties of others. The English sentences of
 * refusals that only a validation makes are not needed either.
 */
type Schema = Readonly<Record<string, unknown>>;

const plain =
  (type: string) =>
  (options: Schema = {}): Schema => ({ type, ...options });

export const Type = {
  Array: (items: Schema, options: Schema = {}): Schema => ({ type: 'array', items, ...options }),
  BigInt: plain('bigint'),
  Boolean: plain('boolean'),
  Enum: (values: readonly unknown[], options: Schema = {}): Schema => ({ enum: values, ...options }),
  Integer: plain('integer'),
  Literal: (value: unknown): Schema => ({ const: value }),
  Null: plain('null'),
  Number: plain('number'),
  Object: (properties: Schema, options: Schema = {}): Schema => ({ type: 'object', properties, ...options }),
  Optional: (schema: Schema): Schema => schema,
  Partial: (schema: Schema): Schema => schema,
  Record: (_key: Schema, value: Schema): Schema => ({ type: 'object', additionalProperties: value }),
  String: plain('string'),
  Union: (schemas: readonly Schema[]): Schema => ({ anyOf: schemas }),
  Unknown: plain('unknown'),
  Unsafe: (schema: Schema): Schema => schema,
};

const notHere = (): never => {
  throw new Error('this page does not validate');
};

export const Compile = notHere;
export const Format = { Set: () => undefined, IsDateTime: notHere };
export const Guard = {};
export const sentence = (code: string, values: Schema = {}): Schema => ({ code, values });
export const inEnglish = (): string => '';

const NO_TEMPLATES: Readonly<Record<string, string>> = {};

export {
  NO_TEMPLATES as ALERTS,
  NO_TEMPLATES as ATTENTION,
  NO_TEMPLATES as COMMAND_DETAILS,
  NO_TEMPLATES as FIELD_FAULTS,
  NO_TEMPLATES as FINDINGS,
  NO_TEMPLATES as FORECAST_REASONS,
  NO_TEMPLATES as GRAIN_REASONS,
  NO_TEMPLATES as LINK_FAULTS,
  NO_TEMPLATES as MISSION_DETAILS,
  NO_TEMPLATES as OPERATION_DETAILS,
  NO_TEMPLATES as PARTS,
  NO_TEMPLATES as REFUSALS,
  NO_TEMPLATES as TRACE,
};
