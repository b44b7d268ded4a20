import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { freePort } from '@granary/testing/free-port';
import { newCertificate } from '@granary/testing/link/certificates';
import { hasProgram, mayTestWith } from '@granary/testing/link/outside-clients';
import { eventually } from '@granary/testing/server/eventually';

const TEMPLATE = new URL('../../examples/cluster/nginx.conf', import.meta.url);

/**
 * How the nodes behave: they answer 200; they answer 503; they answer 503 to reads only, as if the database did not answer;
 * they close the connection without an answer; or the first node never answers.
 */
type Behaviour = 'answers' | 'refuses' | 'refuses reads' | 'breaks' | 'first is silent';

interface Answer {
  readonly status: number;
  readonly firstBytes: string;
}

/** nginx with the configuration of the example, and three nodes that only count requests. */
class ClusterProxy {
  behaviour: Behaviour = 'answers';
  /** Methods of the requests that reached a node. */
  readonly received: string[] = [];
  /** The sender of the last request, as the header of the request names it. */
  forwardedFor: string | string[] | undefined;
  readonly #port: number;
  readonly #certificate = newCertificate();

  private constructor(port: number) {
    this.#port = port;
  }

  static async start(t: TestContext): Promise<ClusterProxy> {
    const folder = await mkdtemp(join(tmpdir(), 'granary-nginx-'));
    t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const port = await freePort();
    const proxy = new ClusterProxy(port);
    const nodes: number[] = [];
    while (nodes.length < 3) nodes.push(await proxy.#startNode(t, nodes.length === 0));
    const words: Record<string, string | number | undefined> = {
      DATA: folder,
      ADDRESS: '127.0.0.1',
      HTTPS_PORT: port,
      NODE_1: nodes[0],
      NODE_2: nodes[1],
      NODE_3: nodes[2],
    };
    const text = await readFile(TEMPLATE, 'utf8');
    const file = join(folder, 'nginx.conf');
    await writeFile(
      file,
      text.replaceAll(/@(\w+)@/g, (_, word) => String(words[word])),
    );
    for (const name of ['log', 'nginx', 'tls']) await mkdir(join(folder, name));
    await writeFile(join(folder, 'tls/server.pem'), proxy.#certificate.cert);
    await writeFile(join(folder, 'tls/server.key'), proxy.#certificate.key);
    const log = join(folder, 'log/nginx.log');
    const nginx = spawn('nginx', ['-p', folder, '-e', log, '-c', file], { stdio: 'ignore' });
    t.after(async () => {
      const ended = once(nginx, 'exit');
      nginx.kill('SIGTERM');
      await ended;
    });
    await eventually(async () => (await proxy.ask('GET', '/').catch(() => null))?.status, 200);
    proxy.received.length = 0;
    return proxy;
  }

  /** Sends a request through nginx; resolves with the first bytes of the body, even if more would follow. */
  async ask(method: string, path: string, headers: Record<string, string> = {}): Promise<Answer> {
    const { cert: ca } = this.#certificate;
    const sent = request({ method, path, headers, host: 'localhost', port: this.#port, ca });
    sent.end(method === 'POST' ? '{}' : undefined);
    const [response] = await once(sent, 'response');
    const [firstBytes = ''] = await once(response, 'data').catch(() => []);
    response.destroy();
    return { status: response.statusCode, firstBytes: String(firstBytes) };
  }

  async #startNode(t: TestContext, isFirst: boolean): Promise<number> {
    const server = createServer((incoming, response) => {
      this.received.push(incoming.method ?? '');
      this.forwardedFor = incoming.headers['x-forwarded-for'];
      if (this.behaviour === 'first is silent' && isFirst) return;
      if (this.behaviour === 'breaks') incoming.socket.destroy();
      else if (this.behaviour === 'refuses reads' && incoming.method === 'GET')
        response.writeHead(503).end('{}');
      else if (this.behaviour === 'refuses') response.writeHead(503).end('{}');
      // The answer is an endless stream of events, and its first event is written.
      else if (incoming.url === '/v1/events') response.writeHead(200).write('data: first\n\n');
      else response.end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  }
}

/** Each test has its own proxy, because nginx sends no request to a failed node for five seconds. */
const withProxy = (name: string, body: (proxy: ClusterProxy) => Promise<void>): void => {
  test(`nginx of examples/cluster ${name}`, async (t) => {
    if (mayTestWith(t, 'nginx', hasProgram('nginx'))) await body(await ClusterProxy.start(t));
  });
};

withProxy('passes events on at once', async (proxy) => {
  assert.deepEqual(await proxy.ask('GET', '/v1/events'), { status: 200, firstBytes: 'data: first\n\n' });
});

withProxy('tells the nodes the address of a caller, whatever the caller says', async (proxy) => {
  await proxy.ask('GET', '/', { 'X-Forwarded-For': '10.9.8.7' });
  assert.equal(proxy.forwardedFor, '127.0.0.1');
});

withProxy('never sends a POST or PATCH to a second node', async (proxy) => {
  for (const [behaviour, method, status] of [
    ['breaks', 'POST', 502],
    ['refuses', 'PATCH', 503],
  ] as const) {
    proxy.received.length = 0;
    proxy.behaviour = behaviour;
    assert.equal((await proxy.ask(method, '/v1/siloscale/devices')).status, status, method);
    assert.deepEqual(proxy.received, [method]);
  }
});

withProxy('asks every node before a read fails', async (proxy) => {
  proxy.behaviour = 'breaks';
  assert.equal((await proxy.ask('GET', '/')).status, 502);
  assert.deepEqual(proxy.received, ['GET', 'GET', 'GET']);
});

withProxy('has a read answered by another node when one says nothing', async (proxy) => {
  proxy.behaviour = 'first is silent';
  const answers = await Promise.all([1, 2, 3].map(() => proxy.ask('GET', '/')));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal(proxy.received.length, 4);
});

withProxy('passes stops on while no node can answer a read', async (proxy) => {
  proxy.behaviour = 'refuses reads';
  for (let reads = 0; reads < 4; reads++) await proxy.ask('GET', '/v1/overview');
  for (const path of [
    '/v1/siloscale/devices/a/operations/b/stop',
    '/v1/fielddevice/devices/a/remote/command',
    '/mcp',
  ])
    assert.equal((await proxy.ask('POST', path)).status, 200, path);
});
