import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IPublishPacket } from 'mqtt-packet';
import { PublishWindow } from './publish-window.ts';

const MINUTE_MS = 60_000;
const message = (payload: string) => ({ topic: 't', payload, isRetained: false, expiryS: null });

function makeWindow() {
  const written: IPublishPacket[] = [];
  let id = 0;
  const window = new PublishWindow(
    (packet) => written.push(packet),
    () => ++id,
  );
  return { window, payloads: () => written.map(({ payload }) => String(payload)) };
}

test('no more messages are unacknowledged than the broker allows; the others follow in their order', async () => {
  const { window, payloads } = makeWindow();
  window.open(2);
  const sent = ['a', 'b', 'c'].map((payload) => window.publish(message(payload), MINUTE_MS));
  assert.deepEqual(payloads(), ['a', 'b']);
  window.acknowledged(1, 0);
  assert.deepEqual(payloads(), ['a', 'b', 'c']);
  window.acknowledged(2, 16);
  window.acknowledged(3, 0);
  assert.deepEqual(await Promise.all(sent), [{ code: 0 }, { code: 16 }, { code: 0 }]);
});

test('a message without an answer may have arrived; one that was never written has not', async () => {
  const { window } = makeWindow();
  window.open(1);
  assert.deepEqual(
    await Promise.all([window.publish(message('written'), 1), window.publish(message('waiting'), 1)]),
    ['unanswered', 'unsent'],
  );
});

test('the end of the connection settles everything', async () => {
  const { window } = makeWindow();
  assert.equal(await window.publish(message('before'), MINUTE_MS), 'unsent');
  window.open(1);
  const sent = [window.publish(message('a'), MINUTE_MS), window.publish(message('b'), MINUTE_MS)];
  window.close();
  assert.deepEqual(await Promise.all(sent), ['unanswered', 'unsent']);
  assert.equal(await window.publish(message('after'), MINUTE_MS), 'unsent');
});
