import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ApiError } from '@granary/client';
import type { NewestValues } from '@granary/contract/fleet';
import { ScriptedClient } from '@granary/testing/console/scripted-client';
import { type HubPort, SharedStreams } from './shared-streams.ts';
import { type HubMessage, StreamHub, type WindowMessage } from './stream-hub.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A connection to the worker without a browser, in which messages arrive at once. */
function portTo(hub: StreamHub): HubPort {
  let listener: (event: MessageEvent<HubMessage>) => void = () => undefined;
  const window = {
    postMessage: (data: HubMessage) => listener({ data } as MessageEvent<HubMessage>),
  };
  return {
    postMessage: (message: WindowMessage) => hub.take(window, message),
    addEventListener: (_, given) => {
      listener = given;
    },
    start: () => hub.open(window),
    close: () => undefined,
  };
}

interface Window {
  readonly streams: SharedStreams;
  readonly seen: string[];
  readonly follow: (name: 'events' | 'readings') => AbortController;
}

function openWindow(t: TestContext, hub: StreamHub, keyId = 'key_1'): Window {
  const streams = new SharedStreams(keyId, () => portTo(hub));
  t.after(() => streams.close());
  const seen: string[] = [];
  const follow = (name: 'events' | 'readings'): AbortController => {
    const abort = new AbortController();
    const options = {
      signal: abort.signal,
      onConnection: ({ isConnected }: { readonly isConnected: boolean }) =>
        void seen.push(isConnected ? 'connected' : 'lost'),
    };
    void (async () => {
      try {
        for await (const item of streams[name].stream(options)) {
          seen.push('devices' in item ? item.devices.map(({ device_id }) => device_id).join() : item.kind);
        }
      } catch (error) {
        seen.push(error instanceof ApiError ? `refused ${error.status}` : String(error));
      }
    })();
    return abort;
  };
  return { streams, seen, follow };
}

const values = (...deviceIds: string[]): NewestValues =>
  ({ at: '2026-11-16T00:00:00Z', devices: deviceIds.map((device_id) => ({ device_id })) }) as NewestValues;

const RESET = { kind: 'reset', bounds: { oldest: 1, newest: 2 } } as const;

function start(t: TestContext): { service: ScriptedClient; hub: StreamHub; open(keyId?: string): Window } {
  const service = new ScriptedClient();
  const hub = new StreamHub(service.client);
  return { service, hub, open: (keyId) => openWindow(t, hub, keyId) };
}

test('windows follow one stream, and one that comes later is told the present state first', async (t) => {
  const { service, open } = start(t);
  const [first, second] = [open(), open()];
  first.follow('readings');
  await turn();
  service.readings.connect();
  service.readings.send(values('a', 'b'));
  service.readings.send(values('b'));
  await turn();
  second.follow('readings');
  await turn();
  service.readings.send(values('a'));
  await turn();
  assert.deepEqual(first.seen, ['connected', 'a,b', 'b', 'a']);
  assert.deepEqual(second.seen, ['connected', 'a,b', 'a']);
});

test('a stream stays open until its last window leaves it', async (t) => {
  const { service, open } = start(t);
  const windows = [open(), open()];
  const [first, second] = windows.map(({ follow }) => follow('events'));
  await turn();
  service.events.connect();
  first?.abort();
  await turn();
  assert.equal(service.events.isOpen, true);
  service.events.send(RESET);
  await turn();
  assert.deepEqual(
    windows.map(({ seen }) => seen),
    [['connected'], ['connected', 'reset']],
  );
  second?.abort();
  await turn();
  assert.equal(service.events.isOpen, false);
});

test('a refusal of the service, a sign-out and a sign-in with another key end it for all windows', async (t) => {
  for (const end of [
    (service: ScriptedClient) =>
      service.events.refuse(new ApiError({ status: 401, code: 'unauthorized', message: '' })),
    (_: ScriptedClient, { streams }: Window) => streams.signOut(),
    (_: ScriptedClient, __: Window, open: (keyId: string) => Window) => void open('key_2').follow('events'),
  ]) {
    const { service, open } = start(t);
    const windows = [open(), open()];
    for (const { follow } of windows) follow('events');
    await turn();
    service.events.connect();
    end(service, windows[0] as Window, open);
    await turn();
    await turn();
    assert.deepEqual(
      windows.map(({ seen }) => seen.at(-1)),
      ['refused 401', 'refused 401'],
    );
  }
});

test('a window whose worker has ended says that it is not live, and follows a new one', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'Date'] });
  const { service, hub } = start(t);
  const followed = new ScriptedClient();
  const hubs = [hub, new StreamHub(followed.client)];
  const streams = new SharedStreams('key_1', () => portTo(hubs.shift() ?? hub));
  t.after(() => streams.close());
  const seen: boolean[] = [];
  void streams.events.stream({ onConnection: ({ isConnected }) => void seen.push(isConnected) }).next();
  await turn();
  service.events.connect();
  hub.sayAlive();
  t.mock.timers.tick(15_000);
  assert.deepEqual(seen, [true]);
  t.mock.timers.tick(5_000);
  await turn();
  followed.events.connect();
  assert.deepEqual(seen, [true, false, true]);
});
