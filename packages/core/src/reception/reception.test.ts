import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FOUND_TYPES } from '@granary/contract/devices/reception';
import { durationText, inEnglish } from '@granary/contract/sentences/english';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, toIso } from '@granary/contract/time';
import { faultsOfSentence } from '@granary/testing/contract/sentences';
import { receptionConditions } from '../alerts/rules/device-rules.ts';
import { NEVER_SEEN } from '../devices/status.ts';
import {
  advanceReception,
  changesAlerts,
  type MessageReception,
  type Reception,
  receptionRecord,
  refusedReadings,
  toldRefusedReadings,
  wrongClockMs,
} from './reception.ts';

const START_MS = Date.UTC(2026, 5, 15, 12);
const TEXT_AS_WEIGHT = { code: 'not_a_number', field: 'weight', found: 'text' } as const;

type Sent = Partial<Pick<MessageReception, 'refusal' | 'clockOffsetMs'>> & { readonly atMs: number };

const received = (sent: readonly Sent[], before: Reception | null = null): Reception | null =>
  sent
    .map((one): MessageReception => ({ deviceNo: 1, refusal: null, clockOffsetMs: 0, ...one }))
    .reduce(advanceReception, before);

const refused = (atMs: number, taken: 'none' | 'some' = 'none'): Sent => ({
  atMs,
  refusal: { taken, cause: TEXT_AS_WEIGHT },
});
const every10s = (count: number, one: (atMs: number) => Sent): Sent[] =>
  Array.from({ length: count }, (_, n) => one(START_MS + n * 10 * SECOND_MS));

describe('refused readings', () => {
  test('two messages in a row are shown but not told, three are told with number, time and cause', () => {
    const two = received(every10s(2, refused));
    assert.equal(refusedReadings(two)?.messages, 2);
    assert.equal(toldRefusedReadings(two), null);
    assert.deepEqual(toldRefusedReadings(received(every10s(3, refused))), {
      messages: 3,
      taken: 'none',
      since: toIso(START_MS),
      last_at: toIso(START_MS + 20 * SECOND_MS),
      cause: TEXT_AS_WEIGHT,
      message: 'weight is a text, not a number',
      message_code: 'value_not_a_number',
      message_values: { sensor: 'weight', found: 'text' },
    });
  });

  test('a message that is taken ends them', () => {
    const before = received(every10s(5, refused));
    assert.equal(received([{ atMs: START_MS + MINUTE_MS }], before), null);
    assert.equal(
      toldRefusedReadings(received([...every10s(2, refused), { atMs: START_MS }, refused(START_MS)])),
      null,
    );
  });

  test('of messages of which a part is taken it is told that a part is refused', () => {
    const partly = received(every10s(4, (atMs) => refused(atMs, 'some')));
    assert.deepEqual(
      [toldRefusedReadings(partly)?.taken, toldRefusedReadings(partly)?.messages],
      ['some', 4],
    );
    const mixed = received([refused(START_MS + 40_000)], partly);
    assert.deepEqual([toldRefusedReadings(mixed)?.taken, toldRefusedReadings(mixed)?.messages], ['some', 5]);
    const untaken = received([refused(START_MS + 50_000), refused(START_MS + 60_000)], mixed);
    assert.deepEqual(
      [toldRefusedReadings(untaken)?.taken, toldRefusedReadings(untaken)?.messages],
      ['none', 3],
    );
  });

  test('a flood of refused messages asks for one evaluation, and then for one every ten seconds', () => {
    let reception: Reception | null = null;
    let evaluations = 0;
    for (let n = 0; n < 60_000; n++) {
      const after = received([refused(START_MS + n)], reception);
      if (changesAlerts(reception, after)) evaluations++;
      reception = after;
    }
    assert.equal(evaluations, 6);
    assert.equal(toldRefusedReadings(reception)?.messages, 60_000);
  });
});

describe('the clock of a device', () => {
  const shifted =
    (offsetMs: number) =>
    (atMs: number): Sent => ({ atMs, clockOffsetMs: offsetMs });

  test('is wrong after three messages in 20 s that differ by about the same', () => {
    const behind = shifted(-HOUR_MS);
    assert.equal(wrongClockMs(received(every10s(2, behind))), null);
    assert.equal(wrongClockMs(received(every10s(3, behind))), -HOUR_MS);
    const jittery = every10s(6, (atMs) => ({
      atMs,
      clockOffsetMs: -HOUR_MS + ((atMs / 10_000) % 2) * 4_000,
    }));
    assert.notEqual(wrongClockMs(received(jittery)), null);
    const fast = Array.from({ length: 15 }, (_, n) => behind(START_MS + n * SECOND_MS));
    assert.equal(wrongClockMs(received(fast)), null);
  });

  test('is not wrong when a device sends readings that it has stored, at any speed above that of measuring', () => {
    for (const speed of [2, 5, 60, 1_000]) {
      const sent: Sent[] = [];
      for (let n = 0; n * 10 * SECOND_MS < HOUR_MS; n++) {
        const atMs = START_MS + (n * 10 * SECOND_MS) / speed;
        sent.push({ atMs, clockOffsetMs: START_MS - HOUR_MS + n * 10 * SECOND_MS - atMs });
        assert.equal(wrongClockMs(received(sent.slice(-20))), null, `${speed} times as fast`);
      }
    }
  });

  test('once known nothing is stored until it changes, and one right message ends it', () => {
    const known = received(every10s(3, shifted(-HOUR_MS)));
    const again = received([shifted(-HOUR_MS - 900)(START_MS + MINUTE_MS)], known);
    assert.equal(again, known);
    assert.equal(wrongClockMs(received([shifted(-2 * HOUR_MS)(START_MS + MINUTE_MS)], known)), -2 * HOUR_MS);
    assert.equal(received([{ atMs: START_MS + MINUTE_MS }], known), null);
  });

  test('is 0 for callers while it is right, and null while nothing is known', () => {
    assert.equal(receptionRecord(null, true).clock_offset_s, 0);
    assert.equal(receptionRecord(null, false).clock_offset_s, null);
    assert.equal(receptionRecord(received(every10s(2, shifted(-HOUR_MS))), true).clock_offset_s, null);
    assert.equal(receptionRecord(received(every10s(3, shifted(HOUR_MS))), false).clock_offset_s, 3_600);
  });
});

test('sentences about it name no code', () => {
  const causes = [
    ...FOUND_TYPES.map((found) => ({ code: 'not_a_number', field: 'battery_level', found }) as const),
    { code: 'clock', offset_s: -3_600 },
    { code: 'time_unit', unit: 'seconds' },
    { code: 'undeclared_sensor', field: 'temp_12' },
  ] as const;
  for (const cause of causes) {
    const refusal = { taken: 'none', cause } as const;
    const reception = received(every10s(4, (atMs) => ({ atMs, refusal, clockOffsetMs: -HOUR_MS })));
    const clock = received(every10s(4, (atMs) => ({ atMs, clockOffsetMs: -HOUR_MS })));
    for (const addresses of [[], ['10.0.0.5'], ['10.0.0.5', '10.0.0.9']]) {
      const duplicate = { sinceMs: START_MS, lastAtMs: START_MS, takeovers: 5, addresses };
      const told = [reception, clock].flatMap((one) =>
        receptionConditions({ presence: NEVER_SEEN, reception: one, duplicate }, START_MS),
      );
      const messages = told.flatMap((one) => (one.state === 'present' ? [inEnglish(one.message)] : []));
      assert.equal(messages.length, 4);
      for (const message of messages) assert.deepEqual(faultsOfSentence(message), []);
    }
  }
});

test('a length of time is one number with its unit', () => {
  const texts = [
    [61 * SECOND_MS, '61 s'],
    [2 * MINUTE_MS, '2 min'],
    [59.6 * MINUTE_MS, '1 h'],
    [HOUR_MS, '1 h'],
    [25 * HOUR_MS, '25 h'],
    [3 * DAY_MS, '3 days'],
    [365 * DAY_MS, '1 year'],
    [56 * 365 * DAY_MS, '56 years'],
  ] as const;
  for (const [lengthMs, text] of texts) assert.equal(durationText(lengthMs), text);
});
