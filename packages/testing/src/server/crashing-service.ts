import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const ADMIN_KEY = 'an-admin-key-for-the-crash-tests-only';
const KILL_AFTER_MS_MIN = 300;
const KILL_AFTER_MS_MAX = 2_800;
/** The service is killed at most this often, so that the test also ends on a slow machine. */
const KILLS_MAX = 15;
const RETRY_MS = 100;
const REOPEN_ATTEMPTS_MAX = 40;
const REOPEN_AFTER_MS = 500;
/** This is longer than any state can forbid a request. */
const ANSWER_MS_MAX = 300_000;

interface CrashOptions {
  readonly killAfterMsMin: number;
  readonly killAfterMsMax: number;
  readonly killsMax: number;
  readonly random: () => number;
  /** Further settings of the service. */
  readonly env: Readonly<Record<string, string>>;
}

const OFTEN: CrashOptions = {
  killAfterMsMin: KILL_AFTER_MS_MIN,
  killAfterMsMax: KILL_AFTER_MS_MAX,
  killsMax: KILLS_MAX,
  random: Math.random,
  env: {},
};

/** A service that is killed again and again, at random moments, and started again at the same place. */
export class CrashingService {
  kills = 0;
  readonly #options: CrashOptions;
  #isUp = false;
  #dataDir = '';
  #service: ServiceProcess | undefined;
  #killing: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(options: Partial<CrashOptions> = {}) {
    this.#options = { ...OFTEN, ...options };
  }

  /** A number that differs after each restart; `null` while the service is down. */
  get generation(): number | null {
    return this.#isUp ? this.kills : null;
  }

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
   * Repeats a request until the service answers. A request that the state forbids for now is repeated, too, with a new body if there is a
   * function for it. A request without an answer may have been carried out, so it is repeated unchanged.
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
    const untilMs = Date.now() + ANSWER_MS_MAX;
    for (let last: unknown; ; ) {
      if (this.#isOver) throw new Error('the test is over');
      if (Date.now() > untilMs)
        throw new Error(`${method} ${path} was never accepted: ${JSON.stringify(last)}`);
      try {
        const response = await fetch(url, { method, headers, body: text });
        const answer = JSON.parse(await response.text());
        if (response.ok) return answer.data;
        // A body that contains a time is too old if the service was down for long; the request was not carried out then.
        const isTooOld = response.status === 400 && typeof body === 'function';
        assert.ok(isTooOld || [409, 503].includes(response.status), JSON.stringify(answer));
        last = answer;
        // The request was refused or failed for good, so the next request is another one.
        const isFinal = response.status === 409 && answer.error.code !== 'idempotency_in_progress';
        if (isFinal && key !== undefined) headers['idempotency-key'] = crypto.randomUUID();
        if (isTooOld || isFinal) text = bodyNow();
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
      }
      await sleep(RETRY_MS);
    }
  }

  /** Sends a request once. Returns `null` without an answer: then it is not known whether it was carried out. */
  async askOnce(path: string, method: string, body: object, requestId: string): Promise<number | null> {
    const headers = {
      authorization: `Bearer ${ADMIN_KEY}`,
      'content-type': 'application/json',
      'x-request-id': requestId,
    };
    try {
      const response = await fetch(this.httpUrl + path, { method, headers, body: JSON.stringify(body) });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return null;
    }
  }

  #running(): ServiceProcess {
    if (this.#service === undefined) throw new Error('the service has not started');
    return this.#service;
  }

  async #killAgainAndAgain(mqttPort: string, httpPort: string): Promise<void> {
    const { killAfterMsMin, killAfterMsMax, killsMax, random } = this.#options;
    while (!this.#isOver && this.kills < killsMax) {
      await sleep(killAfterMsMin + random() * (killAfterMsMax - killAfterMsMin));
      if (this.#isOver) return;
      this.#isUp = false;
      await this.#running().kill();
      this.kills++;
      this.#service = await this.#reopen(mqttPort, httpPort);
    }
  }

  /** The start is repeated, because another process may have taken one of the ports for a moment, as the local end of a connection. */
  async #reopen(mqttPort: string, httpPort: string): Promise<ServiceProcess> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#open(mqttPort, httpPort);
      } catch (error) {
        if (attempt === REOPEN_ATTEMPTS_MAX) throw error;
        await sleep(REOPEN_AFTER_MS);
      }
    }
  }

  async #open(mqttPort: string, httpPort: string): Promise<ServiceProcess> {
    const service = await startServiceProcess({
      GRANARY_DATA_DIR: this.#dataDir,
      GRANARY_ADMIN_KEY: ADMIN_KEY,
      GRANARY_RATE_LIMIT: 'off',
      GRANARY_MQTT_PORT: mqttPort,
      GRANARY_HTTP_PORT: httpPort,
      ...this.#options.env,
    });
    this.#isUp = true;
    return service;
  }
}
