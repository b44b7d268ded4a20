import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const ADMIN_KEY = 'an-admin-key-for-the-crash-tests-only';
const KILL_AFTER_MS_MIN = 300;
const KILL_AFTER_MS_MAX = 2_800;
/** Then it is left in peace, so that a slow machine comes to an end, too. */
const KILLS_MAX = 15;
const RETRY_MS = 100;

/** A service that is killed again and again, at moments that nobody can foresee, and started anew at the same place. */
export class CrashingService {
  kills = 0;
  #dataDir = '';
  #service: ServiceProcess | undefined;
  #killing: Promise<void> = Promise.resolve();
  #isOver = false;

  get httpUrl(): string {
    return this.#running().httpUrl;
  }

  get mqttUrl(): string {
    return this.#running().mqttUrl;
  }

  async start(): Promise<void> {
    this.#dataDir = await mkdtemp(join(tmpdir(), 'granary-crash-'));
    this.#service = await this.#open('0', '0');
  }

  beginKilling(): void {
    const { httpUrl, mqttUrl } = this.#running();
    this.#killing = this.#killAgainAndAgain(new URL(mqttUrl).port, new URL(httpUrl).port);
  }

  async endKilling(): Promise<void> {
    this.#isOver = true;
    await this.#killing;
    this.#isOver = false;
  }

  async remove(): Promise<void> {
    this.#isOver = true;
    await this.#killing.catch(() => undefined);
    await this.#service?.kill();
    await rm(this.#dataDir, { recursive: true, force: true });
  }

  /**
   * Asks until the service is there to answer; what the state forbids for now is asked again too, with a new body if there
   * is a function for it. What was not answered may have been done, so it is repeated as it was.
   */
  async ask(
    path: string,
    method: string,
    body?: object | (() => object),
    key?: string,
  ): Promise<ReturnType<typeof JSON.parse>> {
    const url = this.httpUrl + path;
    const headers: Record<string, string> = { authorization: `Bearer ${ADMIN_KEY}` };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (key !== undefined) headers['idempotency-key'] = key;
    const bodyNow = (): string | null =>
      body === undefined ? null : JSON.stringify(typeof body === 'function' ? body() : body);
    let text = bodyNow();
    for (;;) {
      if (this.#isOver) throw new Error('the test is over');
      try {
        const response = await fetch(url, { method, headers, body: text });
        const answer = JSON.parse(await response.text());
        if (response.ok) return answer.data;
        assert.ok([409, 503].includes(response.status), JSON.stringify(answer));
        // Remembered for good: what was asked for has failed, such as a start that could not be sent.
        const isFinal = response.status === 409 && response.headers.has('idempotency-replayed');
        if (isFinal) headers['idempotency-key'] = crypto.randomUUID();
        const mayBeDone = answer.error.code === 'idempotency_in_progress';
        if (response.status === 409 && !mayBeDone) text = bodyNow();
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
      }
      await sleep(RETRY_MS);
    }
  }

  #running(): ServiceProcess {
    if (this.#service === undefined) throw new Error('the service has not started');
    return this.#service;
  }

  async #killAgainAndAgain(mqttPort: string, httpPort: string): Promise<void> {
    while (!this.#isOver && this.kills < KILLS_MAX) {
      await sleep(KILL_AFTER_MS_MIN + Math.random() * (KILL_AFTER_MS_MAX - KILL_AFTER_MS_MIN));
      if (this.#isOver) return;
      await this.#running().kill();
      this.kills++;
      this.#service = await this.#open(mqttPort, httpPort);
    }
  }

  #open(mqttPort: string, httpPort: string): Promise<ServiceProcess> {
    return startServiceProcess({
      ...{ GRANARY_DATA_DIR: this.#dataDir, GRANARY_ADMIN_KEY: ADMIN_KEY, GRANARY_RATE_LIMIT: 'off' },
      ...{ GRANARY_MQTT_PORT: mqttPort, GRANARY_HTTP_PORT: httpPort },
    });
  }
}
