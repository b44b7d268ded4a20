import { Type } from 'typebox';
import { described } from './input/schema.ts';
import { FIELD_FAULTS } from './sentences/faults.ts';
import { PARTS } from './sentences/parts.ts';
import { REFUSALS } from './sentences/refusals.ts';
import type { KindsOfValues } from './sentences/sentence.ts';

/** The field with the code of a sentence; `codes` are those that are possible there. */
export const codeField = <Codes extends Readonly<Record<string, KindsOfValues>>>(codes: Codes) =>
  described(
    'The sentence as a code; `docs/sentences.md` lists the codes with their values.',
    Type.Enum(Object.keys(codes) as (keyof Codes & string)[]),
  );

export const VALUES = described(
  'The values in the sentence, by the names that its code has.',
  Type.Record(Type.String(), Type.Unknown()),
);

/** The fields for a sentence: the English text, and the code and values from which any language can be written. */
export const messageFields = <Codes extends Readonly<Record<string, KindsOfValues>>>(codes: Codes) => ({
  message: Type.String(),
  message_code: codeField(codes),
  message_values: VALUES,
});

/** The same fields for a refusal; some refusals say no more than their error code. */
export const REFUSAL_FIELDS = {
  message: Type.String({ minLength: 1 }),
  message_code: Type.Optional(codeField({ ...REFUSALS, ...PARTS })),
  message_values: Type.Optional(VALUES),
} as const;

/** The same fields for the detail of a status. */
export const statusFields = <Codes extends Readonly<Record<string, KindsOfValues>>>(codes: Codes) => ({
  status_detail: described(
    'One sentence for a person: what is known, what the service waits for, and until when.',
    Type.String(),
  ),
  status_code: codeField(codes),
  status_values: VALUES,
});

/** The same fields for a fault of one field of an input. */
export const FAULT_FIELDS = {
  message: Type.String({ minLength: 1 }),
  message_code: Type.Optional(codeField(FIELD_FAULTS)),
  message_values: Type.Optional(VALUES),
} as const;
