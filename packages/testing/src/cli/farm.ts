import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '@granary/client';
import { validatedUrl } from '../server/validated-url.ts';
import { type GranaryProcess, granary, serviceEnv } from './granary-process.ts';
import { runInProcess } from './in-process.ts';

export type Env = Readonly<Record<string, string>>;

const STARTED = /Ctrl\+C stops it/;

/** A service and its simulated farm in two processes, so that a test can end one of them. */
export class RunningFarm {
  readonly access: Env;
  readonly #t: TestContext;
  /** The data folder and the ports of the service, for commands that look at them. */
  readonly settings: Env;
  #service: GranaryProcess;

  constructor(t: TestContext, service: GranaryProcess, settings: Env, access: Env) {
    this.#t = t;
    this.#service = service;
    this.settings = settings;
    this.access = access;
  }

  /** Runs a command and returns what it printed; it must end with the given exit code. */
  async run(args: readonly string[], exitCode = 0, env: Env = {}): Promise<string> {
    const result = await runInProcess(args, { ...this.access, ...env });
    assert.equal(result.exitCode, exitCode, `${args.join(' ')}: ${result.stdout}${result.stderr}`);
    return `${exitCode === 0 ? result.stdout : result.stderr}\n`;
  }

  async json<Answer>(...args: readonly string[]): Promise<Answer> {
    return JSON.parse(await this.run([...args, '--json']));
  }

  async killService(): Promise<void> {
    this.#service.signal('SIGKILL');
    await this.#service.exited;
  }

  async startAgain(): Promise<void> {
    this.#service = granary(this.#t, ['serve'], this.settings);
    await this.#service.printed(STARTED);
  }
}

/** Waits until every device is online with a value. */
async function allReported(client: Client): Promise<void> {
  const haveReported = async (): Promise<boolean> => {
    const { data } = await client.fleet.devices({ include: 'readings', limit: 100 });
    return data.every(
      ({ status, readings }) => status === 'online' && Object.keys(readings ?? {}).length > 0,
    );
  };
  while (!(await haveReported())) await sleep(100);
}

export async function startFarm(t: TestContext): Promise<RunningFarm> {
  const settings = { ...(await serviceEnv(t)), GRANARY_LOG_LEVEL: 'silent' };
  const service = granary(t, ['serve'], settings);
  const key = await service.adminKey();
  const url = await service.printed(/HTTP +(http:\/\/\S+)/);
  const mqtt = await service.printed(/MQTT +(mqtt:\/\/\S+)/);
  const access = { GRANARY_URL: await validatedUrl(t, url), GRANARY_API_KEY: key, GRANARY_ACTOR: 'Ada' };
  const { GRANARY_DATA_DIR = '' } = await serviceEnv(t);
  await mkdir(GRANARY_DATA_DIR, { recursive: true });
  const args = ['simulate', '--mqtt', mqtt, '--no-history', '--interval', '1'];
  await granary(t, args, { ...access, GRANARY_DATA_DIR }).printed(/farm: running/);
  await allReported(createClient({ baseUrl: url, apiKey: key }));
  const ports = { GRANARY_HTTP_PORT: new URL(url).port, GRANARY_MQTT_PORT: new URL(mqtt).port };
  return new RunningFarm(t, service, { ...settings, ...ports }, access);
}
