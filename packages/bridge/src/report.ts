import { randomUUID } from 'node:crypto';
import { type Client, createClient } from '@granary/client';
import {
  type BridgedDevice,
  type BridgeMapping,
  type BridgeReport,
  type BridgeRequest,
  type BridgeResult,
  REPORTED_DEVICES_MAX,
  REPORTED_MAPPINGS_MAX,
} from '@granary/contract/bridges';
import { checkedTimeMs, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import type { LogLevel } from './drivers/driver.ts';
import { messageOf } from './message-of.ts';
import type { BridgeClock } from './uplink/clock.ts';
import type { DeclaredUnits } from './uplink/declared-units.ts';

/** The wait is shorter than the limit of the client for one answer. */
const WAIT_S = 10;
/** The interval in which counters and round trips of all devices are sent; a change of state is sent at once. */
const ALL_EVERY_MS = MINUTE_MS;
const CHANGES_EVERY_MS = SECOND_MS;
const WAIT_MS_MAX = 30 * SECOND_MS;

interface Access {
  readonly baseUrl: string;
  readonly apiKey: string;
}

export interface ReportParts {
  readonly bridgeId: () => string;
  /** Returns the access; `null` while the address or the key of the service is not known. */
  readonly access: () => Access | null;
  readonly general: () => Pick<BridgeReport, 'version' | 'started_at' | 'site' | 'journal'>;
  readonly devices: () => readonly BridgedDevice[];
  readonly mappings: () => readonly BridgeMapping[];
  /** The devices whose declared units are asked for, and the function that gets the answer. */
  readonly units: { unasked(): string[]; learn: DeclaredUnits['learn'] };
  readonly carryOut: (request: BridgeRequest) => Promise<Omit<BridgeResult, 'request_id'>>;
  readonly clock: BridgeClock;
  /** Is called when the service has answered and told its time. */
  readonly answered: () => void;
  readonly log: (level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** Reports the state of the bridge to the service, and carries out the requests of people. No other part of the bridge waits for it. */
export class Reporter {
  readonly #parts: ReportParts;
  readonly #session = randomUUID();
  readonly #abort = new AbortController();
  #running: Promise<void> | null = null;
  /** The last reported state of each device as text; the second set has the reported mappings. */
  readonly #sentDevices = new Map<string, string>();
  readonly #sentMappings = new Set<string>();
  #allSentAtMs = Number.NEGATIVE_INFINITY;
  #results: BridgeResult[] = [];
  readonly #working = new Set<string>();
  #failures = 0;
  /** True if the service has sent an answer that did not arrive, or may have. */
  #missesAnswer = false;
  #connection: { readonly key: string; readonly client: Client } | null = null;
  #said: string | null = null;
  #endSleep: () => void = () => undefined;

  constructor(parts: ReportParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  /** Ends the wait for the next report, because the service is reachable again. */
  hurry(): void {
    this.#endSleep();
  }

  async #run(): Promise<void> {
    while (!this.#abort.signal.aborted) {
      const waitMs = await this.#reportOnce();
      if (waitMs > 0) await this.#sleep(waitMs);
    }
  }

  /** Returns how long to wait before the next report. */
  async #reportOnce(): Promise<number> {
    const { access, bridgeId, clock, general, answered, units } = this.#parts;
    const service = access();
    if (service === null) {
      this.#say(
        'warn',
        'the bridge does not report: it has no key, or does not know the address of the service',
      );
      return 5 * SECOND_MS;
    }
    const { devices, gone, hasMore, states } = this.#changedDevices();
    const mappings = this.#newMappings();
    const results = this.#results.slice(0, 20);
    const unasked = units.unasked();
    const quiet = [devices, mappings, results, gone, unasked].every(({ length }) => length === 0);
    const waitS = quiet && !hasMore ? WAIT_S : 0;
    const missesAnswer = this.#missesAnswer;
    this.#missesAnswer = true;
    try {
      const {
        time,
        known,
        requests,
        units: declared,
      } = await this.#client(service).bridges.report(
        bridgeId(),
        {
          session: this.#session,
          ...general(),
          devices,
          gone,
          mappings,
          results,
          working: [...this.#working].slice(0, 20),
          missed_answer: missesAnswer,
          units_of: unasked,
          wait_s: waitS,
        },
        { timeLimitMs: 0, signal: this.#waitSignal(waitS) },
      );
      this.#missesAnswer = false;
      clock.compare(checkedTimeMs(time));
      // The units must be known before readings are sent that have waited for this answer.
      if (unasked.length > 0) await units.learn(unasked, declared);
      answered();
      if (this.#failures > 0) this.#parts.log('info', 'the bridge reaches the service again', {});
      this.#failures = 0;
      this.#said = null;
      this.#results = this.#results.filter((one) => !results.includes(one));
      // The service did not know the session, so it has nothing but this report.
      if (!known) {
        this.#sentDevices.clear();
        this.#sentMappings.clear();
      }
      for (const [deviceId, state] of states) this.#sentDevices.set(deviceId, state);
      for (const deviceId of gone) this.#sentDevices.delete(deviceId);
      for (const { name, version } of mappings) this.#sentMappings.add(`${name} ${version}`);
      await this.#take(requests);
      return waitS === 0 && !hasMore ? 200 : 0;
    } catch (error) {
      if (this.#abort.signal.aborted) return 0;
      if (error instanceof DOMException && error.name === 'AbortError') return 0;
      this.#failures++;
      this.#say('warn', 'the bridge cannot report to the service', error);
      return (
        Math.min(WAIT_MS_MAX, SECOND_MS * 2 ** Math.min(5, this.#failures - 1)) * (0.5 + Math.random() / 2)
      );
    }
  }

  /** Ends the wait of a report when a device changes. */
  #waitSignal(waitS: number): AbortSignal {
    if (waitS === 0) return this.#abort.signal;
    const wake = new AbortController();
    const before = this.#generalState();
    const timer = setInterval(() => {
      const isUnchanged =
        this.#results.length === 0 &&
        this.#parts.units.unasked().length === 0 &&
        this.#changedDevices().devices.length === 0;
      if (!isUnchanged || this.#generalState() !== before) wake.abort();
    }, CHANGES_EVERY_MS);
    const signal = AbortSignal.any([this.#abort.signal, wake.signal]);
    setTimeout(() => clearInterval(timer), waitS * SECOND_MS).unref();
    signal.addEventListener('abort', () => clearInterval(timer));
    return signal;
  }

  #generalState(): string {
    const { site, journal } = this.#parts.general();
    return JSON.stringify([site, journal.fault, journal.dropped]);
  }

  /** Returns the devices whose state has changed, and from time to time all of them; as many as fit into one report. */
  #changedDevices() {
    const nowMs = performance.now();
    const isTimeForAll = nowMs - this.#allSentAtMs > ALL_EVERY_MS;
    const all = this.#parts.devices();
    if (isTimeForAll) {
      // The devices are sent with the next reports, part by part.
      this.#allSentAtMs = nowMs;
      for (const { device_id } of all)
        if (this.#sentDevices.has(device_id)) this.#sentDevices.set(device_id, '');
    }
    const changed = all.filter((device) => this.#sentDevices.get(device.device_id) !== stateOf(device));
    const devices = changed.slice(0, REPORTED_DEVICES_MAX);
    const present = new Set(all.map(({ device_id }) => device_id));
    const gone = [...this.#sentDevices.keys()]
      .filter((deviceId) => !present.has(deviceId))
      .slice(0, REPORTED_DEVICES_MAX);
    return {
      devices,
      gone,
      hasMore: changed.length > devices.length,
      states: new Map(devices.map((device) => [device.device_id, stateOf(device)])),
    };
  }

  #newMappings(): BridgeMapping[] {
    return this.#parts
      .mappings()
      .filter(({ name, version }) => !this.#sentMappings.has(`${name} ${version}`))
      .slice(0, REPORTED_MAPPINGS_MAX);
  }

  /** Carries out requests. A test may take long and runs beside the reports; a change of the site file ends before the next report. */
  async #take(requests: readonly BridgeRequest[]): Promise<void> {
    for (const request of requests) {
      const { request_id } = request;
      if (this.#working.has(request_id)) continue;
      this.#working.add(request_id);
      const work = this.#parts
        .carryOut(request)
        .catch((error: unknown) => ({ failure: { code: 'bridge_fault', detail: clipped(messageOf(error)) } }))
        .then((result) => {
          this.#working.delete(request_id);
          this.#results.push({ request_id, ...result });
        });
      if (request.kind !== 'test') await work;
    }
  }

  #client({ baseUrl, apiKey }: Access): Client {
    const key = `${baseUrl} ${apiKey}`;
    if (this.#connection?.key !== key) this.#connection = { key, client: createClient({ baseUrl, apiKey }) };
    return this.#connection.client;
  }

  /** Logs the same message only once. */
  #say(level: LogLevel, message: string, error?: unknown): void {
    if (this.#said === message) return;
    this.#said = message;
    this.#parts.log(level, message, error === undefined ? {} : { reason: messageOf(error) });
  }

  #sleep(waitMs: number): Promise<void> {
    const { signal } = this.#abort;
    return new Promise((resolve) => {
      const timer = setTimeout(done, waitMs);
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      }
      signal.addEventListener('abort', done);
      this.#endSleep = done;
      if (signal.aborted) done();
    });
  }
}

/** Returns the part of the state that people should see at once; the times and counters may be a minute old. */
const stateOf = ({
  state,
  connected,
  mapping,
  endpoint,
  unit,
  breaker,
  last_failure,
}: BridgedDevice): string =>
  JSON.stringify([state, connected, mapping, endpoint, unit, breaker.open, last_failure?.code ?? null]);

/** Returns a line that the contract accepts. */
export const clipped = (text: string, length = 500): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, length)
    .toWellFormed();
