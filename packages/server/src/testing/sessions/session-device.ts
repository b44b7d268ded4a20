import { topicOf, type UpSubject } from '@granary/contract/link/messages';
import { connect, type IConnackPacket, type MqttClient } from 'mqtt';
import type { SeededRandom } from '../seeded-random.ts';
import type { CuttingProxy } from './cutting-proxy.ts';
import { type Delivered, DeviceLog } from './device-log.ts';

export const STEP_MS = 100;
const TELEMETRY_STEPS = 5;
const RECONNECT_MS = 50;

/** What the rig needs of a device, whatever it is written in. */
export interface RigDevice {
  readonly deviceId: string;
  readonly log: DeviceLog;
  readonly proxy: CuttingProxy;
  /** Loses power: what it did, what it knew and what it had yet to send are gone; its session at the service is not. */
  forget(): void;
  leave(): void;
}

export interface DeviceParts {
  readonly deviceId: string;
  readonly secret: string;
  readonly proxy: CuttingProxy;
  readonly proxyPort: number;
  readonly random: SeededRandom;
}

/**
 * A device with a persistent session that does whatever it is told. Its only protection against being told twice is its
 * memory, so that a device without one shows what the service delivers twice.
 */
export abstract class SessionDevice implements RigDevice {
  readonly log = new DeviceLog();
  readonly deviceId: string;
  readonly proxy: CuttingProxy;
  readonly random: SeededRandom;
  readonly #parts: DeviceParts;
  readonly #timer: NodeJS.Timeout;
  /** By the protocol a session that is present has its subscriptions; some devices rely on it. */
  readonly #trustsSession: boolean;
  #client: MqttClient;
  #isSubscribed = false;
  #lastTsMs = 0;
  #steps = 0;

  constructor(parts: DeviceParts) {
    this.#parts = parts;
    this.deviceId = parts.deviceId;
    this.proxy = parts.proxy;
    this.random = parts.random;
    this.#trustsSession = parts.random.chance(0.5);
    this.#client = this.#connect();
    this.#timer = setInterval(() => this.#step(), STEP_MS);
  }

  forget(): void {
    this.#client.end(true);
    this.#isSubscribed = false;
    this.loseMemory();
    this.#client = this.#connect();
  }

  leave(): void {
    clearInterval(this.#timer);
    this.#client.end(true);
  }

  protected abstract obey(command: Delivered): void;
  protected abstract step(): void;
  protected abstract reading(): object;
  protected abstract loseMemory(): void;

  /** Kept by the client until it is acknowledged, also over a reconnect. */
  protected publish(subject: UpSubject, payload: object): void {
    this.#client.publish(topicOf(this.deviceId, subject), JSON.stringify(payload), { qos: 1 });
  }

  protected ts(): number {
    this.#lastTsMs = Math.max(Date.now(), this.#lastTsMs + 1);
    return this.#lastTsMs;
  }

  #step(): void {
    this.step();
    if (++this.#steps % TELEMETRY_STEPS === 0 && this.#client.connected) {
      this.publish('telemetry', { ts: this.ts(), ...this.reading() });
    }
  }

  #connect(): MqttClient {
    const { deviceId, secret, proxyPort } = this.#parts;
    const client = connect(`mqtt://127.0.0.1:${proxyPort}`, {
      ...{ clientId: deviceId, username: deviceId, password: secret, clean: false, resubscribe: false },
      ...{ reconnectPeriod: RECONNECT_MS, connectTimeout: 2_000, reconnectOnConnackError: true },
    });
    client.on('error', () => undefined);
    client.on('connect', ({ sessionPresent }: IConnackPacket) => {
      this.#isSubscribed &&= sessionPresent;
      if (this.#isSubscribed && this.#trustsSession) return;
      client.subscribe(topicOf(deviceId, 'command'), { qos: 1 }, (error) => {
        if (client === this.#client) this.#isSubscribed = error === null;
      });
    });
    client.on('message', (_topic, payload) => {
      const command: Delivered = JSON.parse(payload.toString());
      this.log.deliver(command, Date.now());
      this.obey(command);
    });
    return client;
  }
}
