import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DOWN_SUBJECTS, topicOf, UP_SUBJECTS } from '@granary/contract/link/messages';
import fc from 'fast-check';
import { ownSubject, parseTopic } from './topics.ts';

const deviceIds = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);

test('every topic of every device is parsed back', () => {
  fc.assert(
    fc.property(deviceIds, fc.constantFrom(...UP_SUBJECTS, ...DOWN_SUBJECTS), (deviceId, subject) => {
      assert.deepEqual(parseTopic(topicOf(deviceId, subject)), { deviceId, subject });
    }),
  );
});

test('a parsed topic formats to the same text', () => {
  const parts = fc.constantFrom(
    'granary',
    'v1',
    '/',
    '+',
    '#',
    'silo-1',
    'telemetry',
    'config',
    '',
    '$SYS',
    'é',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(parts).map((all) => all.join('')),
      ),
      (topic) => {
        const parsed = parseTopic(topic);
        if (parsed !== null) assert.equal(topicOf(parsed.deviceId, parsed.subject), topic);
      },
    ),
  );
});

test('any other topic is null', () => {
  const foreign = [
    '',
    '#',
    '$SYS/broker/uptime',
    'granary/v1',
    'granary/v1/silo-1',
    'granary/v1//telemetry',
    'granary/v1/silo-1/',
    'granary/v1/silo-1/firmware',
    'granary/v1/silo-1/telemetry/',
    'granary/v1/silo-1/x/telemetry',
    'granary/v2/silo-1/telemetry',
    '/granary/v1/silo-1/telemetry',
    'granary/v1/silo-1/#',
  ];
  for (const topic of foreign) assert.equal(parseTopic(topic), null, topic);
});

test('a topic belongs to a device only with exactly its id', () => {
  assert.equal(ownSubject('silo-1', 'granary/v1/silo-1/config'), 'config');
  for (const id of ['silo-2', 'silo-10', 'silo-', 'SILO-1', '+', '#']) {
    assert.equal(ownSubject('silo-1', `granary/v1/${id}/config`), null, id);
  }
});
