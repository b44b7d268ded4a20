import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredDevice } from '@granary/app/device-rows';
import type { KnownClient } from '@granary/link/external/access/dynamic-security';
import { reconcile } from './dynamic-access.ts';

interface Row {
  secretHash: string;
  removedAtMs: number | null;
}

const active = (secretHash: string): Row => ({ secretHash, removedAtMs: null });

/** A storage and a broker in memory; `settled` may change both. */
function world(
  rows: Record<string, Row>,
  clients: Record<string, string>,
  settled: () => void = () => undefined,
) {
  const device = (deviceId: string) => {
    const row = rows[deviceId];
    return row === undefined ? undefined : ({ deviceId, ...row } as StoredDevice);
  };
  const client = (deviceId: string): KnownClient | null => {
    const secretHash = clients[deviceId];
    return secretHash === undefined ? null : { deviceId, secretHash };
  };
  const done: string[] = [];
  const roles = new Map(Object.keys(clients).map((deviceId) => [deviceId, true]));
  const parts: Parameters<typeof reconcile>[0] = {
    security: {
      clients: async () =>
        new Map(Object.keys(clients).flatMap((id) => [[id, client(id)] as [string, KnownClient]])),
      roles: async () => roles,
      find: async (deviceId) => client(deviceId),
      correctRole: async (deviceId) => void done.push(`correct ${deviceId}`),
    },
    devices: {
      find: async (deviceId) => device(deviceId),
      list: async ({ group }) =>
        group === 'field'
          ? []
          : Object.keys(rows).flatMap((deviceId) => {
              const found = device(deviceId);
              return found === undefined || found.removedAtMs !== null ? [] : [found];
            }),
    },
    remove: async (deviceId) => void done.push(`remove ${deviceId}`),
    revoke: async (deviceId) => void done.push(`revoke ${deviceId}`),
    settled: async () => settled(),
  };
  return { parts, done, roles };
}

test('devices that the broker does not know are found; replaced secrets and removed devices are removed there', async () => {
  const { parts, done, roles } = world(
    {
      good: active('h1'),
      missing: active('h2'),
      stale: active('h4'),
      gone: { secretHash: 'h5', removedAtMs: 1 },
    },
    { good: 'h1', stale: 'h3', gone: 'h5' },
  );
  roles.set('good', false);
  roles.set('only-role', true);
  assert.deepEqual(await reconcile(parts), {
    unknown: ['missing', 'stale'],
    removed: ['gone'],
    unexpected: [],
  });
  assert.deepEqual(done, ['remove gone', 'correct good', 'remove only-role', 'revoke stale']);
});

test('a secret that reaches the broker a moment later is not revoked', async () => {
  const rows = { replaced: active('new'), registered: active('new'), again: active('h1') };
  const clients: Record<string, string> = { replaced: 'old', again: 'h0' };
  const { parts, done } = world(rows, clients, () => {
    clients['replaced'] = 'new';
    clients['registered'] = 'new';
    // Another replacement is stored and on its way to the broker.
    rows.again = active('h2');
  });
  assert.deepEqual((await reconcile(parts)).unknown, ['again']);
  assert.deepEqual(done, []);
});

test('with the wrong database nothing is removed', async () => {
  const { parts, done } = world({ one: active('h') }, { one: 'h', a: 'h', b: 'h' });
  assert.deepEqual(await reconcile(parts), { unknown: [], removed: [], unexpected: ['a', 'b'] });
  assert.deepEqual(done, []);
  const purged = world({ one: active('h'), two: active('h') }, { one: 'h', two: 'h', purged: 'h' });
  assert.deepEqual((await reconcile(purged.parts)).removed, ['purged']);
});
