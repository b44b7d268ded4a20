import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FleetDevice } from '@granary/contract/fleet';
import { respond } from '@granary/testing/server/open-response';
import { NewestValuesStream, ShownDevices } from './newest-values-stream.ts';

const DEVICES = 300;
const ALL = { limits: [{ facilities: null, deviceIds: null }], facility: null };

const deviceWith = (index: number, value: number, facility = 'north'): FleetDevice => ({
  device_id: `silo-${index}`,
  name: 'Silo',
  model: 'GS-100',
  profile: 'silo_scale',
  group: 'silo',
  status: 'online',
  location: { facility, zone: 'a' },
  last_seen: '2026-06-15T00:00:00.000Z',
  readings: { weight: { value, unit: 'kg', timestamp: '2026-06-15T00:00:00.000Z', quality: 'good' } },
});

/** The values of every device in the messages of a text, in their order. */
const valuesIn = (text: string): number[][] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) =>
    JSON.parse(data).devices.map((one: FleetDevice) => one.readings?.['weight']?.value),
  );

test('a reader that does not read for a while then gets the newest values only', async (t) => {
  const { socket, response } = await respond(t);
  socket.pause();
  const shown = new ShownDevices();
  const stream = new NewestValuesStream(response, { selection: ALL, shown, now: Date.now });
  let waitingMax = 0;
  let rounds = 0;
  // The rounds go on until the buffers of the connection are full, and for a hundred more.
  for (let more = 100; more > 0; rounds++) {
    assert.ok(rounds < 20_000);
    for (let index = 0; index < DEVICES; index++) {
      shown.put(deviceWith(index, rounds));
      stream.offer(`silo-${index}`);
    }
    void stream.send();
    await sleep(0);
    waitingMax = Math.max(waitingMax, response.writableLength);
    if (response.writableNeedDrain) more--;
  }
  assert.ok(waitingMax < 256 * 1024, `${waitingMax} bytes waited`);
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (text.includes(`"value":${rounds - 1},`) && text.endsWith('\n\n\r\n')) break;
  }
  const values = valuesIn(text).flat();
  assert.equal(values.at(-1), rounds - 1);
  // The reader gets no values of the hundred rounds that it missed, except those of the message that was on its way.
  const missed = new Set(values.filter((value) => value > rounds - 90 && value < rounds - 1));
  assert.deepEqual([...missed], []);
});

test('sends at most 200 devices at a time, and none that was removed or moved away', async (t) => {
  const { socket, response } = await respond(t);
  const shown = new ShownDevices();
  const selection = { ...ALL, facility: 'north' };
  const stream = new NewestValuesStream(response, { selection, shown, now: Date.now });
  for (let index = 0; index < DEVICES; index++) {
    shown.put(deviceWith(index, index, index === 3 ? 'south' : 'north'));
    stream.offer(`silo-${index}`);
  }
  shown.remove('silo-5');
  await stream.send();
  stream.end();
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (text.includes('0\r\n\r\n')) break;
  }
  const [first = [], second = []] = valuesIn(text);
  assert.deepEqual([first.length, second.length], [200, 98]);
  assert.deepEqual(first.slice(0, 5), [0, 1, 2, 4, 6]);
});

test('tells a reader that may see no device that this is all', async (t) => {
  const { socket, response } = await respond(t);
  const stream = new NewestValuesStream(response, {
    selection: ALL,
    shown: new ShownDevices(),
    now: Date.now,
  });
  await stream.send();
  await stream.send();
  stream.end();
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (text.includes('0\r\n\r\n')) break;
  }
  assert.deepEqual(valuesIn(text), [[]]);
});
