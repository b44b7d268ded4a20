import assert from 'node:assert/strict';
import { test } from 'node:test';
import { READINGS_PER_MESSAGE_MAX } from '@granary/contract/telemetry/telemetry';
import fc from 'fast-check';
import { decode, payloadExcerpt } from './codec.ts';

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const reading = { ts: '2026-11-01T12:00:00Z', weight: 12.5, humidity: 40 };

function reasonOf(decoded: ReturnType<typeof decode>): string {
  assert.ok('reason' in decoded, JSON.stringify(decoded));
  return decoded.reason;
}

test('one reading and many readings are decoded unchanged', () => {
  assert.deepEqual(decode('silo_scale', 'telemetry', bytes(reading)), {
    subject: 'telemetry',
    telemetry: reading,
  });
  const many = Array.from({ length: READINGS_PER_MESSAGE_MAX }, () => reading);
  assert.deepEqual(decode('silo_scale', 'telemetry', bytes(many)), { subject: 'telemetry', telemetry: many });
  const field = { ts: 0, latitude: 48.2, battery_level: 80 };
  assert.deepEqual(decode('rover', 'telemetry', bytes(field)), { subject: 'telemetry', telemetry: field });
});

test('a state is decoded unchanged', () => {
  const state = { state: 'offline' };
  assert.deepEqual(decode('silo_scale', 'status', bytes(state)), { subject: 'status', state });
});

test('telemetry that breaks its schema says where', () => {
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [{ weight: 1 }, /\/ts is required/],
    [{ ts: 'yesterday', weight: 1 }, /\/ts/],
    [{ ts: 1 }, /./],
    [{ ...reading, weight: '12' }, /\/weight/],
    [{ ...reading, latitude: 4 }, /\/latitude is not a known field/],
    [[reading, { ...reading, humidity: null }], /\/1\/humidity/],
    [[], /./],
    [Array.from({ length: READINGS_PER_MESSAGE_MAX + 1 }, () => reading), /./],
    [null, /./],
    ['text', /./],
  ];
  for (const [value, reason] of cases)
    assert.match(reasonOf(decode('silo_scale', 'telemetry', bytes(value))), reason);
  assert.match(reasonOf(decode('silo_scale', 'telemetry', Buffer.from('{"ts":1,"weight":1e999}'))), /weight/);
});

test('a state that breaks its schema says where', () => {
  assert.match(
    reasonOf(decode('silo_scale', 'status', bytes({ state: 'on fire' }))),
    /\/state must be one of/,
  );
});

test('a payload that is not JSON is rejected as such, however deep or empty', () => {
  for (const text of ['', '{', 'NaN', '[1,]', '\0']) {
    assert.match(
      reasonOf(decode('silo_scale', 'telemetry', Buffer.from(text))),
      /^the JSON cannot be used: .* at line 1/,
    );
  }
  assert.ok('reason' in decode('silo_scale', 'telemetry', Buffer.alloc(500_000, '[')));
  assert.ok(
    'reason' in decode('silo_scale', 'telemetry', Buffer.from('['.repeat(100_000) + ']'.repeat(100_000))),
  );
});

test('a payload that a lenient parser would repair is refused', () => {
  const ack = (text: string) => reasonOf(decode('silo_scale', 'ack', Buffer.from(text, 'latin1')));
  assert.equal(ack('{"operation_id":"op_1","accepted":true,"reason":"\xe4"}'), 'payload is not valid UTF-8');
  assert.match(ack('{"operation_id":"op_1","accepted":true,"accepted":false}'), /\/accepted stands twice/);
  assert.match(ack('{"operation_id":"op_1","accepted":true,"reason":"\\ud800"}'), /half a surrogate pair/);
  assert.match(
    ack('{"operation_id":"op_1","accepted":true,"reason":"\\u0000"}'),
    /\/reason must be a text without/,
  );
});

test('an acknowledgement and progress are decoded unchanged', () => {
  const ack = { operation_id: 'op_1', accepted: false, reason: 'the gate is jammed' };
  assert.deepEqual(decode('silo_scale', 'ack', bytes(ack)), { subject: 'ack', ack });
  const progress = { operation_id: 'op_1', state: 'running', amount_kg: 12.5, ts: 1_800_000_000_000 };
  assert.deepEqual(decode('silo_scale', 'progress', bytes(progress)), {
    subject: 'progress',
    progress,
  });
});

test('a report about an operation that breaks its schema says where', () => {
  const progress = { operation_id: 'op_1', state: 'running', amount_kg: 1, ts: 1 };
  const cases: readonly (readonly ['ack' | 'progress', unknown, RegExp])[] = [
    ['ack', { operation_id: 'op_1' }, /\/accepted is required/],
    ['ack', { operation_id: 'a b', accepted: true }, /\/operation_id/],
    ['progress', { ...progress, amount_kg: -1 }, /\/amount_kg/],
    ['progress', { ...progress, amount_kg: 1e12 }, /\/amount_kg/],
    ['progress', { ...progress, state: 'flying' }, /\/state must be one of/],
    ['progress', { ...progress, percent: 120 }, /\/percent is not a known field/],
    ['progress', { ...progress, ts: 'soon' }, /\/ts/],
  ];
  for (const [subject, value, reason] of cases) {
    assert.match(reasonOf(decode('silo_scale', subject, bytes(value))), reason);
  }
});

test('the reports of a field device about commands and missions are decoded unchanged', () => {
  for (const ack of [
    { command_id: 'cmd_1', accepted: true },
    { mission_id: 'ms_1', accepted: false, reason: 'busy' },
  ]) {
    assert.deepEqual(decode('rover', 'ack', bytes(ack)), { subject: 'ack', ack });
  }
  for (const progress of [
    { command_id: 'cmd_1', state: 'succeeded', ts: 1 },
    { mission_id: 'ms_1', state: 'running', waypoints: [{ index: 0, state: 'reached' }], ts: 1 },
  ]) {
    const decoded = { subject: 'progress', progress };
    assert.deepEqual(decode('rover', 'progress', bytes(progress)), decoded);
  }
});

test('a report of a field device that breaks its schema says where', () => {
  const mission = { mission_id: 'ms_1', state: 'running', ts: 1 };
  const cases: readonly (readonly ['ack' | 'progress', unknown, RegExp])[] = [
    ['ack', {}, /\/command_id is required/],
    ['ack', { operation_id: 'op_1', accepted: true }, /\/operation_id is not a known field/],
    ['ack', { command_id: 'cmd_1', mission_id: 'ms_1', accepted: true }, /\/command_id is not a known field/],
    ['progress', { command_id: 'cmd_1', state: 'running', ts: 1 }, /\/state must be one of executing/],
    ['progress', { ...mission, waypoints: [{ index: 500, state: 'reached' }] }, /\/waypoints\/0\/index/],
    ['progress', { ...mission, waypoints: [{ index: 1.5, state: 'reached' }] }, /\/waypoints\/0\/index/],
    ['progress', { ...mission, ts: 'soon' }, /\/ts/],
    ['progress', null, /./],
  ];
  for (const [subject, value, reason] of cases) {
    assert.match(reasonOf(decode('rover', subject, bytes(value))), reason);
  }
});

test('it never throws, and reasons stay printable and short', () => {
  const jsonBytes = fc.json().map((text) => new TextEncoder().encode(text));
  const unknownFields = fc.dictionary(fc.string(), fc.integer()).map((value) => new Uint8Array(bytes(value)));
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), jsonBytes, unknownFields), (payload) => {
      const decoded = decode('silo_scale', 'telemetry', Buffer.from(payload));
      const reason = 'reason' in decoded ? decoded.reason : '';
      assert.ok(reason.length <= 500);
      assert.doesNotMatch(reason, /[\p{Cc}\p{Cs}]/u);
    }),
  );
});

test('an excerpt is printable, at most 200 characters, and keeps readable text', () => {
  assert.equal(payloadExcerpt(Buffer.from('Größe: 12 €'), 200), 'Größe: 12 €');
  assert.equal(payloadExcerpt(Buffer.from('a\nb\u001b[31m\u202e'), 200), 'a\uFFFDb\uFFFD[31m\uFFFD');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), (payload) => {
      const excerpt = payloadExcerpt(Buffer.from(payload), 200);
      assert.ok(excerpt.length <= 200);
      assert.doesNotMatch(excerpt, /[\p{Cc}\p{Cs}]/u);
    }),
  );
  assert.ok(payloadExcerpt(Buffer.from('🌾'.repeat(300)), 199).isWellFormed());
});
