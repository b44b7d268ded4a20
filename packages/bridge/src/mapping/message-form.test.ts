import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formFields, isTopicFilter, messageTimeMs } from './message-place.ts';
import { readMapping } from './read-mapping.ts';

const HEAD = `mapping: x
version: 1
title: x
source: x
evidence: documented
protocol: mqtt
`;

const faultsOf = (text: string): string[] => {
  const outcome = readMapping(HEAD + text);
  return 'faults' in outcome ? outcome.faults.map(({ line, message }) => `${line} ${message}`) : [];
};

test('every fault of a mapping of messages is told with its line', () => {
  const faults = faultsOf(`defaults:
  topic: "a/#/b"
  time: {pointer: at, as: iso}
  patterns: ["{weight}"]
  availability: {topic: "+a"}
points:
  weight: {pointer: kg, unit: kg, sensor: weight}
  door: {pointer: /door, topic: "a#"}
`);
  assert.deepEqual(
    faults.map((fault) => fault.slice(0, 40)),
    [
      '8 must be a topic, in which + is one lev',
      '9 must be a JSON pointer such as /object',
      '10 must be a pattern such as {status:2},',
      '11 must be a topic, in which + is one le',
      '13 must be a JSON pointer such as /objec',
      '14 must be a topic; {address} is the add',
    ],
  );
});

test('an example of messages is run, and points are repeated by their numbers', () => {
  const points = `points:
  cable: {pointer: "/cables/{n}", count: 3, first: 0, unit: celsius, sensor: "cable_{n}"}
examples:
`;
  assert.deepEqual(
    faultsOf(`${points}  - {message: {cables: [1, 2, 3]}, gives: {cable_0: 1, cable_2: 3}}\n`),
    [],
  );
  assert.deepEqual(faultsOf(`${points}  - {message: {cables: [1, 2, 3]}, gives: {cable_0: 2}}\n`), [
    '10 should have the value 2, and has 1',
  ]);
});

test('times are read in the four forms, and nonsense is none', () => {
  const ms = Date.parse('2026-11-18T04:00:00Z');
  assert.deepEqual(
    [
      messageTimeMs('2026-11-18T05:00:00+01:00', 'iso'),
      messageTimeMs('2026-11-18 04:00:00', 'utc'),
      messageTimeMs(ms / 1_000, 'epoch_s'),
      messageTimeMs(String(ms), 'epoch_ms'),
    ],
    [ms, ms, ms, ms],
  );
  for (const said of [
    null,
    undefined,
    '',
    'now',
    {},
    Number.NaN,
    -1,
    '1',
    '2026-13-99 00:00:00',
    'x'.repeat(99),
  ])
    assert.equal(messageTimeMs(said, 'utc'), null, String(said));
  for (const said of [null, '', 'x', 0, 3_600, Number.POSITIVE_INFINITY])
    assert.equal(messageTimeMs(said, 'epoch_s'), null);
});

test('a form with many fields, or one twice, is bounded', () => {
  assert.deepEqual(formFields('a=1&a=2&b=%20x'), { a: '1', b: ' x' });
  assert.equal(
    Object.keys(formFields(Array.from({ length: 5_000 }, (_, i) => `f${i}=1`).join('&'))).length,
    500,
  );
  assert.equal(Object.getPrototypeOf(formFields('__proto__=1')), Object.prototype);
});

test('knows what is a filter', () => {
  for (const filter of ['a', 'a/+/b', '#', 'a/#', '/', 'a b/ü']) assert.ok(isTopicFilter(filter), filter);
  for (const filter of ['', 'a/#/b', 'a+', '#a', 'a\0b', 'a/b#', 'x'.repeat(1_001)])
    assert.ok(!isTopicFilter(filter), filter);
});
