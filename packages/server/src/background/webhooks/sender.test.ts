import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import type { AttemptOutcome } from '@granary/core/webhooks/attempts';
import { newCertificate } from '@granary/testing/link/certificates';
import { WebhookReceiver } from '@granary/testing/server/webhooks/receiver';
import { AddressGuard, type Resolve } from './address-guard.ts';
import { WebhookSender } from './sender.ts';

const ATTEMPT_MS = 300;
const LONG_MS = 10_000;

describe('a message that is sent to a receiver', () => {
  const servers: Server[] = [];
  after(() => {
    for (const server of servers) server.close();
  });

  async function listen(server: Server): Promise<number> {
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  /** A receiver that writes these bytes when it is asked, and nothing else. */
  const rawReceiver = (answer: (socket: Socket) => void): Promise<number> =>
    listen(
      createServer((socket) => {
        socket.on('error', () => undefined).once('data', () => answer(socket));
      }),
    );

  function send(
    url: string,
    {
      attemptMs = LONG_MS,
      guard = new AddressGuard(true),
    }: { attemptMs?: number; guard?: AddressGuard } = {},
  ): Promise<AttemptOutcome> {
    const request = { url, headers: { 'webhook-id': 'evt_1' }, body: '{"ü":1}' };
    return new WebhookSender(guard, attemptMs, Date.now).send(request, new AbortController().signal);
  }

  const errorOf = (outcome: AttemptOutcome): string => (outcome.kind === 'failed' ? outcome.error : '');

  it('arrives with its body and headers, and the answer is its status', async () => {
    const receiver = new WebhookReceiver();
    const url = await receiver.start();
    assert.deepEqual(await send(url), { kind: 'answered', status: 204, retryAfterMs: null });
    const [message] = receiver.messages;
    assert.equal(message?.text, '{"ü":1}');
    assert.equal(message?.headers['content-length'], '8');
    assert.equal(message?.headers['webhook-id'], 'evt_1');
    await receiver.stop();
  });

  it('has failed if the receiver does not answer in time, or answers byte by byte', async () => {
    const silent = await rawReceiver(() => undefined);
    assert.match(
      errorOf(await send(`http://127.0.0.1:${silent}/`, { attemptMs: ATTEMPT_MS })),
      /no answer within 0\.3 s/,
    );
    const dripping = await rawReceiver((socket) => {
      const timer = setInterval(() => socket.write('H'), 20);
      socket.once('close', () => clearInterval(timer));
    });
    const dripped = await send(`http://127.0.0.1:${dripping}/`, { attemptMs: ATTEMPT_MS });
    assert.equal(dripped.kind, 'failed');
  });

  it('is accepted by the status of an answer that never ends, which is not read to its end', async () => {
    let written = 0;
    const endless = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n');
      const block = Buffer.alloc(64 * 1024, 'x');
      const fill = (): void => {
        while (!socket.destroyed && socket.write(block)) written += block.length;
        written += block.length;
      };
      socket.on('drain', fill);
      fill();
    });
    assert.deepEqual(await send(`http://127.0.0.1:${endless}/`), {
      kind: 'answered',
      status: 200,
      retryAfterMs: null,
    });
    assert.ok(written < 50_000_000, `${written} bytes were read`);
    const slow = await rawReceiver((socket) =>
      socket.write('HTTP/1.1 201 OK\r\ncontent-length: 10\r\n\r\nx'),
    );
    const answer = await send(`http://127.0.0.1:${slow}/`, { attemptMs: ATTEMPT_MS });
    assert.equal(answer.kind === 'answered' && answer.status, 201);
  });

  it('does not follow a redirect', async () => {
    const inside = new WebhookReceiver();
    const receiver = new WebhookReceiver();
    const location = await inside.start();
    receiver.answer = (response) => response.writeHead(307, { location }).end();
    const outcome = await send(await receiver.start());
    assert.equal(outcome.kind === 'answered' && outcome.status, 307);
    assert.equal(inside.messages.length, 0);
    await inside.stop();
    await receiver.stop();
  });

  it('has failed if the receiver refuses, closes the connection, or does not speak HTTP', async () => {
    const closing = await rawReceiver((socket) => socket.destroy());
    assert.match(errorOf(await send(`http://127.0.0.1:${closing}/`)), /closed the connection/);
    const other = await rawReceiver((socket) => socket.end('SSH-2.0-x\r\n'));
    assert.match(errorOf(await send(`http://127.0.0.1:${other}/`)), /could not be sent \(HPE_/);
    const headers = await rawReceiver((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`),
    );
    assert.match(errorOf(await send(`http://127.0.0.1:${headers}/`)), /could not be sent/);
    const upgrade = await rawReceiver((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    );
    assert.notEqual((await send(`http://127.0.0.1:${upgrade}/`, { attemptMs: ATTEMPT_MS })).kind, 'not_sent');
    const server = createServer();
    const port = await listen(server);
    server.close();
    assert.match(errorOf(await send(`http://127.0.0.1:${port}/`)), /refused the connection/);
  });

  it('is not sent to a receiver whose certificate is not trusted', async () => {
    let requests = 0;
    const server = createHttpsServer(newCertificate('localhost'), (_request, response) => {
      requests++;
      response.end();
    });
    const port = await listen(server);
    const outcome = await send(`https://localhost:${port}/`);
    assert.match(errorOf(outcome), /certificate of the receiver is not valid/);
    assert.equal(requests, 0);
  });

  it('is not sent to a private address, also if its name resolved to a public one before', async () => {
    let connections = 0;
    const port = await listen(createServer(() => connections++));
    const answers = [['192.0.2.1'], ['127.0.0.1'], ['127.0.0.1', '::1', '10.0.0.1']];
    const resolve: Resolve = async () => (answers.shift() ?? []).map((address) => ({ address, family: 4 }));
    const guard = new AddressGuard(false, resolve);
    for (let i = 0; i < 3; i++) {
      const outcome = await send(`http://receiver.test:${port}/`, { guard });
      assert.match(errorOf(outcome), /private or reserved/);
    }
    for (const host of ['127.0.0.1', '[::1]', '2130706433', '0']) {
      assert.match(errorOf(await send(`http://${host}:${port}/`, { guard })), /private or reserved/);
    }
    assert.equal(connections, 0);
  });

  it('waits as long as the receiver asks', async () => {
    const receiver = new WebhookReceiver();
    const url = await receiver.start();
    const wait = async (value: string): Promise<number | null> => {
      receiver.answer = (response) => response.writeHead(503, { 'retry-after': value }).end();
      const outcome = await send(url);
      return outcome.kind === 'answered' ? outcome.retryAfterMs : null;
    };
    assert.equal(await wait('120'), 120_000);
    assert.equal(await wait('soon'), null);
    assert.equal(await wait('Thu, 01 Jan 1970 00:00:00 GMT'), 0);
    await receiver.stop();
  });
});
