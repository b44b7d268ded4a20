import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ScriptedSilo, startSilo } from '@granary/testing/server/devices/scripted-silo';
import { type Answer, type Api, apiOf } from '@granary/testing/server/service';
import { startServiceProcess } from '@granary/testing/server/service-process';
import { type Postgres, startPostgres } from '../../tools/test-setup/postgres.ts';

/** Every answer must arrive within this time, whatever the storage does; an answer that waits for a frozen database needs all of it. */
export const ANSWER_MS_MAX = 5_000;
/** Extra time for a busy machine. */
const ALLOWANCE_MS = 5_000;
const RETRY_MS = 100;

export interface Rig {
  readonly api: Api;
  readonly postgres: Postgres;
  stopService(): Promise<void>;
  stop(): Promise<void>;
}

interface RigOptions {
  /** Returns the address by which the service reaches the server; usually that is the server's own address. */
  readonly addressOf?: (url: string) => Promise<string>;
  readonly env?: Readonly<Record<string, string>>;
}

/** A complete service with its own PostgreSQL, which the test can freeze and kill. */
export async function startRig({ addressOf = async (url) => url, env = {} }: RigOptions = {}): Promise<Rig> {
  const postgres = await startPostgres();
  const dataDir = await mkdtemp(join(tmpdir(), 'granary-storage-'));
  const service = await startServiceProcess({
    GRANARY_RATE_LIMIT: 'off',
    GRANARY_LOG_LEVEL: 'silent',
    GRANARY_DATA_DIR: dataDir,
    GRANARY_DATABASE_URL: await addressOf(postgres.url),
    ...env,
  });
  return {
    api: apiOf(
      () => service,
      () => service.adminKey.key,
    ),
    postgres,
    stopService: () => service.stop(),
    async stop() {
      await service.stop();
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export interface RunningSilo {
  readonly silo: ScriptedSilo;
  readonly operationId: string;
  readonly path: string;
}

/** A silo with a running feed operation. */
export async function feedingSilo(api: Api, deviceId: string): Promise<RunningSilo> {
  const silo = await startSilo(api, deviceId);
  const start = async () => (await api.post(`${silo.path}/operations/feed`, { amount: 100 })).body;
  let { data } = await start();
  // With an external broker the service may not have processed every message of the silo yet, and then refuses the start.
  while (data === undefined) {
    await sleep(RETRY_MS);
    ({ data } = await start());
  }
  const operationId: string = data.operation_id;
  await silo.take('start');
  await silo.ack({ operation_id: operationId, accepted: true });
  return { silo, operationId, path: `${silo.path}/operations/${operationId}` };
}

export interface Timed<T> {
  readonly result: T;
  readonly ms: number;
}

export async function timed<T>(work: Promise<T>): Promise<Timed<T>> {
  const startedAtMs = performance.now();
  const result = await work;
  return { result, ms: performance.now() - startedAtMs };
}

/** Checks that an answer arrives in time. */
export async function inTime(answering: Promise<Answer>): Promise<Answer> {
  const { result, ms } = await timed(answering);
  assert.ok(ms < ANSWER_MS_MAX + ALLOWANCE_MS, `${result.status} after ${ms} ms`);
  return result;
}

/** Repeats a request while the storage is down; every answer must arrive in time. */
export async function untilStored(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await inTime(ask());
    if (answer.status !== 503) return answer;
    await sleep(RETRY_MS);
  }
}
