import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SENSORS_DECLARED_MAX } from '../devices/sensors.ts';
import { PROFILE_NAMES, PROFILES } from '../profiles/profiles.ts';

const sensorsNamed = (count: number, nameOf: (index: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [nameOf(index), 1]));

const cables = (count: number) => sensorsNamed(count, (index) => `cable-${index}`);

/** The values are JSON texts, because `__proto__` in an object literal is not a field. */
const REFUSED = [
  ['{"ts":1,"sensors":{"__proto__":1}}', '/sensors/__proto__', /not a known field/],
  ['{"ts":1,"sensors":{"__proto__":{"co2":1}}}', '/sensors/__proto__', /not a known field/],
  ['{"ts":1,"sensors":{"co2":1,"a/b":1}}', '/sensors/a~1b', /not a known field/],
  ['{"ts":1,"sensors":{"":1}}', '/sensors/', /not a known field/],
  [JSON.stringify({ ts: 1, sensors: { ['x'.repeat(65)]: 1 } }), `/sensors/${'x'.repeat(64)}`, /not a known/],
  ['{"ts":1,"sensors":{"co2":"1"}}', '/sensors/co2', /must be a number/],
  ['{"ts":1,"sensors":{"co2":null}}', '/sensors/co2', /must be a number/],
  ['{"ts":1,"sensors":{"co2":1e309}}', '/sensors/co2', /must be a number/],
  ['{"ts":1,"sensors":{"co2":{"value":1}}}', '/sensors/co2', /must be a number/],
  ['{"ts":1,"sensors":{}}', '/sensors', /at least one field/],
  ['{"ts":1,"sensors":[]}', '/sensors', /must be an object/],
  ['{"ts":1,"sensors":null}', '/sensors', /must be an object/],
  ['{"ts":1,"sensors":5}', '/sensors', /must be an object/],
  ['{"ts":1,"bad":"weight"}', '/bad', /must be an array/],
  ['{"ts":1,"bad":[]}', '/bad', /at least/],
  ['{"ts":1,"bad":["__proto__"]}', '/bad/0', /must/],
  ['{"ts":1,"bad":[null]}', '/bad/0', /must be/],
  [JSON.stringify({ ts: 1, bad: Array(10_000).fill('co2') }), '/bad', /at most/],
  ['{"ts":1}', '', /at least one of .*sensors/],
  ['[{"ts":1,"sensors":{"co2":1}},{"ts":1,"sensors":{"-":1}}]', '/1/sensors/-', /not a known field/],
] as const;

for (const name of PROFILE_NAMES) {
  const { checkTelemetry } = PROFILES[name];

  test(`a ${name} may send values of declared sensors alone, and up to ${SENSORS_DECLARED_MAX} of them`, () => {
    const reading = { ts: 1, sensors: cables(SENSORS_DECLARED_MAX) };
    assert.equal(checkTelemetry.accepts(reading), true);
    assert.equal(checkTelemetry.accepts([reading, { ts: '2026-11-15T08:30:00Z', sensors: { a: -0 } }]), true);
    assert.equal(checkTelemetry.accepts({ ts: 1, sensors: { ['x'.repeat(64)]: 1 } }), true);
  });

  for (const [text, path, message] of REFUSED) {
    test(`a ${name} may not send ${text.slice(0, 60)}`, () => {
      const sent = JSON.parse(text);
      assert.equal(checkTelemetry.accepts(sent), false);
      const [fault] = checkTelemetry.faults(sent);
      assert.equal(fault?.path, path);
      assert.match(fault?.message ?? '', message);
    });
  }

  test(`too many sensors of a ${name} are one issue, whatever they are called`, () => {
    for (const sensors of [cables(SENSORS_DECLARED_MAX + 1), sensorsNamed(15_000, (index) => `_${index}`)]) {
      const count = Object.keys(sensors).length;
      const message = `must have at most 64 fields, not ${count}`;
      for (const [sent, path] of [
        [{ ts: 1, sensors }, '/sensors'],
        [
          [
            { ts: 1, sensors: { co2: 1 } },
            { ts: 1, sensors },
          ],
          '/1/sensors',
        ],
      ] as const) {
        assert.equal(checkTelemetry.accepts(sent), false);
        const faults = checkTelemetry.faults(sent).map((fault) => [fault.path, fault.message]);
        assert.deepEqual(faults, [[path, message]]);
      }
    }
  });
}
