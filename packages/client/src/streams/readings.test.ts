import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_ANSWER, refused, startScriptedServer } from '@granary/testing/client/scripted-server';
import { ApiError } from '../failures.ts';

const stream = (body: string) => ({ headers: { 'content-type': 'text/event-stream' }, body });

const message = (deviceId: string): string =>
  `event: readings\ndata: {"at":"2026-06-15T00:00:00.000Z","devices":[{"device_id":"${deviceId}"}]}\n\n`;

test('yields every whole message, connects again without a position, and ends with a refusal', async (t) => {
  const { client, received } = await startScriptedServer(
    [
      stream(`retry: 5\n\n${message('a')}: heartbeat\n\n${message('b')}event: readings\ndata: {"at`),
      NO_ANSWER,
      stream(message('a')),
      refused(401, 'unauthorized'),
    ],
    t,
  );
  const seen: string[] = [];
  const changes: boolean[] = [];
  const reading = (async () => {
    const filter = { deviceIds: ['a', 'b'], facility: 'north yard', reconnectMs: 1 };
    const onConnection = ({ isConnected }: { isConnected: boolean }): void => {
      changes.push(isConnected);
    };
    for await (const { devices } of client.readings.stream({ ...filter, onConnection })) {
      seen.push(...devices.map(({ device_id }) => device_id));
    }
  })();
  await assert.rejects(reading, (error) => error instanceof ApiError && error.status === 401);
  assert.deepEqual(seen, ['a', 'b', 'a']);
  assert.deepEqual(changes, [true, false, false, true, false]);
  assert.equal(received[0]?.url, '/v1/readings/stream?device_id=a%2Cb&facility=north+yard');
  assert.equal(received[2]?.headers['last-event-id'], undefined);
});

test('ends when its signal is aborted', async (t) => {
  const { client } = await startScriptedServer([stream(message('a') + message('b'))], t);
  const abort = new AbortController();
  const seen: string[] = [];
  for await (const { devices } of client.readings.stream({ signal: abort.signal })) {
    seen.push(...devices.map(({ device_id }) => device_id));
    abort.abort();
  }
  assert.deepEqual(seen, ['a']);
});
