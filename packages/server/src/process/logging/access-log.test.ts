import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@granary/testing/server/eventually';
import { describeRequests } from '@granary/testing/server/service';
import { pino } from 'pino';
import { traceIdOf } from './logger.ts';

const lines: Record<string, unknown>[] = [];
const accessLog = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) });

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';

describeRequests(
  'the access log',
  (api) => {
    const lineOf = async (requestId: string) => {
      const find = () => lines.find((line) => line['request_id'] === requestId);
      await eventually(async () => find() !== undefined, true);
      return find() ?? {};
    };

    test('has one line for each request, without its query and its key', async () => {
      lines.length = 0;
      const headers = { 'x-request-id': 'logged-1', traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01` };
      await api.get('/v1/devices?facility=private', headers);
      const { time, level, duration_ms, key_id, ...line } = await lineOf('logged-1');
      assert.deepEqual(line, {
        request_id: 'logged-1',
        trace_id: TRACE_ID,
        method: 'GET',
        path: '/v1/devices',
        status: 200,
        address: '127.0.0.1',
        msg: 'request',
      });
      assert.equal(typeof duration_ms, 'number');
      assert.match(String(key_id), /^\w+$/);
      assert.equal(JSON.stringify(lines).includes(api.started.adminKey.key), false);
      assert.equal(JSON.stringify(lines).includes('private'), false);
      assert.deepEqual([typeof time, level], ['number', 30]);
    });

    test('has a line for a refused request, too', async () => {
      await api.raw('GET', '/v1/devices', { headers: { 'x-request-id': 'logged-2' } });
      const line = await lineOf('logged-2');
      assert.deepEqual([line['status'], line['key_id']], [401, undefined]);
    });
  },
  { GRANARY_ACCESS_LOG: 'on' },
  { accessLog },
);

test('only a valid traceparent has a trace id', () => {
  assert.equal(traceIdOf(`00-${TRACE_ID}-00f067aa0ba902b7-01`), TRACE_ID);
  for (const header of [undefined, '', 'x', `00-${TRACE_ID}`, [`00-${TRACE_ID}-00f067aa0ba902b7-01`]]) {
    assert.equal(traceIdOf(header), undefined);
  }
});
