import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@granary/client';
import { StopRequests } from './stop-requests.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('all buttons of one operation show that its stop was not answered, and it is sent until it is', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let rooms = 0;
  let sent = 0;
  const stops = new StopRequests(() => rooms++);
  const [strip, page, other] = [stops.of('op-1'), stops.of('op-1'), stops.of('op-2')];
  void stops.press('op-1', async () => {
    sent++;
    if (sent < 3) throw new Error('no answer');
  });
  await turn();
  assert.deepEqual(
    [strip.value.step, page.value.step, other.value.step],
    ['unanswered', 'unanswered', 'ready'],
  );
  void stops.press('op-1', () => assert.fail('a stop that is being sent is not sent twice'));
  t.mock.timers.tick(1_000);
  await turn();
  t.mock.timers.tick(1_000);
  await turn();
  assert.deepEqual([sent, rooms, strip.value.step, page.value.step], [3, 1, 'sent', 'sent']);
  stops.confirm('op-1');
  assert.equal(page.value.step, 'ready');
});

test('a refusal is shown, and the stop can be pressed again', async () => {
  const stops = new StopRequests(() => undefined);
  const refusal = new ApiError({ status: 403, code: 'forbidden', message: 'not with this key' });
  await stops.press('op-1', () => Promise.reject(refusal));
  assert.deepEqual(stops.of('op-1').value, { step: 'ready', refusal });
});
