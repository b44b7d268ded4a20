import { randomBytes } from 'node:crypto';
import { topicOf, type UpSubject } from '@granary/contract/link/messages';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import type { AcknowledgedReading, CommandName, FleetMember } from './protocol.ts';

/** Sooner than the nodes, so that a broker that was restarted gets messages before a node has subscribed again. */
const RECONNECT_MS = 20;
const CONNECT_MS_MAX = 4_000;
const KEEP_ALIVE_S = 30;

export interface FleetEvents {
  acknowledged(reading: AcknowledgedReading): void;
  received(deviceId: string, command: CommandName, jobId: string): void;
}

/**
 * A device at the broker that reports with QoS 1 and does whatever it is told as often as it is told: it has no protection of its own
 * against being told twice, so that only that of the service can be seen.
 */
export abstract class FleetDevice<Command> {
  protected readonly deviceId: string;
  readonly #number: number;
  readonly #events: FleetEvents;
  readonly #client: MqttClient;
  readonly #will: NonNullable<IClientOptions['will']>;
  #session = '';
  #lastTsMs = 0;

  constructor(mqttUrl: string, number: number, member: FleetMember, events: FleetEvents) {
    const { deviceId, secret } = member;
    this.deviceId = deviceId;
    this.#number = number;
    this.#events = events;
    this.#will = { topic: topicOf(deviceId, 'status'), payload: '', qos: 1, retain: true };
    this.#beginSession();
    this.#client = connect(mqttUrl, {
      clientId: deviceId,
      username: deviceId,
      password: secret,
      keepalive: KEEP_ALIVE_S,
      // Both versions of MQTT that devices may use.
      protocolVersion: number % 2 === 0 ? 5 : 4,
      clean: true,
      will: this.#will,
      reconnectPeriod: RECONNECT_MS,
      connectTimeout: CONNECT_MS_MAX,
      resubscribe: false,
    });
    this.#client.on('error', () => {
      // The broker is restarted during the run.
    });
    this.#client.on('close', () => this.#beginSession());
    this.#client.on('connect', () => this.#connected());
    this.#client.on('message', (_topic, payload) => this.obey(JSON.parse(payload.toString())));
  }

  get isConnected(): boolean {
    return this.#client.connected;
  }

  /** Resolves when everything is acknowledged. */
  async leave(): Promise<void> {
    await this.publish('status', { state: 'offline', session: this.#session }, true);
    await this.#client.endAsync();
  }

  /** What it does in each interval. */
  abstract report(): void;
  protected abstract obey(command: Command): void;

  protected received(command: CommandName, jobId: string): void {
    this.#events.received(this.deviceId, command, jobId);
  }

  protected async publishReading(values: object, tsMs = this.ts()): Promise<void> {
    await this.publish('telemetry', { ts: tsMs, ...values });
    this.#events.acknowledged([this.#number, tsMs]);
  }

  /** Resolves when the broker has acknowledged it; what was not acknowledged is sent again after a reconnect. */
  protected async publish(subject: UpSubject, payload: object, retain = false): Promise<void> {
    await this.#client.publishAsync(topicOf(this.deviceId, subject), JSON.stringify(payload), {
      qos: 1,
      retain,
    });
  }

  /** Two messages in one millisecond get different times. */
  protected ts(): number {
    this.#lastTsMs = Math.max(Date.now(), this.#lastTsMs + 1);
    return this.#lastTsMs;
  }

  #beginSession(): void {
    this.#session = randomBytes(4).toString('hex');
    this.#will.payload = JSON.stringify({ state: 'offline', session: this.#session });
  }

  #connected(): void {
    const online = { state: 'online', session: this.#session };
    this.#client.subscribe(topicOf(this.deviceId, 'command'), { qos: 1 }, (error) => {
      if (error === null) this.publish('status', online, true).catch(() => undefined);
    });
  }
}
