import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModbusMapping } from './mapping.ts';
import { readMapping } from './read-mapping.ts';
import { faultLine } from './yaml-document.ts';

const LINES = [
  'mapping: scale',
  'version: 1',
  'title: A scale with a cable',
  'source: [the manual p. 3, the manual p. 4]',
  'evidence: documented',
  'protocol: modbus',
  'defaults: {table: input, order: CDAB, max_registers: 32, gap: 2, timeout: 500ms, forbidden: [90-99]}',
  'tables:',
  '  divisions: {0: 1, 1: 0.1}',
  '  units: {0: kg, 1: lb, 2: N}',
  'points:',
  '  status: {at: 6, doc: 40007, type: bits, bits: {0: fault, 7: negative}}',
  '  division: {at: 13, type: u16, mask: 0x00ff}',
  '  unit: {at: 13, type: u16, mask: 0xff00}',
  '  weight:',
  '    at: 7',
  '    type: u32',
  '    scale_from: {point: division, table: divisions}',
  '    unit_from: {point: unit, table: units}',
  '    negative_when: status.negative',
  '    bad_when: [status.fault]',
  '    range: [-500, 90000]',
  '    sensor: weight',
  '    every: 1s',
  '  valid: {at: 100, count: 3, type: u16, mask: 0xff00}',
  '  drop: {at: 103, count: 3, type: i16, scale: 0.1, unit: ft, convert: m, none: -1, valid_when: [{point: valid, is: 101}], sensor: "drop{n}"}',
  'examples:',
  '  - registers: {6: [0x80], 7: [0x3039, 0], 13: [1]}',
  '    gives: {weight: {value: -1234.5, unit: kg, quality: bad, reason: out_of_range}}',
  '  - registers: {6: [0], 7: [0x3039, 0], 13: [0x0101]}',
  '    gives: {weight: {value: 559.959780, unit: kg, quality: good}}',
  '  - registers: {6: [1], 7: [10, 0], 13: [0]}',
  '    gives: {weight: {value: 10, unit: kg, quality: bad, reason: bad_status}}',
  '  - registers: {6: [0], 7: [10, 0], 13: [0x0200]}',
  '    gives: {weight: {value: null, quality: bad, reason: unknown_unit}}',
  '  - registers: {6: [0], 7: [10, 0], 13: [2]}',
  '    gives: {weight: {value: null, quality: bad, reason: unknown_scale}}',
  '  - registers: {100: [0x6500, 0, 0x6500], 103: [100, 100, 0xffff]}',
  '    gives: {drop_1: 3.048, drop_2: {value: 3.048, quality: bad, reason: bad_status}, drop_3: {value: null, reason: none_value}}',
];

const read = (lines: readonly string[]) => readMapping(lines.join('\n'));
const changed = (...changes: readonly (readonly [string, string])[]) =>
  changes.reduce((text, [from, to]) => {
    assert.ok(text.includes(from), from);
    return text.replace(from, to);
  }, LINES.join('\n'));
const faultsOf = (text: string): string[] => {
  const outcome = readMapping(text);
  return 'faults' in outcome ? outcome.faults.map((fault) => faultLine('scale.yaml', fault)) : [];
};

test('a mapping with scale and unit from registers, a sign bit, validity by another register, and its examples', () => {
  const outcome = read(LINES);
  assert.deepEqual(outcome, { mapping: (outcome as { mapping: ModbusMapping }).mapping });
  const { mapping } = outcome as { mapping: ModbusMapping };
  assert.equal(mapping.points.length, 10);
  assert.equal(mapping.source, 'the manual p. 3; the manual p. 4');
  assert.deepEqual(mapping.settings.forbidden, [[90, 99]]);
  assert.deepEqual(
    mapping.points.flatMap(({ sensor }) => sensor ?? []),
    ['weight', 'drop1', 'drop2', 'drop3'],
  );
});

test('every fault is told with its line, and nothing of the file is used', () => {
  const text = changed(
    ['version: 1', 'version: one'],
    ['evidence: documented', 'evidence: sure'],
    ['gap: 2', 'gap: -2'],
    ['at: 6, doc', 'at: 70000, doc'],
    ['type: u32', 'type: u24'],
    ['mask: 0x00ff', 'mask: 0x00ff, select: 3'],
    ['count: 3, type: i16', 'count: 3, tipe: i16'],
  );
  assert.deepEqual(faultsOf(text), [
    'scale.yaml:2 /version must be a whole number',
    'scale.yaml:5 /evidence must be one of documented, peer, hardware',
    'scale.yaml:7 /defaults/gap must be at least 0',
    'scale.yaml:12 /points/status/at must be at most 65535',
    'scale.yaml:13 /points/division/select would write to the device, and a mapping may only read',
    'scale.yaml:17 /points/weight/type must be one of u16, i16, u32, i32, u64, i64, f32, f64, bits, string, bit',
    'scale.yaml:26 /points/drop/type is required',
    'scale.yaml:26 /points/drop/tipe is not a known field',
  ]);
});

const SINGLE: readonly (readonly [change: readonly [string, string], fault: RegExp])[] = [
  [['status.fault', 'status.foult'], /:21 \/points\/weight\/bad_when\/0 names no bit of status: foult$/],
  [['status.fault', 'state.fault'], /:21 .* names no point: state$/],
  [
    ['table: divisions}', 'table: division}'],
    /:18 \/points\/weight\/scale_from\/table names no table: division$/,
  ],
  [['table: units}', 'table: divisions}'], /:19 .* needs a table of units, and divisions has 1$/],
  [['[-500, 90000]', '[90000, -500]'], /:22 .* must have the smaller number first$/],
  [['convert: m', 'convert: kg'], /:26 \/points\/drop\/unit cannot be converted from ft to kg$/],
  [['"drop{n}"', 'drop'], /:26 .* must have \{n\}, because the point is repeated$/],
  [['    sensor: weight', '    sensor: "w{n}"'], /:23 .* has \{n\}, but the point has no count$/],
  [['valid: {at: 100, count: 3', 'valid: {at: 100, count: 2'], /:26 .* needs the same count and first$/],
  [['unit: ft, convert: m, ', ''], /:26 .* needs the unit in which the device gives the value$/],
  [['type: bits, ', 'type: f32, '], /:12 .*bits are those of a whole number$/],
  [
    ['at: 13, type: u16, mask: 0x00ff', 'at: 95, type: u16'],
    /:13 \/points\/division\/at reads the forbidden range 90-99$/,
  ],
  [
    ['gives: {weight: {value: -1234.5', 'gives: {weight: {value: 1234.5'],
    /:29 .* should have the value 1234.5, and has -1234.5$/,
  ],
  [['gives: {drop_1: 3.048', 'gives: {drop_9: 3.048'], /:39 .* names no point$/],
  [['every: 1s', 'every: 1ms'], /:24 .* must be 100ms at least$/],
  [['every: 1s', 'every: often'], /:24 .* must be a duration such as 500ms, 1s, 5m or 1h$/],
  [['at: 7', 'at: 65535'], /:16 .* ends at 65536, above 65535$/],
  [['type: u32', 'type: string'], /:15 \/points\/weight\/length must say how many registers the text has$/],
  [['version: 1', 'version: 1\nversion: 2'], /:3 "version" is given twice$/],
  [['version: 1', 'version: 1\n  x: 2'], /:2 .*/],
  [['title: A scale with a cable', 'title: *x'], /alias/i],
  [['examples:', 'examples: true\nothers:'], /:27 \/examples must be an array$/],
];

for (const [change, fault] of SINGLE) {
  test(`"${change[0].trim()}" → "${change[1].trim().replaceAll('\n', '⏎')}" is refused`, () => {
    const faults = faultsOf(changed(change));
    assert.ok(
      faults.some((one) => fault.test(one)),
      faults.join('\n'),
    );
  });
}

test('hostile files are refused and change nothing', () => {
  for (const text of [
    '',
    '[]',
    'null',
    '7',
    '__proto__: {a: 1}',
    'points: {__proto__: {at: 1}}',
    '\u0000',
    '{'.repeat(5_000),
  ]) {
    assert.ok('faults' in readMapping(text), JSON.stringify(text.slice(0, 20)));
  }
  const laughs = `a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n`;
  assert.deepEqual(faultsOf(laughs), ['scale.yaml:1 has aliases, which are not accepted']);
  assert.ok('faults' in readMapping('x'.repeat(1_000_001)));
  for (const open of ['[', '{a: ', '- ', '? '])
    assert.deepEqual(faultsOf(open.repeat(200_000)), ['scale.yaml:1 is nested too deeply'], open);
  assert.equal(faultsOf(`${'['.repeat(900)}${']'.repeat(900)}`).length, 1);
  const many = (fields: string) =>
    `mapping: many
version: 1
title: t
source: s
evidence: documented
protocol: modbus
points:
${Array.from({ length: 10_000 }, (_, n) => `  p${n}: {${fields}}`).join('\n')}
`;
  // Ten million points would not fit into memory, and ten thousand faults must not take minutes.
  assert.deepEqual(faultsOf(many('at: 1, type: u16, count: 1000')), [
    'scale.yaml:7 /points are 10000000 with all repetitions, more than 2000',
  ]);
  // The time is that of the processor, because other tests may keep it busy.
  const before = process.cpuUsage();
  assert.equal(faultsOf(many('at: 1, type: u15')).length, 10_000);
  assert.ok(process.cpuUsage(before).user < 20_000_000);
  assert.equal(({} as Record<string, unknown>)['at'], undefined);
  // A table or bit with the name of a property that every object has is unknown, too.
  assert.ok(faultsOf(changed(['table: divisions}', 'table: constructor}'])).length > 0);
});

test('a condition for the whole device is one for every sensor, and its fault is told once', () => {
  const withModel = (condition: string) =>
    changed(['forbidden: [90-99]}', `forbidden: [90-99], valid_when: [${condition}]}`]).replace(
      /examples:[\s\S]*/,
      '',
    );
  const outcome = readMapping(withModel('{point: status, is: 3}'));
  assert.ok('mapping' in outcome);
  assert.deepEqual(
    outcome.mapping.points.map(({ name, rules }) => [name, rules.validWhen.map(({ point }) => point)]),
    [
      ['status', []],
      ['division', []],
      ['unit', []],
      ['weight', ['status']],
      ...[1, 2, 3].map((n) => [`valid_${n}`, []]),
      ...[1, 2, 3].map((n) => [`drop_${n}`, ['status', `valid_${n}`]]),
    ],
  );
  assert.deepEqual(faultsOf(withModel('{point: model, is: 3}')), [
    'scale.yaml:7 /defaults/valid_when/0 names no point: model',
  ]);
});
