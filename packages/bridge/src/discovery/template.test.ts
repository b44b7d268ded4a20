import assert from 'node:assert/strict';
import { test } from 'node:test';
import { understandTemplate } from './template.ts';

test('paths of the message and filters of numbers are understood', () => {
  const cases: readonly (readonly [string, string | null, number | null])[] = [
    ['{{ value_json.temperature }}', '/temperature', null],
    ['{{value_json.a.b}}', '/a/b', null],
    ["{{ value_json['a'].b }}", '/a/b', null],
    ['{{ value_json["ENERGY"]["Total"] }}', '/ENERGY/Total', null],
    ['{{ value_json.StatusSNS["SI-7021"].Humidity }}', '/StatusSNS/SI-7021/Humidity', null],
    ["{{ value_json['a/b~c'] }}", '/a~1b~0c', null],
    ['{{ value_json.list[2] }}', '/list/2', null],
    ['{{ value|float|round(1) }}', null, 1],
    ['{{ value | float }}', null, null],
    ['{{ value_json.x | float(0) | round(2) }}', '/x', 2],
    ['{{ value_json.x | int }}', '/x', 0],
    ['{{ value_json.x | round }}', '/x', 0],
    ['{{- value_json.x -}}', '/x', null],
    ['{{ value_json }}', '', null],
  ];
  for (const [template, pointer, decimals] of cases)
    assert.deepEqual(understandTemplate(template), { pointer, decimals }, template);
});

test('everything else is not understood', () => {
  for (const template of [
    '',
    'value_json.x',
    '{{ float(value) * 99 + 1 }}',
    '{{ (float(value|float) * 3.6) | round(2) }}',
    "{{ 'ON' if value_json.x > 3 else 'OFF' }}",
    '{% if value_json.x %}1{% endif %}',
    '{{ value_json.x }} {{ value_json.y }}',
    '{{ value_json.x | default(0) }}',
    '{{ value_json.x | float(5) }}',
    '{{ value_json.x * 2 }}',
    '{{ value_json.x | timestamp_local }}',
    '{{ value_json_x.y }}',
    '{{ value.x }}',
    "{{ value_json['a\\'b'] }}",
    '{{ value_json.x | int(base=16) }}',
    `{{ value_json.${'a'.repeat(400)} }}`,
  ])
    assert.equal(understandTemplate(template), null, template);
});
