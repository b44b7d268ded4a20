import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '@granary/common/monotonic-ms';
import { describePostgres } from '@granary/testing/app/engines';
import { type NodeProcess, nodeProcesses } from '@granary/testing/server/node-processes';
import { siloNamed } from '@granary/testing/server/service';
import { newSharedClock, readClock, ServiceClock } from './service-clock.ts';

const SKEW_MS = 60_000;
const DEVICES = '/v1/siloscale/devices';

describe('the clock of the service', () => {
  it('is that of the machine until that of the database is known, in all threads', () => {
    let systemMs = 5_000;
    const clock = new ServiceClock({ system: () => systemMs });
    assert.equal(clock.now(), 5_000);
    const asked = monotonicMs();
    clock.take({ askedAtMs: asked, answeredAtMs: asked, databaseMs: 2_000_000 });
    const first = clock.now();
    assert(first >= 2_000_000 && first < 2_060_000, String(first));
    assert(Math.abs(readClock(clock.forThreads()) - first) < 10_000);
    // Somebody sets the clock of the machine.
    systemMs += 3_600_000;
    assert(clock.now() - first < 60_000);
    assert(Math.abs(clock.systemAheadMs - (systemMs - clock.now())) < 10_000);
  });

  it('does not go back for a better measurement, and follows a clock that was set', () => {
    const clock = new ServiceClock();
    const take = (databaseMs: number, errorMs: number): void => {
      const middle = monotonicMs();
      clock.take({ askedAtMs: middle - errorMs, answeredAtMs: middle + errorMs, databaseMs });
    };
    take(1_000_000, 400);
    const first = clock.now();
    take(999_700, 1);
    let before = clock.now();
    assert(before >= first);
    for (let turn = 0; turn < 1_000; turn++) {
      const now = clock.now();
      assert(now >= before);
      before = now;
    }
    take(400_000, 1);
    assert(clock.now() < 500_000);
  });

  it('is the one given, in tests', () => {
    const clock = new ServiceClock({ fixed: () => 77 });
    clock.take({ askedAtMs: 0, answeredAtMs: 0, databaseMs: 2_000_000 });
    assert.equal(clock.now(), 77);
    assert.equal(clock.systemAheadMs, 0);
    assert(Math.abs(readClock(clock.forThreads()) - 77) < 10_000);
    assert(Math.abs(readClock(newSharedClock()) - Date.now()) < 10_000);
  });
});

describePostgres('two nodes whose machines differ by a minute', (engine) => {
  const start = nodeProcesses(engine);
  let right: NodeProcess;
  let ahead: NodeProcess;
  before(async () => {
    right = await start();
    ahead = await start({ GRANARY_TEST_CLOCK_AHEAD_MS: String(SKEW_MS) });
  });

  const report = async ({ api }: NodeProcess, deviceId: string) => {
    const answer = await api.post(`${DEVICES}/${deviceId}/telemetry`, { ts: Date.now(), weight: 500 });
    assert.equal(answer.status, 200, answer.text);
  };

  it('show the same time, and the difference as a figure', async () => {
    const metric = async ({ httpUrl }: NodeProcess) =>
      Number(
        (await (await fetch(`${httpUrl}/metrics`)).text()).match(/^granary_clock_ahead_seconds (\S+)/m)?.[1],
      );
    assert(Math.abs(await metric(right)) < 1, String(await metric(right)));
    assert(Math.abs((await metric(ahead)) - SKEW_MS / 1_000) < 1, String(await metric(ahead)));
  });

  it('raise no alert about a device that reports to one of them, and see it as online', async () => {
    const deviceId = 'steady';
    assert.equal((await right.api.post(DEVICES, siloNamed(deviceId))).status, 200);
    // The delay is shorter than the difference of the clocks, and longer than a round on a busy machine.
    const reporting = { interval_s: 10, offline_delay_s: 0 };
    assert.equal((await right.api.put(`${DEVICES}/${deviceId}/config`, { reporting })).status, 200);
    for (let second = 0; second < 5; second++) {
      await report(second % 4 === 0 ? ahead : right, deviceId);
      await sleep(1_000);
      for (const { api } of [right, ahead]) {
        const { data } = (await api.get(`${DEVICES}/${deviceId}`)).body;
        assert.equal(data.status, 'online');
        assert(Math.abs(Date.parse(data.last_seen) - Date.now()) < SKEW_MS / 2, data.last_seen);
      }
    }
    const { data } = (await right.api.get(`${DEVICES}/${deviceId}/alerts?status=all`)).body;
    assert.deepEqual(
      data.map(({ type }: { type: string }) => type),
      [],
    );
  });

  it('raise the alert about a device that is silent once, and not a minute late', async () => {
    const deviceId = 'silent';
    assert.equal((await ahead.api.post(DEVICES, siloNamed(deviceId))).status, 200);
    const reporting = { interval_s: 1, offline_delay_s: 1 };
    assert.equal((await ahead.api.put(`${DEVICES}/${deviceId}/config`, { reporting })).status, 200);
    await report(ahead, deviceId);
    const beganMs = performance.now();
    const raised = async () =>
      (await right.api.get(`${DEVICES}/${deviceId}/alerts?status=all`)).body.data
        .map(({ type }: { type: string }) => type)
        .filter((type: string) => type === 'device_offline').length;
    while ((await raised()) === 0 && performance.now() - beganMs < SKEW_MS / 2) await sleep(100);
    assert.equal(await raised(), 1);
  });
});
