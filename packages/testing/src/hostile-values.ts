import fc from 'fast-check';

/** Valid JSON values that break code which expects a text, a number or a list. */
const TRAPS: readonly unknown[] = [
  { toString: 1, valueOf: 1 },
  { toString: null },
  [{ toString: 1 }],
  { length: 4_294_967_295 },
  JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": 1}, "hasOwnProperty": 1}'),
  JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`),
  JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`),
  Array.from({ length: 2_000 }, () => null),
  JSON.parse('1e400'),
  -0,
  Number.MAX_SAFE_INTEGER,
  5e-324,
  '',
  '__proto__',
  '\u0000',
  '\ud800',
  '\u202e',
  'NaN',
  '1e999',
  '9'.repeat(5_000),
  '9999-99-99T99:99:99Z',
  '-271821-04-20T00:00:00Z',
];

/** Any value that can be in JSON that somebody else has written. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...TRAPS),
  fc.jsonValue({ maxDepth: 4 }),
  fc.array(fc.constantFrom(...TRAPS), { maxLength: 3 }),
  fc.dictionary(fc.string({ maxLength: 12 }), fc.constantFrom(...TRAPS), { maxKeys: 4 }),
);

/** A text that is not what it should be: random, or the JSON of a hostile value, whole or cut off. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ maxLength: 200 }),
  hostileValue.map((value) => JSON.stringify(value)),
  hostileValue.map((value) => JSON.stringify(value).slice(0, -1)),
);

/** Bytes of such texts, and bytes that are not text at all. */
export const hostileBytes: fc.Arbitrary<Buffer> = fc.oneof(
  hostileText.map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
);
