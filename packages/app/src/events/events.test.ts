import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { grantOf } from '@granary/core/keys';
import { describeEachEngine } from '@granary/testing/app/engines';
import { isRefusal, NOW_MS, newDevice, registerDevice } from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';
import type { NewStoredKey } from '../keys/key-rows.ts';

const newKey = (keyId: string): NewStoredKey => ({
  keyId,
  hash: `secret hash of ${keyId}`,
  kind: 'service',
  name: 'Office',
  grants: [grantOf(['read'])],
  createdAtMs: NOW_MS,
  expiresAtMs: null,
});

/** Returns the value that distinguishes the changes of a configuration in this test. */
const intervalIn = (data: Readonly<Record<string, unknown>>): unknown =>
  (data['maintenance'] as { readonly interval_hours: number } | undefined)?.interval_hours;

describeEachEngine('the event log', (engine) => {
  let app: App;
  let other: App;
  before(async () => {
    app = await engine.open();
    other = await engine.open();
  });

  const after = (sequence: number) => app.events.after({ sequence, limit: 1_000 });
  const newest = async (): Promise<number> => (await app.events.bounds()).newest;

  it('is empty at first', async () => {
    assert.deepEqual(await app.events.bounds(), { oldest: 0, newest: 0 });
    assert.deepEqual(await after(0), []);
  });

  it('has an event for a registered device, with its facility and status', async () => {
    const start = await newest();
    const device = newDevice({ facility: 'South' });
    await app.devices.register(device);
    const [event] = await after(start);
    assert.partialDeepStrictEqual(event, {
      sequence: start + 1,
      type: 'device.registered',
      deviceId: device.deviceId,
      facility: 'South',
      atMs: NOW_MS,
      data: { device_id: device.deviceId, status: 'offline' },
    });
  });

  it('has events for keys without their hashes, and one for a revocation that is repeated', async () => {
    const start = await newest();
    await app.keys.create(newKey('key_a'));
    await app.keys.rotate('key_a', { keyId: 'key_b', hash: 'secret hash', createdAtMs: NOW_MS }, NOW_MS + 9);
    await app.keys.revoke('key_b', NOW_MS);
    await app.keys.revoke('key_b', NOW_MS + 1);
    const events = await after(start);
    assert.deepEqual(
      events.map(({ type, deviceId, data }) => [type, deviceId, data['key_id']]),
      [
        ['key.issued', null, 'key_a'],
        ['key.rotated', null, 'key_b'],
        ['key.revoked', null, 'key_b'],
      ],
    );
    assert.equal(events[1]?.data['replaces'], 'key_a');
    assert.doesNotMatch(JSON.stringify(events), /secret hash/);
  });

  it('has no event of a refused write, and no gap in the sequence', async () => {
    const start = await newest();
    const deviceNo = await registerDevice(app);
    await assert.rejects(
      app.configuration.change(deviceNo, { thresholds: { low_level: 95 } }, NOW_MS),
      isRefusal('invalid_input'),
    );
    await assert.rejects(app.keys.create(newKey('key_a')));
    await registerDevice(app);
    assert.deepEqual(
      (await after(start)).map(({ sequence }) => sequence),
      [start + 1, start + 2],
    );
  });

  it('is read in order and without gaps while many write', async () => {
    const start = await newest();
    const devices = [
      await app.devices.register(newDevice()),
      await app.devices.register(newDevice()),
    ] as const;
    const seen: number[] = [];
    const intervalsOf = new Map<string | null, unknown[]>();
    let isWriting = true;
    const reader = (async () => {
      while (isWriting || seen.length < 100) {
        for (const { sequence, deviceId, data } of await after(start + seen.length)) {
          seen.push(sequence);
          const interval = intervalIn(data);
          if (interval !== undefined) intervalsOf.getOrInsert(deviceId, []).push(interval);
        }
        await new Promise(setImmediate);
      }
    })();
    const write = async (n: number): Promise<void> => {
      const at = n % 2 ? app : other;
      const { deviceNo } = devices[n % 3 ? 0 : 1];
      if (n % 4 === 0) await at.keys.create(newKey(`parallel-${n}`));
      else await at.configuration.change(deviceNo, { maintenance: { interval_hours: n } }, NOW_MS);
    };
    // Writers wait for each other; many at once would exceed the time limit of a call on a slow machine.
    const writers = Array.from({ length: 4 }, async (_, lane) => {
      for (let n = lane; n < 98; n += 4) await write(n);
    });
    await Promise.all(writers).finally(() => {
      isWriting = false;
    });
    await reader;
    assert.deepEqual(
      seen,
      Array.from({ length: 100 }, (_, n) => start + n + 1),
    );
    for (const { deviceNo, deviceId } of devices) {
      const versions = await app.configuration.versions(deviceNo, null, 100);
      const stored = versions.toReversed().map(({ body }) => intervalIn(JSON.parse(body)));
      assert.deepEqual(intervalsOf.get(deviceId), stored.slice(1));
    }
  });

  it('also has the events of a node that ended before they were numbered', async () => {
    if (engine.name === 'sqlite') return;
    const start = await newest();
    await engine.query(
      `INSERT INTO unnumbered_events (at_ms, type, data) VALUES (1, 'key.revoked', '{"n":1}'), (2, 'key.revoked', '{"n":2}')`,
    );
    assert(await app.events.hasUnnumbered());
    await Promise.all([app.numberEvents(), other.numberEvents(), app.numberEvents()]);
    assert(!(await other.events.hasUnnumbered()));
    assert.deepEqual(
      (await after(start)).map(({ sequence, data }) => [sequence, data['n']]),
      [
        [start + 1, 1],
        [start + 2, 2],
      ],
    );
  });

  it('expires from the oldest event on, a few rows at a time', async () => {
    const { oldest, newest: last } = await app.events.bounds();
    await registerDevice(app, { registeredAtMs: NOW_MS + 10 });
    const expire = (rowsMax: number) => app.events.expire({ beforeMs: NOW_MS + 10, rowsMax });
    assert.equal(await expire(3), 3);
    assert.deepEqual(await app.events.bounds(), { oldest: oldest + 3, newest: last + 1 });
    assert.equal(await expire(10_000), last - oldest - 2);
    assert.equal(await expire(10_000), 0);
    assert.deepEqual(await app.events.bounds(), { oldest: last + 1, newest: last + 1 });
    assert.equal(await app.events.expire({ beforeMs: NOW_MS + 11, rowsMax: 10 }), 1);
    await registerDevice(app);
    assert.deepEqual(await app.events.bounds(), { oldest: last + 2, newest: last + 2 });
  });
});
