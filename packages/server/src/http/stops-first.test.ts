import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, MINUTE_MS, toIso } from '@granary/contract/time';
import { startRover } from '@granary/testing/server/devices/scripted-rover';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { describeService } from '@granary/testing/server/service';
import { PLACES_PER_CALLER_MAX } from './access/request-turns.ts';

const POINTS = 2_000;
const HISTORIES = 6 * PLACES_PER_CALLER_MAX;
/** If each connection or each request before the stop had a turn of its own, more histories than this would be answered before it. */
const ANSWERED_BEFORE_MAX = HISTORIES / 4;

describeService(
  'a stop beside many long answers',
  (api) => {
    test('reaches its device before they are answered, though it comes last and on a connection of its own', async () => {
      const silo = await startSilo(api, 'busy');
      const rover = await startRover(api, 'busy-rover');
      const endMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
      for (let sent = 0; sent < POINTS; sent += 1_000) {
        const readings = Array.from({ length: 1_000 }, (_, index) => ({
          ts: endMs - (POINTS - sent - index) * 5 * MINUTE_MS,
          weight: 500,
          temperature: 20,
          humidity: 50,
        }));
        assert.equal((await api.post(`${silo.path}/telemetry`, readings)).status, 200);
      }
      const feed = await api.post(`${silo.path}/operations/feed`, { amount: 10 });
      await silo.take('start');
      const { key } = (await api.post('/v1/keys', { name: 'reader', scopes: ['read'] })).body.data;
      const reader = { authorization: `Bearer ${key}` };
      const query = `interval=5m&from=${toIso(endMs - POINTS * 5 * MINUTE_MS)}&to=${toIso(endMs)}`;
      let answered = 0;
      const histories = Array.from({ length: HISTORIES }, async () => {
        const url = `${api.started.httpUrl}${silo.path}/sensors/history?${query}`;
        const response = await fetch(url, { headers: reader });
        const { data } = (await response.json()) as { data: { points: unknown[] } };
        answered++;
        return data.points.length;
      });

      const stopped = api.post(`${silo.path}/operations/${feed.body.data.operation_id}/stop`);
      const halted = api.post(`${rover.path}/remote/command`, { command: 'emergency_stop' });
      const others = api.get(`${silo.path}/sensors`);
      await Promise.all([silo.take('stop'), rover.take('execute')]);
      assert.ok(answered <= ANSWERED_BEFORE_MAX, `${answered} histories were answered first`);
      for (const { status } of await Promise.all([stopped, halted, others])) assert.equal(status, 200);
      for (const points of await Promise.all(histories)) assert.equal(points, POINTS);
      await silo.leave();
      await rover.leave();
    });
  },
  { GRANARY_RATE_LIMIT: 'off' },
);
