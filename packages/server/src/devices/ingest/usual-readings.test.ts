import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { topicOf } from '@granary/contract/link/messages';
import type { Sensor } from '@granary/core/sensors/sensor';
import { unpackReadings } from '@granary/core/telemetry/readings';
import type { LinkDevice, LinkHandler } from '@granary/link/port';
import { deliver } from '@granary/link/session/deliver';
import { UsualMessages } from '@granary/link/session/usual-messages';
import fc from 'fast-check';
import type { Arrival } from './batch.ts';
import { newIngestCounters } from './counters.ts';
import { TelemetryIntake } from './telemetry-intake.ts';

const NOW_MS = 1_800_000_000_000;
const DEVICE: LinkDevice = { deviceNo: 7, deviceId: 'silo', profile: 'silo_scale', capacityKg: 20_000 };

const sensor = (sensorId: string, group: number, slot: 0 | 1 | 2, scale: number): Sensor => ({
  sensorId,
  type: 'temperature',
  unit: 'celsius',
  scale,
  min: -100,
  max: 100,
  lane: { group, slot },
  reportingIntervalMs: null,
});
const byId = (sensors: readonly Sensor[]) => new Map(sensors.map((one) => [one.sensorId, one]));
const DECLARED = byId([sensor('t1', 100, 0, 10), sensor('7', 100, 1, 1), sensor('x_y', 101, 2, 1_000)]);

/** An intake that keeps what would be written. */
function setUp() {
  const arrivals: Arrival[] = [];
  const receipts: string[] = [];
  let declared = DECLARED;
  const intake = new TelemetryIntake({
    sensorsOf: () => declared,
    cachedSensors: () => declared,
    pipeline: {
      submitHeld: async (arrival) => void arrivals.push(arrival),
      submitPlain: (readings, seenAtMs, receiver, message) => {
        const { deviceNo } = DEVICE;
        arrivals.push({
          deviceNo,
          seenAtMs,
          readings: unpackReadings(readings.slice()),
          rejections: [],
          reception: null,
        });
        receiver.stored(message);
        return true;
      },
    },
    log: { warn: () => undefined, error: () => undefined },
    counters: newIngestCounters(),
    now: () => NOW_MS,
    rawRetentionDays: 30,
  });
  const handler = {
    received: (device, message) => {
      assert.ok(message.subject === 'telemetry');
      const { telemetry } = message;
      return intake.telemetry(device, Array.isArray(telemetry) ? telemetry : [telemetry]);
    },
    rejected: (device, rejection) => intake.rejected(device, rejection),
  } as LinkHandler;
  const takeLayout = intake.usualTelemetry(DEVICE, {
    stored: (message) => void receipts.push(`stored ${message}`),
    failed: (message) => void receipts.push(`failed ${message}`),
  });
  const usual = new UsualMessages(DEVICE, takeLayout);
  let messages = 0;
  return {
    receipts,
    declare: (sensors: typeof DECLARED) => {
      declared = sensors;
    },
    /** What the stage for usual messages makes of a message; `null` when it does not take the message. */
    plainly(text: string): Arrival | null {
      const payload = Buffer.from(text, 'latin1');
      // The packets before and after it are in the same buffer.
      const bytes = Buffer.concat([Buffer.from('}0'), payload, Buffer.from('0}')]);
      const isTaken = usual.take(bytes, 2, 2 + payload.length, messages++);
      assert.equal(arrivals.length, isTaken ? 1 : 0);
      return arrivals.pop() ?? null;
    },
    /** What the general decoder makes of the same message. */
    async otherwise(text: string) {
      const outcome = await deliver(
        handler,
        DEVICE,
        topicOf('silo', 'telemetry'),
        Buffer.from(text, 'latin1'),
      );
      return { outcome, arrival: arrivals.pop() };
    },
  };
}

const spaces = fc.constantFrom('', '', '', ' ', '\n', ' \t');
const usualNumber = fc
  .tuple(fc.integer({ min: 0, max: 9_999 }), fc.integer({ min: 0, max: 3 }))
  .map(([whole, decimals]) => (whole / 100).toFixed(decimals));
/** Numbers of every kind that JSON allows, and some that it does not allow. */
const anyNumber = fc.oneof(
  usualNumber,
  usualNumber.map((text) => `-${text}`),
  fc.double().map(String),
  fc.double({ min: -100, max: 100 }).map((number) => JSON.stringify(number)),
  fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(String),
  fc
    .tuple(fc.nat(999), fc.stringMatching(/^[0-9]{1,20}$/))
    .map(([whole, decimals]) => `${whole}.${decimals}`),
  fc.constantFrom('0', '-0', '-0.0', '0.1', '00', '01', '-', '.5', '1.', '1e2', '1E-2', '+1', '1e400', '0x1'),
  fc.constantFrom(
    '123456789012345',
    '1234567890123456',
    '99.99999999999999',
    'null',
    'true',
    '"1"',
    '[1]',
    '',
    'NaN',
  ),
);
const usualTime = fc.integer({ min: -59_999, max: 59_999 }).map((offset) => String(NOW_MS + offset));
const anyTime = fc.oneof(
  usualTime,
  fc.integer({ min: -100_000, max: 100_000 }).map((offset) => String(NOW_MS + offset)),
  fc.constantFrom(
    `${NOW_MS}.0`,
    `${NOW_MS}.5`,
    `${NOW_MS / 1_000}`,
    '1.8e12',
    '"2027-01-15T08:00:00Z"',
    '-1',
  ),
);

interface Layout {
  readonly names: readonly string[];
  readonly sensors: readonly string[];
  readonly space: string;
}

const layout: fc.Arbitrary<Layout> = fc
  .record({
    names: fc.shuffledSubarray(['weight', 'temperature', 'humidity'], { minLength: 1 }),
    timeAt: fc.nat(3),
    sensors: fc.shuffledSubarray(['t1', '7', 'x_y']),
    sensorsAt: fc.nat(3),
    space: spaces,
  })
  .map(({ names, timeAt, sensors, sensorsAt, space }) => ({
    names: names
      .toSpliced(timeAt, 0, 'ts')
      .toSpliced(sensorsAt, 0, ...(sensors.length === 0 ? [] : ['sensors'])),
    sensors,
    space,
  }));

/** A message in this layout. */
function textOf({ names, sensors, space }: Layout, time: string, numbers: readonly string[]): string {
  let next = 0;
  const member = (name: string, value: string): string => `${space}"${name}":${space}${value}`;
  const number = (): string => numbers[next++] ?? '1';
  const members = names.map((name) => {
    if (name === 'ts') return member(name, time);
    if (name !== 'sensors') return member(name, number());
    return member(name, `{${sensors.map((one) => member(one, number())).join(',')}}`);
  });
  return `{${members.join(',')}${space}}`;
}

/** Most of these numbers are usual, so that many messages have only one unusual number. */
const mostlyUsualNumber = fc.oneof(
  { arbitrary: usualNumber, weight: 8 },
  { arbitrary: anyNumber, weight: 1 },
);
const mostlyUsualTime = fc.oneof({ arbitrary: usualTime, weight: 3 }, { arbitrary: anyTime, weight: 1 });

const SIX = { minLength: 6, maxLength: 6 };
/** A change of the text at a place. */
const edit = fc.record({
  at: fc.nat(1_000),
  removed: fc.nat(3),
  added: fc.oneof(
    fc.constant(''),
    fc.constantFrom(
      '}',
      '{',
      ',',
      '"',
      ':',
      '0',
      '-',
      '.',
      'e',
      ' ',
      '\\',
      '\xff',
      '"ts":1,',
      '"bad":["weight"],',
    ),
  ),
});

describe('usual telemetry taken from its bytes', () => {
  it('is what the other way stores', async () => {
    await fc.assert(
      fc.asyncProperty(
        layout,
        usualTime,
        fc.array(usualNumber, SIX),
        usualTime,
        fc.array(usualNumber, SIX),
        async (form, firstTime, firstNumbers, time, numbers) => {
          const { plainly, otherwise, receipts } = setUp();
          assert.equal(plainly(textOf(form, firstTime, firstNumbers)), null, 'the first one is learnt');
          const text = textOf(form, time, numbers);
          const stored = plainly(text);
          assert.ok(stored !== null, `${text} was not taken`);
          assert.deepEqual({ outcome: 'used', arrival: stored }, await otherwise(text));
          assert.deepEqual(receipts, ['stored 1']);
        },
      ),
    );
  });

  it('is never what the other way refuses, stores otherwise or tells somebody', async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(
        layout,
        mostlyUsualTime,
        fc.array(mostlyUsualNumber, SIX),
        fc.array(
          fc.record({
            time: mostlyUsualTime,
            numbers: fc.array(mostlyUsualNumber, SIX),
            edits: fc.array(edit, { maxLength: 2 }),
          }),
          {
            maxLength: 5,
          },
        ),
        async (form, firstTime, firstNumbers, further) => {
          const { plainly, otherwise } = setUp();
          plainly(textOf(form, NOW_MS.toString(), ['1', '1', '1', '1', '1', '1']));
          plainly(textOf(form, firstTime, firstNumbers));
          for (const { time, numbers, edits } of further) {
            let text = textOf(form, time, numbers);
            for (const { at, removed, added } of edits) {
              const place = at % (text.length + 1);
              text = text.slice(0, place) + added + text.slice(place + removed);
            }
            const stored = plainly(text);
            if (stored === null) continue;
            taken++;
            assert.deepEqual({ outcome: 'used', arrival: stored }, await otherwise(text));
          }
        },
      ),
      { numRuns: 2_000 },
    );
    assert.ok(taken > 500, `only ${taken} were taken`);
  });

  it('is never the end of another packet', () => {
    const { plainly } = setUp();
    const text = `{"ts":${NOW_MS},"weight":1}`;
    plainly(text);
    assert.ok(plainly(text) !== null);
    for (let length = 0; length < text.length; length++) assert.equal(plainly(text.slice(0, length)), null);
  });

  it('has the sensors of the device as they are now', () => {
    const { plainly, declare } = setUp();
    const text = `{"ts":${NOW_MS},"sensors":{"t1":1.5}}`;
    plainly(text);
    assert.deepEqual(
      plainly(text)?.readings.map(({ group, a }) => [group, a]),
      [[100, 15]],
    );
    declare(byId([sensor('t1', 104, 0, 100)]));
    while (plainly(text) === null);
    assert.deepEqual(
      plainly(text)?.readings.map(({ group, a }) => [group, a]),
      [[104, 150]],
    );
    declare(byId([]));
    for (let message = 0; message < 10; message++) assert.equal(plainly(text), null);
  });

  it('is not learnt again and again by a device whose messages differ', () => {
    const { plainly } = setUp();
    const texts = ['weight', 'temperature', 'humidity'].map((name) => `{"ts":${NOW_MS},"${name}":1}`);
    let taken = 0;
    for (let message = 0; message < 3_000; message++) if (plainly(texts[message % 3] ?? '') !== null) taken++;
    assert.ok(taken > 900, `${taken} were taken: the shape changed too often`);
  });

  it('fails like other messages', async () => {
    const receipts: string[] = [];
    const rejected: Arrival[] = [];
    const intake = new TelemetryIntake({
      sensorsOf: () => DECLARED,
      cachedSensors: () => DECLARED,
      pipeline: {
        submitHeld: async (arrival) => void rejected.push(arrival),
        submitPlain: (readings, seenAtMs, receiver, message) => {
          const arrival = {
            deviceNo: 7,
            seenAtMs,
            readings: unpackReadings(readings.slice()),
            rejections: [],
            reception: null,
          };
          receiver.failed(message, new RangeError('cannot be stored'), arrival);
          return true;
        },
      },
      log: { warn: () => undefined, error: () => undefined },
      counters: newIngestCounters(),
      now: () => NOW_MS,
      rawRetentionDays: 30,
    });
    const takeLayout = intake.usualTelemetry(DEVICE, {
      stored: (message) => void receipts.push(`stored ${message}`),
      failed: (message) => void receipts.push(`failed ${message}`),
    });
    const usual = new UsualMessages(DEVICE, takeLayout);
    const bytes = Buffer.from(`{"ts":${NOW_MS},"weight":1}`);
    usual.take(bytes, 0, bytes.length, 0);
    assert.ok(usual.take(bytes, 0, bytes.length, 1));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(receipts, ['stored 1'], 'it is acknowledged, because it would fail at every repetition');
    assert.deepEqual(
      rejected.flatMap(({ rejections }) => rejections.map(({ payload }) => payload)),
      ['1 readings'],
    );
  });
});
