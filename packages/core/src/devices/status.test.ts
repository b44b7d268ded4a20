import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeviceStatus } from '@granary/contract/devices/statuses';
import { deviceStatus, FRESHNESS_MS, NEVER_SEEN, type Presence } from './status.ts';

const NOW_MS = 1_000_000_000_000;

const TABLE: readonly (readonly [string, Presence, DeviceStatus])[] = [
  [
    'never heard of',
    { ...NEVER_SEEN, lastSeenAtMs: null, linkDownAtMs: null, reportedState: null },
    'offline',
  ],
  [
    'heard just now',
    { ...NEVER_SEEN, lastSeenAtMs: NOW_MS, linkDownAtMs: null, reportedState: null },
    'online',
  ],
  [
    'heard at the very limit',
    { ...NEVER_SEEN, lastSeenAtMs: NOW_MS - FRESHNESS_MS, linkDownAtMs: null, reportedState: 'online' },
    'online',
  ],
  [
    'silent too long',
    { ...NEVER_SEEN, lastSeenAtMs: NOW_MS - FRESHNESS_MS - 1, linkDownAtMs: null, reportedState: 'online' },
    'offline',
  ],
  [
    'link lost after the last word',
    { ...NEVER_SEEN, lastSeenAtMs: NOW_MS - 2, linkDownAtMs: NOW_MS - 1, reportedState: 'online' },
    'offline',
  ],
  [
    'link lost with the last word',
    { ...NEVER_SEEN, lastSeenAtMs: NOW_MS, linkDownAtMs: NOW_MS, reportedState: 'online' },
    'offline',
  ],
  [
    'back after a lost link',
    { ...NEVER_SEEN, lastSeenAtMs: NOW_MS - 1, linkDownAtMs: NOW_MS - 2, reportedState: 'online' },
    'online',
  ],
  [
    'says it is in maintenance',
    { ...NEVER_SEEN, lastSeenAtMs: NOW_MS, linkDownAtMs: null, reportedState: 'maintenance' },
    'maintenance',
  ],
  [
    'in maintenance and gone',
    { ...NEVER_SEEN, lastSeenAtMs: NOW_MS - 2, linkDownAtMs: NOW_MS - 1, reportedState: 'maintenance' },
    'offline',
  ],
  [
    'heard in our future',
    { ...NEVER_SEEN, lastSeenAtMs: NOW_MS + 60_000, linkDownAtMs: null, reportedState: null },
    'online',
  ],
];

const gate = (sinceMs: number, untilMs: number | null) => ({ sinceMs, untilMs, reason: 'gate', by: null });

const MAINTAINED: readonly (readonly [string, Presence, DeviceStatus])[] = [
  ['switched off for maintenance', { ...NEVER_SEEN, maintenance: gate(NOW_MS, null) }, 'maintenance'],
  [
    'online in maintenance',
    { ...NEVER_SEEN, lastSeenAtMs: NOW_MS, maintenance: gate(NOW_MS - 1, NOW_MS + 1) },
    'maintenance',
  ],
  [
    'whose maintenance has just ended',
    { ...NEVER_SEEN, lastSeenAtMs: NOW_MS, maintenance: gate(NOW_MS - 1, NOW_MS) },
    'online',
  ],
  [
    'that still reports maintenance after that',
    {
      ...NEVER_SEEN,
      lastSeenAtMs: NOW_MS,
      reportedState: 'maintenance',
      maintenance: gate(NOW_MS - 1, NOW_MS),
    },
    'maintenance',
  ],
];

for (const [name, presence, expected] of [...TABLE, ...MAINTAINED]) {
  test(`a device ${name} is ${expected}`, () => assert.equal(deviceStatus(presence, NOW_MS), expected));
}

test('a device that reports every five minutes stays online for three of them', () => {
  const presence: Presence = { ...NEVER_SEEN, lastSeenAtMs: NOW_MS, reportingIntervalMs: 300_000 };
  assert.equal(deviceStatus(presence, NOW_MS + 900_000), 'online');
  assert.equal(deviceStatus(presence, NOW_MS + 900_001), 'offline');
});
