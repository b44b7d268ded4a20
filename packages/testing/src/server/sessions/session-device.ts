import { topicOf, type UpSubject } from '@granary/contract/link/messages';
import { connect, type IConnackPacket, type MqttClient } from 'mqtt';
import type { SeededRandom } from '../seeded-random.ts';
import type { CuttingProxy } from './cutting-proxy.ts';
import { type Delivered, DeviceLog } from './device-log.ts';

export const STEP_MS = 100;
const TELEMETRY_STEPS = 5;
const RECONNECT_MS = 50;

/** The functions that the test needs of a device, in whichever language it is written. */
export interface RigDevice {
  readonly deviceId: string;
  readonly log: DeviceLog;
  readonly proxy: CuttingProxy;
  /** Restarts without its memory and its unsent messages; its session at the service is kept. */
  restartWithoutMemory(): void;
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
 * A device with a persistent session that carries out every command. It detects repeated commands only by its memory, so
 * that a device without memory shows what the service delivers twice.
 */
export abstract class SessionDevice implements RigDevice {
  readonly log = new DeviceLog();
  readonly deviceId: string;
  readonly proxy: CuttingProxy;
  readonly random: SeededRandom;
  readonly #parts: DeviceParts;
  readonly #timer: NodeJS.Timeout;
  /** True for a device that does not subscribe again, because by the MQTT standard a session that is present has its subscriptions. */
  readonly #reliesOnSession: boolean;
  #client: MqttClient;
  #isSubscribed = false;
  #lastTsMs = 0;
  #steps = 0;

  constructor(parts: DeviceParts) {
    this.#parts = parts;
    this.deviceId = parts.deviceId;
    this.proxy = parts.proxy;
    this.random = parts.random;
    this.#reliesOnSession = parts.random.chance(0.5);
    this.#client = this.#connect();
    this.#timer = setInterval(() => this.#step(), STEP_MS);
  }

  restartWithoutMemory(): void {
    this.#client.end(true);
    this.#isSubscribed = false;
    this.loseMemory();
    this.#client = this.#connect();
  }

  leave(): void {
    clearInterval(this.#timer);
    this.#client.end(true);
  }

  protected abstract carryOut(command: Delivered): void;
  protected abstract step(): void;
  protected abstract reading(): object;
  protected abstract loseMemory(): void;

  /** Publishes a message, which the client keeps until it is acknowledged, also over a reconnect. */
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
      clientId: deviceId,
      username: deviceId,
      password: secret,
      clean: false,
      resubscribe: false,
      reconnectPeriod: RECONNECT_MS,
      connectTimeout: 2_000,
      reconnectOnConnackError: true,
    });
    client.on('error', () => undefined);
    client.on('connect', ({ sessionPresent }: IConnackPacket) => {
      this.#isSubscribed &&= sessionPresent;
      if (this.#isSubscribed && this.#reliesOnSession) return;
      client.subscribe(topicOf(deviceId, 'command'), { qos: 1 }, (error) => {
        if (client === this.#client) this.#isSubscribed = error === null;
      });
    });
    client.on('message', (_topic, payload) => {
      const command: Delivered = JSON.parse(payload.toString());
      this.log.deliver(command, Date.now());
      this.carryOut(command);
    });
    return client;
  }
}
