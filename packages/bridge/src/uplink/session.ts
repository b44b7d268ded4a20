import { randomUUID } from 'node:crypto';
import { type DeviceState, topicOf } from '@granary/contract/link/messages';
import { SECOND_MS } from '@granary/contract/time';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import type { LogLevel } from '../drivers/driver.ts';
import { brokerAddress } from '../drivers/mqtt/broker-address.ts';
import type { Journal } from './journal.ts';
import { payloadOf, type Reading, settled } from './message.ts';

const CONNECT_TIMEOUT_MS = 10 * SECOND_MS;
const KEEPALIVE_S = 30;
const FIRST_WAIT_MS = 500;
const WAIT_MS_MAX = 5 * SECOND_MS;
/** The wait after a wrong secret, because it does not become right by frequent attempts. */
const REFUSED_WAIT_MS = 60 * SECOND_MS;
/** CONNACK codes for a wrong name or secret, as opposed to a busy broker. */
const REFUSED_CODES: readonly unknown[] = [4, 5];
/** While the service holds this many messages of the device unacknowledged, further readings go to the journal. */
const UNACKNOWLEDGED_MAX = 16;
/** After this time an unacknowledged reading is written to the journal, too; the service ignores repeated ones. */
const ACKNOWLEDGE_MS = 3 * SECOND_MS;
const DISCONNECT_TIMEOUT_MS = SECOND_MS;

export interface SessionParts {
  readonly deviceId: string;
  readonly mqttUrl: () => string;
  /** Returns the secret; `null` while the device has none. */
  readonly secret: () => string | null;
  readonly journal: Pick<Journal, 'add'>;
  readonly log: (level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly onConnected: () => void;
  /** Returns whether readings may be sent: not before the time of readings is known. */
  readonly mayDeliver: () => boolean;
  readonly aheadMs: () => number | null;
}

/**
 * The session of one device at the service. It is open while the field device answers, so that the service sees the same
 * presence as that of a device that connects itself. A reading that is not acknowledged is stored in the journal.
 */
export class DeviceSession {
  readonly #parts: SessionParts;
  #isWanted = false;
  #client: MqttClient | null = null;
  #isUp = false;
  #session = '';
  #failures = 0;
  #isRefused = false;
  #retryTimer: NodeJS.Timeout | undefined;
  /** The readings that were sent and are not acknowledged, by a number for each. */
  readonly #unacknowledged = new Map<number, Reading>();
  #sent = 0;
  /** The newest reading while it is not delivered; it is the first to be sent on the next connection. */
  #newest: Reading | null = null;
  #fault: string | null = null;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  get isConnected(): boolean {
    return this.#isUp;
  }

  /** Returns why there is no connection although one is wanted. */
  get fault(): string | null {
    return this.#isWanted && !this.#isUp ? this.#fault : null;
  }

  open(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#connect();
  }

  /** Reports the device as offline and ends the session in order, so that the service need not wait for silence. */
  async close(): Promise<void> {
    if (!this.#isWanted) return;
    this.#isWanted = false;
    clearTimeout(this.#retryTimer);
    const client = this.#client;
    const isUp = this.#isUp;
    this.#lost(client, null);
    if (client === null) return;
    const timer = setTimeout(() => client.stream?.destroy(), DISCONNECT_TIMEOUT_MS);
    try {
      if (isUp) await this.#announce(client, 'offline');
      await client.endAsync(!isUp);
    } catch {
      // The connection has ended by itself.
    }
    clearTimeout(timer);
  }

  /** Uses a new address or secret from now on. */
  async reopen(): Promise<void> {
    if (!this.#isWanted) return;
    await this.close();
    this.#isRefused = false;
    this.#failures = 0;
    this.open();
  }

  /** Sends a new reading at once, or stores it in the journal. */
  deliver(given: Reading): void {
    const { mayDeliver, aheadMs } = this.#parts;
    const reading = settled(given, aheadMs());
    if (!this.#isUp || !mayDeliver() || this.#unacknowledged.size >= UNACKNOWLEDGED_MAX) {
      this.#newest = reading;
      this.#parts.journal.add(reading);
      return;
    }
    this.#newest = null;
    const number = this.#sent++;
    this.#unacknowledged.set(number, reading);
    const late = setTimeout(() => this.#keep(number), ACKNOWLEDGE_MS);
    this.publish([reading])
      .then(
        () => this.#unacknowledged.delete(number),
        () => this.#keep(number),
      )
      .finally(() => clearTimeout(late));
  }

  /** Sends the newest reading before those that have waited longer. */
  sendNewest(): void {
    if (this.#newest !== null && this.#isUp && this.#parts.mayDeliver()) this.deliver(this.#newest);
  }

  /** Sends readings; resolves when the service has stored them. */
  async publish(readings: readonly Pick<Reading, 'atMs' | 'body'>[]): Promise<void> {
    const client = this.#client;
    if (client === null || !this.#isUp) throw new Error('the device has no session');
    await client.publishAsync(topicOf(this.#parts.deviceId, 'telemetry'), payloadOf(readings), { qos: 1 });
  }

  #keep(number: number): void {
    const reading = this.#unacknowledged.get(number);
    if (reading === undefined) return;
    this.#unacknowledged.delete(number);
    this.#parts.journal.add(reading);
  }

  #connect(): void {
    const { secret, deviceId } = this.#parts;
    const password = secret();
    if (password === null) {
      this.#fault = 'the device has no secret; register it with granary bridge adopt';
      this.#retry(REFUSED_WAIT_MS);
      return;
    }
    const session = randomUUID();
    this.#session = session;
    const client = connect(this.#options(password, session));
    this.#client = client;
    let failure: Error | undefined;
    client.on('error', (error) => {
      failure = error;
    });
    client.on('connect', () => {
      this.#announce(client, 'online').then(
        () => this.#connected(client),
        () => client.stream.destroy(),
      );
    });
    client.once('close', () => {
      // The library rejects unacknowledged messages only after a forced end.
      client.end(true);
      this.#lost(client, failure ?? null);
    });
    if (this.#failures === 0)
      this.#parts.log('debug', 'the session of a device is being opened', { deviceId });
  }

  #options(password: string, session: string): IClientOptions {
    const { deviceId, mqttUrl } = this.#parts;
    return {
      ...brokerAddress(mqttUrl()),
      clientId: deviceId,
      username: deviceId,
      password,
      clean: true,
      keepalive: KEEPALIVE_S,
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectPeriod: 0,
      resubscribe: false,
      will: {
        topic: topicOf(deviceId, 'status'),
        payload: Buffer.from(JSON.stringify(stateMessage('offline', session))),
        qos: 1,
        retain: true,
      },
    };
  }

  async #announce(client: MqttClient, state: DeviceState['state']): Promise<void> {
    const message = JSON.stringify(stateMessage(state, this.#session));
    await client.publishAsync(topicOf(this.#parts.deviceId, 'status'), message, { qos: 1, retain: true });
  }

  #connected(client: MqttClient): void {
    if (client !== this.#client) return;
    const { deviceId, log, onConnected } = this.#parts;
    if (this.#failures > 0) log('info', 'the device is connected to the service again', { deviceId });
    this.#failures = 0;
    this.#isRefused = false;
    this.#isUp = true;
    this.#fault = null;
    this.sendNewest();
    onConnected();
  }

  /** Only the first call for a connection has an effect. */
  #lost(client: MqttClient | null, failure: Error | null): void {
    if (client !== this.#client) return;
    this.#client = null;
    this.#isUp = false;
    for (const number of [...this.#unacknowledged.keys()]) this.#keep(number);
    if (!this.#isWanted) return;
    this.#fault = failure?.message ?? 'the connection to the service was closed';
    this.#isRefused = failure !== null && 'code' in failure && REFUSED_CODES.includes(failure.code);
    if (this.#failures === 0) {
      const { deviceId, log } = this.#parts;
      log('warn', 'a device is not connected to the service', { deviceId, reason: this.#fault });
    }
    this.#failures++;
    const ceilingMs = Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** (this.#failures - 1));
    this.#retry(this.#isRefused ? REFUSED_WAIT_MS : ceilingMs * (0.5 + 0.5 * Math.random()));
  }

  #retry(waitMs: number): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => {
      if (this.#isWanted && this.#client === null) this.#connect();
    }, waitMs);
  }
}

const stateMessage = (state: DeviceState['state'], session: string): DeviceState => ({ state, session });
