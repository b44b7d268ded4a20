import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  connectDevice,
  connectPacket,
  connectRaw,
  openRaw,
  secretOf,
  startLink,
} from '@granary/testing/link/fixture';
import { HELD_REFUSALS_PER_ADDRESS_MAX } from '../limits.ts';
import { LoginDelay, networkOf } from './admission.ts';

const MINUTE_MS = 60_000;

describe('failed logins', { timeout: 300_000 }, () => {
  const delays = () => new LoginDelay({ firstMs: 100, longestMs: 1_000 }, 3);

  test('each failure doubles the delay of the address up to the maximum, and of no other', () => {
    const delay = delays();
    const seen = Array.from({ length: 7 }, (_, count) => {
      delay.failed('10.0.0.1', count);
      return delay.delayMs('10.0.0.1', count);
    });
    assert.deepEqual(seen, [100, 200, 400, 800, 1_000, 1_000, 1_000]);
    assert.equal(delay.delayMs('10.0.0.2', 7), 0);
  });

  test('five minutes without failure end the delay', () => {
    const delay = delays();
    for (let count = 0; count < 5; count++) delay.failed('10.0.0.1', 0);
    assert.equal(delay.delayMs('10.0.0.1', 5 * MINUTE_MS), 1_000);
    assert.equal(delay.delayMs('10.0.0.1', 5 * MINUTE_MS + 1), 0);
    delay.failed('10.0.0.1', 5 * MINUTE_MS + 1);
    assert.equal(delay.delayMs('10.0.0.1', 5 * MINUTE_MS + 1), 100);
  });

  test('the table is bounded: the oldest failure is removed', () => {
    const delay = delays();
    for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.1', '10.0.0.3', '10.0.0.4'])
      delay.failed(address, 0);
    const known = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'].map((address) =>
      delay.delayMs(address, 0),
    );
    assert.deepEqual(known, [200, 0, 100, 100]);
  });

  test('failures are counted by network for IPv6, and by address for IPv4 mapped to IPv6', () => {
    assert.equal(networkOf('2001:db8:0:1::5'), networkOf('2001:db8:0:1:ffff:1:2:3'));
    assert.notEqual(networkOf('2001:db8:0:1::5'), networkOf('2001:db8:0:2::5'));
    assert.equal(networkOf('::1'), networkOf('::2'));
    assert.notEqual(networkOf('::ffff:10.0.0.1'), networkOf('::ffff:10.0.0.2'));
  });

  /** The second refusal is held for longer than the test lasts. */
  const HELD = { loginDelayMs: 600_000, loginDelayMsMax: 600_000 };
  const wrong = { password: Buffer.from('a guess') };

  test('a refusal is held, and meanwhile good devices of the same address log in', async (t) => {
    const { broker, handler, port } = await startLink(t, HELD);
    const first = await connectRaw(t, port, 'silo-1', wrong);
    assert.partialDeepStrictEqual(first.packets[0], { cmd: 'connack', returnCode: 4 });
    const second = await openRaw(t, port);
    second.send(connectPacket('silo-1', wrong));
    await handler.until(() => broker.linkStatistics('silo-1').refusedLogins === 2);
    for (const deviceId of ['silo-1', 'silo-2']) {
      const good = await connectRaw(t, port, deviceId, { password: Buffer.from(secretOf(deviceId)) });
      assert.partialDeepStrictEqual(good.packets[0], { cmd: 'connack', returnCode: 0 });
    }
    assert.deepEqual(second.packets, []);
    const refusals = handler.observations.filter(({ kind }) => kind === 'login_refused');
    assert.equal(refusals.length, 2);
    assert.doesNotMatch(JSON.stringify(handler.observations), /guess|secret of/);
  });

  test('the refusals that are held are bounded, and further ones are sent at once', async (t) => {
    const { broker, handler, port } = await startLink(t, HELD);
    await connectRaw(t, port, 'silo-1', wrong);
    for (let held = 0; held < HELD_REFUSALS_PER_ADDRESS_MAX; held++) {
      const device = await openRaw(t, port);
      device.send(connectPacket('silo-1', wrong));
      await handler.until(() => broker.linkStatistics('silo-1').refusedLogins === held + 2);
    }
    const further = await connectRaw(t, port, 'silo-1', wrong);
    assert.partialDeepStrictEqual(further.packets[0], { cmd: 'connack', returnCode: 4 });
  });

  test('a repeated wrong secret is answered later each time', async (t) => {
    const { port } = await startLink(t, { loginDelayMs: 150, loginDelayMsMax: 300 });
    for (const heldMs of [0, 150, 300]) {
      const startedMs = performance.now();
      await connectRaw(t, port, 'silo-1', wrong);
      assert.ok(performance.now() - startedMs >= heldMs - 10);
    }
  });
});

test('a device that was closed for a protocol fault waits longer for each login, and no other device does', async (t) => {
  const { port } = await startLink(t, { loginDelayMs: 150, loginDelayMsMax: 300 });
  const connectMs = async (deviceId: string) => {
    const startedMs = performance.now();
    const device = await connectRaw(t, port, deviceId);
    return { device, tookMs: performance.now() - startedMs };
  };
  for (const delayMs of [0, 150, 300]) {
    const { device, tookMs } = await connectMs('silo-1');
    assert.ok(tookMs >= delayMs - 10, `connected after ${tookMs} ms instead of ${delayMs}`);
    device.finish(Buffer.of(0xf0, 0));
    await device.closed;
  }
  const order: string[] = [];
  await Promise.all(
    ['silo-1', 'silo-2'].map((deviceId) => connectMs(deviceId).then(() => order.push(deviceId))),
  );
  assert.deepEqual(order, ['silo-2', 'silo-1']);
});

describe('logins while storage cannot answer', { timeout: 300_000 }, () => {
  test('the CONNECT is held and answered when storage is back', async (t) => {
    const { handler, port } = await startLink(t, { storageRetryMs: 20 });
    handler.authenticateFails = true;
    const connecting = connectDevice(t, port, 'silo-1');
    await handler.until(() => handler.attempts.length >= 5);
    assert.deepEqual(handler.events, []);
    handler.authenticateFails = false;
    await connecting;
    assert.deepEqual(handler.events, [['connected', 'silo-1']]);
  });

  test('the login of a device that has disconnected is not tried again', async (t) => {
    const { handler, port } = await startLink(t, { storageRetryMs: 20 });
    handler.authenticateFails = true;
    const device = await openRaw(t, port);
    device.send(connectPacket('silo-1'));
    await handler.until(() => handler.attempts.length >= 2);
    device.destroySocket();
    await waitUntilNoMoreAttempts();
    assert.deepEqual(handler.events, []);

    /** Waits for several retry intervals, so that further attempts would have been counted. */
    async function waitUntilNoMoreAttempts(): Promise<void> {
      let before = -1;
      while (before !== handler.attempts.length) {
        before = handler.attempts.length;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  });
});
