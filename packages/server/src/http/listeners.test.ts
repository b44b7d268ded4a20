import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { fastify } from 'fastify';
import { readSettings } from '../process/settings.ts';
import { EndingService } from './access/urgency.ts';
import { HttpListeners } from './listeners.ts';

const CONNECTIONS = 96;
/** Linux divides the connections between the sockets by chance, so some sockets get more than others. */
const TURNS_MAX = 24;

/** Connects from another thread, because this one is held until all connections wait to be accepted. */
const CONNECTING = `
  const { connect } = require('node:net');
  const { workerData: { port, count, state } } = require('node:worker_threads');
  for (let index = 0; index < count; index++)
    connect(port, '127.0.0.1', () => { Atomics.add(state, 0, 1); Atomics.notify(state, 0); }).unref();
`;

describe('the ports', () => {
  const opened: HttpListeners[] = [];

  afterEach(async () => {
    for (const listeners of opened.splice(0)) await listeners.close();
  });

  async function open(port: number) {
    const accepted = { count: 0 };
    const settings = readSettings({ GRANARY_DATA_DIR: '.', GRANARY_HTTP_PORT: String(port) });
    const listeners = new HttpListeners({
      settings,
      routes: fastify(),
      certificate: null,
      prepare: (server) => server.on('connection', () => accepted.count++),
      clientError: (_error, socket) => socket.destroy(),
      shouldUpgrade: () => false,
      ending: new EndingService(),
      turns: { isBusy: false },
    });
    const url = new URL((await listeners.listenPlain()) ?? '');
    opened.push(listeners);
    return { accepted, port: Number(url.port) };
  }

  it('accept many connections in few turns of the event loop', {
    skip: process.platform !== 'linux',
  }, async () => {
    const { accepted, port } = await open(0);
    const state = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(CONNECTING, { eval: true, workerData: { port, count: CONNECTIONS, state } });
    for (let count = 0; count < CONNECTIONS; count = Atomics.load(state, 0))
      Atomics.wait(state, 0, count, 10_000);
    let turns = 0;
    while (accepted.count < CONNECTIONS) {
      await setImmediate();
      turns++;
    }
    await worker.terminate();
    assert.ok(turns <= TURNS_MAX, `${turns} turns`);
  });

  it('are refused where another process has them', async () => {
    const { port } = await open(0);
    await assert.rejects(open(port), { code: 'EADDRINUSE' });
  });

  it('are closed with all their sockets', async () => {
    const { port } = await open(0);
    for (const listeners of opened.splice(0)) await listeners.close();
    const socket = connect(port, '127.0.0.1');
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    assert.equal(error.code, 'ECONNREFUSED');
  });
});
