import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FRESHNESS_MS, NEVER_SEEN, type Presence } from '../devices/status.ts';
import { type Observation, observe, offlineAlertAtMs, offlineFromMs } from './observation.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
const HOUR_MS = 3_600_000;

const online: Observation = {
  lastPublishedStatus: 'online',
  observedSinceMs: 0,
  onlineSinceMs: 0,
  leftAtMs: null,
};
const seenAt = (lastSeenAtMs: number, linkDownAtMs: number | null = null): Presence => ({
  ...NEVER_SEEN,
  lastSeenAtMs,
  linkDownAtMs,
});

describe('a device is known to be offline', () => {
  it('three intervals after it was heard, or when its link is lost', () => {
    assert.equal(offlineFromMs(seenAt(NOW_MS), 0), NOW_MS + FRESHNESS_MS + 1);
    assert.equal(offlineFromMs(seenAt(NOW_MS, NOW_MS + 5), 0), NOW_MS + 5);
    assert.equal(offlineFromMs(seenAt(NOW_MS, NOW_MS - 5), 0), NOW_MS + FRESHNESS_MS + 1);
    assert.equal(offlineFromMs(NEVER_SEEN, 0), null);
  });

  it('three intervals after the service began to listen, whatever happened before', () => {
    for (const presence of [seenAt(NOW_MS - HOUR_MS), seenAt(NOW_MS - HOUR_MS, NOW_MS - 1)]) {
      assert.equal(offlineFromMs(presence, NOW_MS), NOW_MS + FRESHNESS_MS + 1);
    }
    assert.equal(offlineFromMs(seenAt(NOW_MS - HOUR_MS, NOW_MS + 7), NOW_MS), NOW_MS + 7);
  });

  it('and an alarm after its delay', () => {
    const presence = { ...seenAt(NOW_MS), reportingIntervalMs: 1_000, offlineDelayMs: 500 };
    assert.equal(offlineAlertAtMs(presence, 0), NOW_MS + 3_501);
  });
});

describe('the published status', () => {
  const statusAt = (presence: Presence, observedSinceMs: number, nowMs: number) =>
    observe({ ...online, observedSinceMs }, presence, nowMs).lastPublishedStatus;

  it('follows the device', () => {
    assert.equal(statusAt(seenAt(NOW_MS), 0, NOW_MS), 'online');
    assert.equal(statusAt(seenAt(NOW_MS), 0, NOW_MS + FRESHNESS_MS + 1), 'offline');
    assert.equal(statusAt(seenAt(NOW_MS, NOW_MS), 0, NOW_MS), 'offline');
  });

  it('stays after a start of the service until the silence is the device’s own', () => {
    const presence = seenAt(NOW_MS - HOUR_MS);
    assert.equal(statusAt(presence, NOW_MS, NOW_MS), 'online');
    assert.equal(statusAt(presence, NOW_MS, NOW_MS + FRESHNESS_MS), 'online');
    assert.equal(statusAt(presence, NOW_MS, NOW_MS + FRESHNESS_MS + 1), 'offline');
  });
});

describe('a device that comes back', () => {
  const left = observe(online, seenAt(NOW_MS), NOW_MS + FRESHNESS_MS + 1);

  it('gives its sensors time when it was silent', () => {
    assert.deepEqual([left.lastPublishedStatus, left.leftAtMs], ['offline', NOW_MS]);
    const backMs = NOW_MS + HOUR_MS;
    const back = observe(left, seenAt(backMs), backMs);
    assert.deepEqual([back.lastPublishedStatus, back.onlineSinceMs, back.leftAtMs], ['online', backMs, null]);
    assert.deepEqual(observe(back, seenAt(backMs), backMs + 1), back);
  });

  it('gives them none when only its link broke, however often', () => {
    let observation = online;
    for (let n = 0; n < 10; n++) {
      const atMs = NOW_MS + n * 20_000;
      observation = observe(observation, seenAt(atMs, atMs + 1), atMs + 1);
      assert.equal(observation.lastPublishedStatus, 'offline');
      observation = observe(observation, seenAt(atMs + 20_000), atMs + 20_000);
      assert.deepEqual([observation.lastPublishedStatus, observation.onlineSinceMs], ['online', 0]);
    }
  });
});
