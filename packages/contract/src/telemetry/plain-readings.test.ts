import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { checker } from '../input/schema.ts';
import { PROFILES } from '../profiles/profiles.ts';
import { plainReadings, READINGS_PER_MESSAGE_MAX } from './telemetry.ts';

const CHANNELS = ['weight', 'temperature', 'humidity'] as const;
const isPlain = plainReadings(CHANNELS, READINGS_PER_MESSAGE_MAX);
const { checkTelemetry } = PROFILES.silo_scale;
const compiled = checker(checkTelemetry.schema);

const reading = { ts: 1_700_000_000_000, weight: 12.5, temperature: -3, humidity: 0 };

const name = fc.constantFrom(
  'ts',
  ...CHANNELS,
  'sensors',
  'bad',
  'battery_level',
  'toString',
  '__proto__',
  '',
);
const member = fc.oneof(
  { weight: 8, arbitrary: fc.integer() },
  { weight: 2, arbitrary: fc.double() },
  fc.constantFrom(
    '2026-01-01T00:00:00Z',
    '1',
    null,
    true,
    [],
    {},
    { grain: 1 },
    ['weight'],
    Number.POSITIVE_INFINITY,
  ),
);
const oddReading = fc
  .array(fc.tuple(name, member), { maxLength: 5 })
  .map((members): object => Object.fromEntries(members));
const telemetry = fc.oneof(oddReading, fc.array(oddReading, { maxLength: 3 }), member);

describe('the usual telemetry', () => {
  test('is recognised, alone and in lists up to the limit', () => {
    const list = (length: number) => Array.from({ length }, () => reading);
    assert.deepEqual(
      [reading, list(1), list(READINGS_PER_MESSAGE_MAX)].map((value) => isPlain(value)),
      [true, true, true],
    );
    assert.deepEqual(
      [list(0), list(READINGS_PER_MESSAGE_MAX + 1)].map((value) => isPlain(value)),
      [false, false],
    );
  });

  test('is nothing that the schema refuses, and the check of messages accepts what the schema accepts', () => {
    fc.assert(
      fc.property(telemetry, (value) => {
        if (isPlain(value)) assert.ok(compiled.accepts(value), JSON.stringify(value));
        assert.equal(checkTelemetry.accepts(value), compiled.accepts(value), JSON.stringify(value));
      }),
      { numRuns: 5_000 },
    );
  });
});
