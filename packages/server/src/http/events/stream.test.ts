import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { respond } from '@granary/testing/server/open-response';
import type { EncodedEvent } from '../../background/event-feed.ts';
import { EventStream } from './events.ts';

const event = (sequence: number, bytes = Buffer.from(`${sequence}\n`)): EncodedEvent => ({
  sequence,
  type: 'configuration.changed',
  deviceId: 'silo-1',
  facility: 'north',
  place: undefined,
  bytes,
});

test('an event is not sent again, and an event outside the filter is never sent', async (t) => {
  const { socket, response } = await respond(t);
  const stream = new EventStream(response, ({ sequence }) => sequence % 2 === 0, 2);
  stream.offer([event(1), event(2), event(3)]);
  stream.offer([event(3), event(4), event(5)]);
  assert.equal(stream.position, 5);
  stream.end();
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (text.includes('0\r\n\r\n')) break;
  }
  assert.deepEqual(text.match(/^\d\n/gm), ['4\n']);
});

test('a heartbeat has the last read position of the log, also when no event passed the filter', async (t) => {
  const { socket, response } = await respond(t);
  const stream = new EventStream(response, () => false, 2);
  stream.offer([event(3), event(4)]);
  stream.beat();
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (text.includes('id: ')) break;
  }
  assert.match(text, /^id: 4\n\n/m);
});

test('a stream whose reader does not read is closed before too many bytes wait', async (t) => {
  const { socket, response } = await respond(t);
  socket.pause();
  const stream = new EventStream(response, () => true, 0);
  const large = Buffer.alloc(64 * 1024, 'x');
  let waitingMax = 0;
  for (let sequence = 1; !stream.isClosed; sequence++) {
    assert.ok(sequence < 10_000);
    stream.offer([event(sequence, large)]);
    waitingMax = Math.max(waitingMax, response.writableLength);
    await sleep(0);
  }
  assert.ok(waitingMax < 512 * 1024, `${waitingMax} bytes waited`);
});
