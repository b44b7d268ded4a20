import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { CountedReceiver, newCount, sendCounted } from './counted-channel.ts';

it('messages are taken at once on demand, otherwise as events, each once and in order', async (t) => {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  const sent = newCount();
  const received: number[] = [];
  const receiver = new CountedReceiver<number>({ port: port2, sent }, (message) => received.push(message));
  receiver.start();
  const send = (message: number): void => sendCounted({ port: port1, sent }, message);
  receiver.takeArrived();
  assert.deepEqual(received, []);
  send(1);
  send(2);
  receiver.takeArrived();
  assert.deepEqual(received, [1, 2]);
  send(3);
  await once(port2, 'message');
  receiver.takeArrived();
  send(4);
  receiver.takeArrived();
  assert.deepEqual(received, [1, 2, 3, 4]);
});
