import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Refusal } from '../errors.ts';
import { rover } from '../profiles/rover.ts';
import { READINGS_PER_MESSAGE_MAX } from '../telemetry/telemetry.ts';
import { JSON_DEPTH_MAX, JSON_TOKENS_MAX, readJson } from './json.ts';

test('what JSON.parse reads is read alike', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      assert.deepEqual(readJson(text), JSON.parse(text));
    }),
    { numRuns: 500 },
  );
});

test('the largest message of a device is read', () => {
  const values = rover.channels.map((name) => [name, 1.5]);
  const reading = { ts: '2026-11-15T08:30:00.123+01:00', ...Object.fromEntries(values) };
  const text = JSON.stringify(Array.from({ length: READINGS_PER_MESSAGE_MAX }, () => reading));
  assert.deepEqual(readJson(text), JSON.parse(text));
});

for (const [name, text] of Object.entries({
  'short values': `[${'1,'.repeat(JSON_TOKENS_MAX)}1]`,
  'keys that are all different': `[${Array.from({ length: JSON_TOKENS_MAX }, (_, n) => `{"k${n}":1}`)}]`,
  levels: '['.repeat(2 * JSON_TOKENS_MAX),
})) {
  test(`more ${name} than anybody needs are refused before they are read`, () => {
    assert.throws(
      () => readJson(text),
      (error) => error instanceof Refusal && /more than 32000 parts/.test(error.message),
    );
  });
}

test('what JSON.parse refuses is refused', () => {
  const broken = fc
    .tuple(
      fc.jsonValue({ maxDepth: 3 }),
      fc.nat(),
      fc.constantFrom('', '"', '}', ']', ',', ':', '\\', '0', 'x'),
    )
    .map(([value, at, patch]) => {
      const text = JSON.stringify(value);
      const place = at % (text.length + 1);
      return text.slice(0, place) + patch + text.slice(place + 1);
    });
  fc.assert(
    fc.property(broken, (text) => {
      if (isJson(text)) return;
      assert.throws(() => readJson(text), isMalformed);
    }),
    { numRuns: 2_000 },
  );
});

test('a key that stands twice is refused wherever it stands and however it is written', () => {
  const dictionary = fc.dictionary(fc.string({ maxLength: 4 }), fc.string(), { minKeys: 1 });
  const wraps = fc.constantFrom(
    (text: string) => text,
    (text: string) => `[1, ${text}]`,
    (text: string) => `{"outer": {"a": 1, "inner": ${text}, "z": "::"}}`,
  );
  fc.assert(
    fc.property(dictionary, fc.nat(), wraps, fc.boolean(), (members, at, wrap, isEscaped) => {
      const name = Object.keys(members)[at % Object.keys(members).length] ?? '';
      const again = isEscaped
        ? `"${[...name].flatMap((c) => Array.from({ length: c.length }, (_, i) => escaped(c, i))).join('')}"`
        : JSON.stringify(name);
      const text = JSON.stringify(members).replace(/\}$/, () => `, ${again}: {"x": ":"}}`);
      assert.throws(() => readJson(wrap(text)), isMalformed);
    }),
  );
});

const escaped = (character: string, index: number): string =>
  `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const isMalformed = (error: unknown): boolean => error instanceof Refusal && error.code === 'malformed_json';

const keys = (count: number): string => Array.from({ length: count }, (_, n) => `"k${n}":1`).join();

const REFUSED: readonly (readonly [string, RegExp, string])[] = [
  ['{"amount": 5, "amount": 500}', /\/amount stands twice/, '/amount'],
  ['{"a": [{"b": 1}, {"b": 1, "b": 1}]}', /\/a\/1\/b stands twice/, '/a/1/b'],
  ['{"a\\u0062": 1, "ab": 2}', /\/ab stands twice/, '/ab'],
  ['{"a": 1, "a": 2, "mask": "\\u003a"}', /\/a stands twice/, '/a'],
  ['{"__proto__": 1, "__proto__": 2}', /stands twice/, '/__proto__'],
  ['{"name": "\\ud800"}', /half a surrogate pair/, '/name'],
  ['{"\\udc00": 1}', /half a surrogate pair/, ''],
  ['{"a": 1,\n "b" 2}', /a colon is missing at line 2, column 6/, ''],
  ['{"a": 1,}', /a key in double quotes is missing at line 1, column 9/, ''],
  ['{"a": }', /a value is missing at line 1, column 7/, ''],
  ['[1 2]', /a comma or \] is missing at line 1, column 4/, ''],
  ['{"a": 1', /a comma or \} is missing at line 1, column 8, where it ends/, ''],
  ['{"a": "x', /a text is not closed.* at line 1, column 7/, ''],
  ['', /a value is missing at line 1, column 1, where it ends/, ''],
  ['1 1', /something follows the end/, ''],
  ['NaN', /NaN is no number in JSON at line 1, column 1/, ''],
  ['{"a": -Infinity}', /-Infinity is no number in JSON/, ''],
  ['{"a": 12,5}', /a number has a decimal comma, where JSON needs a point, at line 1, column 10/, ''],
  [`${'['.repeat(JSON_DEPTH_MAX + 1)}1${']'.repeat(JSON_DEPTH_MAX + 1)}`, /more than 32 levels/, ''],
  ['['.repeat(30_000), /more than 32 levels/, ''],
  [`{${keys(2_000)},"k0":1}`, /a key stands twice, somewhere after line 1, column \d+/, ''],
  [`${'{"a":'.repeat(4_000)}1${'}'.repeat(4_000)}`, /more than 32 levels/, ''],
];

for (const [text, message, path] of REFUSED) {
  test(`${text.slice(0, 40)} is refused with its place`, () => {
    assert.throws(
      () => readJson(text),
      (error) => {
        assert.ok(error instanceof Refusal);
        assert.match(error.message, message);
        assert.equal(error.details?.[0]?.path, path);
        return true;
      },
    );
  });
}

test('colons and escapes inside texts are no keys', () => {
  for (const text of ['{"a:b": "c:d", "e": [":"]}', '{"\\u003a": ":", "a": "\\ud83d\\ude00"}', '[":", {}]']) {
    assert.deepEqual(readJson(text), JSON.parse(text));
  }
});
