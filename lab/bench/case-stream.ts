import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEventSocket } from './case-alerts.ts';
import { ask, registerSilos, SILOS } from './farm.ts';
import { type Finding, median, percentile } from './report.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const SUBSCRIBERS = 1_000;
const STALLED = 100;
const STREAMS_PER_KEY = 10;
const ROUNDS = 5;
const EVENTS_PER_ROUND = 10;
const TARGET_MS = 250;
const WAIT_MS_MAX = 10_000;

/** Measures the time from a change to its event at each of a thousand readers, alone and beside a hundred readers that do not read. */
export async function measureStream(dataDir: string): Promise<Finding> {
  const service = await startServiceProcess({
    GRANARY_DATA_DIR: dataDir,
    GRANARY_RATE_LIMIT: 'off',
    // All readers connect from one address here.
    GRANARY_HTTP_CONNECTIONS_PER_ADDRESS_MAX: String(2 * (SUBSCRIBERS + STALLED)),
  });
  const [silo] = await registerSilos(service, 1);
  const keys = await issueKeys(service, (SUBSCRIBERS + STALLED) / STREAMS_PER_KEY);
  const keyOf = (index: number): string => keys[Math.floor(index / STREAMS_PER_KEY)] ?? '';
  const sockets: Socket[] = [];
  let received: number[] = [];
  const onText = (text: string): void => {
    if (text.includes('configuration.changed')) received.push(performance.now());
  };
  const alone: number[] = [];
  const beside: number[] = [];
  try {
    for (let index = 0; index < SUBSCRIBERS; index++) {
      sockets.push(await openEventSocket(service, keyOf(index), onText));
    }
    for (let round = 0; round < ROUNDS; round++) alone.push(percentile(await deliveries(), 0.99));
    for (let index = SUBSCRIBERS; index < SUBSCRIBERS + STALLED; index++) {
      sockets.push(await openEventSocket(service, keyOf(index), null));
    }
    for (let round = 0; round < ROUNDS; round++) beside.push(percentile(await deliveries(), 0.99));
  } finally {
    for (const socket of sockets) socket.destroy();
    await service.stop();
  }
  const p99 = median(beside);
  return {
    name: '1,000 stream subscribers receive one event, with 100 stalled ones beside them',
    target: `p99 under ${TARGET_MS} ms`,
    figure: `${p99.toFixed(0)} ms`,
    met: p99 < TARGET_MS,
    detail: `${median(alone).toFixed(0)} ms without the stalled ones; from the request that causes the event to its receipt, median of ${ROUNDS} rounds of ${EVENTS_PER_ROUND} events to all`,
  };

  async function deliveries(): Promise<number[]> {
    const latenciesMs: number[] = [];
    for (let event = 0; event < EVENTS_PER_ROUND; event++) {
      received = [];
      const askedMs = performance.now();
      await put(service, `${SILOS}/${silo?.username}/config`, {
        thresholds: { low_level: 20 + (event % 2) },
      });
      while (received.length < SUBSCRIBERS) {
        if (performance.now() - askedMs > WAIT_MS_MAX)
          throw new Error(`${received.length} readers got the event`);
        await sleep(1);
      }
      latenciesMs.push(...received.map((atMs) => atMs - askedMs));
    }
    return latenciesMs;
  }
}

async function issueKeys(service: ServiceProcess, count: number): Promise<string[]> {
  const keys: string[] = [];
  for (let index = 0; index < count; index++) {
    const answer = await ask(service, '/v1/keys', { name: `reader ${index}`, scopes: ['read'] });
    keys.push(((await answer.json()) as { data: { key: string } }).data.key);
  }
  return keys;
}

async function put(service: ServiceProcess, path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${service.adminKey.key}`, 'content-type': 'application/json' };
  const { status } = await fetch(service.httpUrl + path, {
    method: 'PUT',
    headers,
    body: JSON.stringify(body),
  });
  if (status !== 200) throw new Error(`${path}: ${status}`);
}
