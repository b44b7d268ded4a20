import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createClient } from '../client.ts';
import { ApiError } from '../failures.ts';

/** A service that answers each connection with the next text and then ends it. */
async function startServer(t: { after(fn: () => void): void }, answers: readonly (string | number)[]) {
  const requests: { url: string | undefined; lastEventId: unknown }[] = [];
  const server = createServer(({ url, headers }, response) => {
    const answer = answers[requests.length] ?? 410;
    requests.push({ url, lastEventId: headers['last-event-id'] });
    const isRefused = typeof answer === 'number';
    response.writeHead(isRefused ? answer : 200, {
      'content-type': isRefused ? 'application/json' : 'text/event-stream',
    });
    response.end(isRefused ? '{"error":{"code":"over","message":"over"}}' : answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { requests, client: createClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'gk_test' }) };
}

const event = (id: number): string => `id: ${id}\nevent: alert.raised\ndata: {"id":${id}}\n\n`;

test('continues after the last event it received, ignores heartbeats, and reports a reset', async (t) => {
  const answers = [
    `retry: 10\nid: 4\n\n${event(5)}: heartbeat\n\n${event(6)}id: 7\nevent: alert.rai`,
    503,
    `${event(7)}id: 9\nevent: reset\ndata: {"oldest":8,"newest":9}\n\n`,
  ];
  const { requests, client } = await startServer(t, answers);
  const seen: unknown[] = [];
  const reading = (async () => {
    for await (const item of client.events.stream({ deviceIds: ['a', 'b'], types: ['alert.raised'] })) {
      seen.push(item.kind === 'event' ? item.event.id : item.bounds);
    }
  })();
  await assert.rejects(reading, (error) => error instanceof ApiError && error.status === 410);
  assert.deepEqual(seen, [5, 6, 7, { oldest: 8, newest: 9 }]);
  assert.deepEqual(
    requests.map(({ lastEventId }) => lastEventId),
    [undefined, '6', '6', '9'],
  );
  assert.equal(requests[0]?.url, '/v1/events?device_id=a%2Cb&type=alert.raised');
});

test('ends when its signal is aborted', async (t) => {
  const { client } = await startServer(t, [event(1), event(2)]);
  const abort = new AbortController();
  const ids: number[] = [];
  for await (const item of client.events.stream({ signal: abort.signal, lastEventId: 0 })) {
    if (item.kind === 'event') ids.push(item.event.id);
    abort.abort();
  }
  assert.deepEqual(ids, [1]);
});
