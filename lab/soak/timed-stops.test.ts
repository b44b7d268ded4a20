import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { SoakNode } from './site.ts';
import { TimedStops } from './timed-stops.ts';

const STOP = { path: '/stop' };

async function stopsAnsweredWith(commandIds: string[]) {
  const node = await SoakNode.create(1, {}, null);
  const answer = () => ({ command_id: commandIds.shift() });
  const stops = new TimedStops({
    next: async () => ({ outcome: 'ok', status: 200, isFinal: false, data: answer(), node }),
  });
  const receive = (jobId: string) =>
    stops.received({
      deviceId: 'rover-1',
      command: 'emergency_stop',
      jobId,
      atMs: Date.now(),
      reachableSinceMs: 0,
    });
  return { stops, receive, node };
}

test('a stop that is asked for again has arrived when the first one comes again', async (t) => {
  const { stops, receive, node } = await stopsAnsweredWith(['cmd_1', 'cmd_1']);
  t.after(() => node.remove());
  const first = stops.stop('rover-1', null, STOP);
  receive('cmd_1');
  await first;
  const again = stops.stop('rover-1', null, STOP);
  await setImmediate();
  receive('cmd_1');
  assert.equal((await again)?.data.command_id, 'cmd_1');
  assert.deepEqual(
    stops.stops.map(({ atDeviceMs }) => atDeviceMs === null),
    [false, false],
  );
});

test('a repetition of the stop before is not the arrival of a new one', async (t) => {
  const { stops, receive, node } = await stopsAnsweredWith(['cmd_1', 'cmd_2']);
  t.after(() => node.remove());
  const first = stops.stop('rover-1', null, STOP);
  receive('cmd_1');
  await first;
  let isThere = false;
  const second = stops.stop('rover-1', null, STOP).then(() => {
    isThere = true;
  });
  await setImmediate();
  receive('cmd_1');
  await setImmediate();
  assert.equal(isThere, false);
  receive('cmd_2');
  await second;
});
