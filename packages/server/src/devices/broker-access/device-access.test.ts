import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredDevice } from '@granary/app/device-rows';
import { RequestTime } from '@granary/common/request-time';
import type { Refusal } from '@granary/contract/errors';
import { pino } from 'pino';
import { hashSecret } from '../../process/keys/secrets.ts';
import { GivenAccess } from './device-access.ts';

interface World {
  /** The hash of the stored secret; a device that is not registered has no entry. */
  stored: Record<string, { secretHash: string; removedAtMs: number | null }>;
  readonly calls: string[];
  /** Called while the broker takes a secret. */
  giving: () => Promise<void>;
  isBusy: boolean;
  isAway: boolean;
}

function world(changes: Partial<World> = {}) {
  const state: World = {
    stored: {},
    calls: [],
    isBusy: false,
    isAway: false,
    giving: () => Promise.resolve(),
    ...changes,
  };
  const access = new GivenAccess({
    security: {
      get isBusy() {
        return state.isBusy;
      },
      find: async (deviceId) => {
        if (state.isAway) throw new Error('not connected to the broker');
        return deviceId === 'foreign' ? 'foreign' : null;
      },
      give: async ({ deviceId, secret }) => {
        if (state.isAway) throw new Error('not connected to the broker');
        await state.giving();
        state.calls.push(`give ${deviceId} ${secret}`);
      },
      remove: async (deviceId) => void state.calls.push(`remove ${deviceId}`),
    },
    devices: {
      find: async (deviceId) => {
        const row = state.stored[deviceId];
        return row === undefined ? undefined : ({ deviceId, ...row } as StoredDevice);
      },
    },
    logger: pino({ level: 'silent' }),
  });
  return { state, access };
}

const stored = (secret: string, removedAtMs: number | null = null) => ({
  secretHash: hashSecret(secret),
  removedAtMs,
});
const refusedWith = (code: string, message: RegExp) => (error: Refusal) =>
  error.code === code && message.test(error.message);

test('a broker that is away or busy refuses before anything is stored, except what is registered already', async () => {
  const { state, access } = world({ isAway: true, stored: { known: stored('a') } });
  const unchanged = refusedWith('broker_unavailable', /nothing was changed/);
  await assert.rejects(access.readyToRegister(['known', 'new'], null), unchanged);
  await assert.rejects(access.readyToReplace('known', null), unchanged);
  await access.readyToRegister(['known'], null);
  Object.assign(state, { isAway: false, isBusy: true });
  await assert.rejects(access.readyToRegister(['new'], null), unchanged);
  await assert.rejects(access.readyToReplace('known', null), unchanged);
});

test('a name that the broker has for somebody else cannot be registered', async () => {
  const { access } = world();
  await assert.rejects(
    access.readyToRegister(['foreign'], null),
    refusedWith('device_exists', /has not made/),
  );
  await assert.rejects(
    access.readyToReplace('foreign', null),
    refusedWith('broker_unavailable', /has not made/),
  );
});

test('a broker that fails after the secret was stored says so; the repeated request completes it', async () => {
  const { state, access } = world({ isAway: true, stored: { silo: stored('a') } });
  const given = [{ deviceId: 'silo', secret: 'a' }];
  await assert.rejects(access.give(given, null), refusedWith('broker_unavailable', /are stored/));
  state.isAway = false;
  await access.give(given, null);
  assert.deepEqual(state.calls, ['give silo a']);
});

test('a secret that was replaced before is not given to the broker by a repeated request', async () => {
  const { state, access } = world({ stored: { silo: stored('newer'), removed: stored('a', 1) } });
  await access.give(
    ['silo', 'removed', 'unknown'].map((deviceId) => ({ deviceId, secret: 'a' })),
    null,
  );
  assert.deepEqual(state.calls, []);
});

test('a secret that another node replaces while the broker takes it lets nobody in', async () => {
  const { state, access } = world({ stored: { silo: stored('a') } });
  state.giving = async () => {
    state.stored = { silo: stored('newer') };
  };
  const refused = refusedWith('broker_unavailable', /at the same time/);
  await assert.rejects(access.give([{ deviceId: 'silo', secret: 'a' }], null), refused);
  assert.deepEqual(state.calls, ['give silo a', 'remove silo']);
});

test('only a device that is not registered is removed, after what was begun for it', async () => {
  const { state, access } = world({ stored: { silo: stored('a'), gone: stored('b', 1) } });
  const giving = access.give([{ deviceId: 'silo', secret: 'a' }], null);
  const removing = access.remove('silo');
  await Promise.all([giving, removing, access.remove('gone'), access.remove('unknown')]);
  assert.deepEqual(state.calls.toSorted(), ['give silo a', 'remove gone', 'remove unknown']);
});

test('a request does not wait for a slow broker longer than it may, and what it began is finished', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { state, access } = world({ stored: { slow: stored('a') }, giving: () => promise });
  const giving = access.give([{ deviceId: 'slow', secret: 'a' }], new RequestTime(0));
  await assert.rejects(giving, refusedWith('broker_unavailable', /has not confirmed them/));
  state.stored['slow'] = stored('b');
  resolve();
  // This one waits until the work on the first secret has ended.
  await access.give([{ deviceId: 'slow', secret: 'b' }], null);
  assert.deepEqual(state.calls, ['give slow a', 'remove slow', 'give slow b']);
});
