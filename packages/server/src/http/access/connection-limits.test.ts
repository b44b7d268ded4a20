import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRover } from '@granary/testing/server/devices/scripted-rover';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { type RawAnswer, RawConnection } from '@granary/testing/server/raw-http';
import { type Api, describeRequests } from '@granary/testing/server/service';
import { RESERVED_PER_ADDRESS_MAX } from './connection-limits.ts';

const head = (api: Api, line: string, ...headers: string[]): string =>
  `${[line, 'Host: x', `Authorization: ${api.authorization['authorization']}`, ...headers].join('\r\n')}\r\n\r\n`;

const codeOf = (answer: RawAnswer | null): string => JSON.parse(answer?.text ?? '{}').error?.code;

const KEYS = 'POST /v1/keys HTTP/1.1';
const JSON_BODY = 'Content-Type: application/json';

describeRequests(
  'slow requests',
  (api) => {
    const open = () => RawConnection.open(api.started.httpUrl);

    const SLOW: Record<string, readonly [(api: Api) => string, string]> = {
      'nothing at all': [() => '', ''],
      'half a request line': [() => 'GET /liv', 'e'],
      'headers that never end': [() => 'GET /livez HTTP/1.1\r\nHost: x\r\n', 'X-More: x\r\n'],
      'a body that arrives byte by byte': [() => head(api, KEYS, JSON_BODY, 'Content-Length: 100000'), ' '],
      'a body that stops': [() => `${head(api, KEYS, JSON_BODY, 'Content-Length: 100')}{`, ''],
      'chunks that arrive one by one': [
        () => head(api, KEYS, JSON_BODY, 'Transfer-Encoding: chunked'),
        '1\r\n \r\n',
      ],
      'a body without a key': [
        () => `${KEYS}\r\nHost: x\r\n${JSON_BODY}\r\nContent-Length: 100000\r\n\r\n`,
        ' ',
      ],
      'a body for an unknown path': [
        () => `POST /nowhere HTTP/1.1\r\nHost: x\r\n${JSON_BODY}\r\nContent-Length: 100000\r\n\r\n`,
        ' ',
      ],
    };

    const assertClosed = async (start: string, slowPart: string): Promise<void> => {
      const connection = await open();
      connection.send(start);
      const timer = setInterval(() => connection.send(slowPart), 100);
      try {
        const answer = await connection.answer();
        if (answer !== null) assert.ok([408, 401, 404].includes(answer.status), String(answer.status));
        if (answer?.status === 408) assert.equal(codeOf(answer), 'request_timeout');
        await connection.closed();
      } finally {
        clearInterval(timer);
        connection.close();
      }
    };

    test(`are closed: ${Object.keys(SLOW).join('; ')}`, async () => {
      await Promise.all(Object.values(SLOW).map(([start, slowPart]) => assertClosed(start(api), slowPart)));
    });

    test('are not confused with an event stream, which stays open', async () => {
      const connection = await open();
      connection.send(head(api, 'GET /v1/events HTTP/1.1'));
      assert.equal((await connection.answer())?.status, 200);
      const isOpen = await Promise.race([
        connection.closed().then(() => false),
        new Promise((resolve) => setTimeout(resolve, 4_000, true)),
      ]);
      assert.equal(isOpen, true);
      connection.close();
    });
  },
  { GRANARY_HTTP_HEADERS_TIMEOUT_S: '1', GRANARY_HTTP_REQUEST_TIMEOUT_S: '2' },
);

describeRequests(
  'too many connections',
  (api) => {
    const LIVEZ = 'GET /livez HTTP/1.1';

    test('are refused, but a stop and an emergency stop are accepted', async () => {
      const silo = await startSilo(api, 'many-connections');
      const rover = await startRover(api, 'many-connections-rover');
      const feed = await api.post(`${silo.path}/operations/feed`, { amount: 10 });
      await silo.take('start');
      const connections: RawConnection[] = [];
      const open = async () => {
        const connection = await RawConnection.open(api.started.httpUrl);
        connections.push(connection);
        return connection;
      };
      const send = async (...request: Parameters<typeof head>) => {
        const connection = await open();
        connection.send(head(...request));
        return connection;
      };
      // Other connections may still be open, so new ones are opened until one is refused.
      let refused: RawAnswer | null = null;
      while (refused === null) {
        assert.ok(connections.length <= 20, 'nothing was refused');
        const answer = await (await send(api, LIVEZ)).answer();
        if (answer?.status !== 200) refused = answer;
      }
      assert.deepEqual([refused.status, codeOf(refused)], [503, 'too_many_connections']);
      assert.deepEqual(
        [refused.headers.get('retry-after'), refused.headers.get('connection')],
        ['5', 'close'],
      );

      const stop = `POST ${silo.path}/operations/${feed.body.data.operation_id}/stop HTTP/1.1`;
      const stopped = await send(api, stop, 'Content-Length: 0');
      assert.equal((await stopped.answer())?.status, 200);
      await silo.take('stop');
      await stopped.closed();

      const command = `POST ${rover.path}/remote/command HTTP/1.1`;
      const post = async (body: string) => {
        const connection = await send(api, command, JSON_BODY, `Content-Length: ${body.length}`);
        connection.send(body);
        return await connection.answer();
      };
      assert.equal((await post('{"command":"emergency_stop"}'))?.status, 200);
      const held = await post('{"command":"hold"}');
      assert.deepEqual([held?.status, codeOf(held)], [503, 'too_many_connections']);

      for (let i = 0; i <= RESERVED_PER_ADDRESS_MAX; i++) await open();
      const late = await send(api, stop, 'Content-Length: 0');
      assert.equal(
        (await late.answer())?.status,
        200,
        'silent connections do not keep a stop from being accepted',
      );

      for (const connection of connections) {
        connection.close();
        await connection.closed();
      }
      await silo.leave();
      await rover.leave();
      const again = await send(api, LIVEZ);
      assert.equal((await again.answer())?.status, 200);
      again.close();
    });
  },
  { GRANARY_HTTP_CONNECTIONS_PER_ADDRESS_MAX: '8' },
);
