import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeviceStatus } from '@granary/contract/devices';
import { deviceStatus, FRESHNESS_MS, type Presence } from './devices.ts';

const NOW_MS = 1_000_000_000_000;

const TABLE: readonly (readonly [string, Presence, DeviceStatus])[] = [
  ['never heard of', { lastSeenAtMs: null, linkDownAtMs: null, reportedState: null }, 'offline'],
  ['heard just now', { lastSeenAtMs: NOW_MS, linkDownAtMs: null, reportedState: null }, 'online'],
  [
    'heard at the very limit',
    { lastSeenAtMs: NOW_MS - FRESHNESS_MS, linkDownAtMs: null, reportedState: 'online' },
    'online',
  ],
  [
    'silent too long',
    { lastSeenAtMs: NOW_MS - FRESHNESS_MS - 1, linkDownAtMs: null, reportedState: 'online' },
    'offline',
  ],
  [
    'link lost after the last word',
    { lastSeenAtMs: NOW_MS - 2, linkDownAtMs: NOW_MS - 1, reportedState: 'online' },
    'offline',
  ],
  [
    'link lost with the last word',
    { lastSeenAtMs: NOW_MS, linkDownAtMs: NOW_MS, reportedState: 'online' },
    'offline',
  ],
  [
    'back after a lost link',
    { lastSeenAtMs: NOW_MS - 1, linkDownAtMs: NOW_MS - 2, reportedState: 'online' },
    'online',
  ],
  [
    'says it is in maintenance',
    { lastSeenAtMs: NOW_MS, linkDownAtMs: null, reportedState: 'maintenance' },
    'maintenance',
  ],
  [
    'in maintenance and gone',
    { lastSeenAtMs: NOW_MS - 2, linkDownAtMs: NOW_MS - 1, reportedState: 'maintenance' },
    'offline',
  ],
  [
    'heard in our future',
    { lastSeenAtMs: NOW_MS + 60_000, linkDownAtMs: null, reportedState: null },
    'online',
  ],
];

for (const [name, presence, expected] of TABLE) {
  test(`a device ${name} is ${expected}`, () => assert.equal(deviceStatus(presence, NOW_MS), expected));
}
