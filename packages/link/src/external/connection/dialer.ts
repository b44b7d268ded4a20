import type { ExternalLimits } from '../limits.ts';
import type { BrokerAccess } from './broker-address.ts';
import { BrokerConnection } from './broker-connection.ts';
import { type Login, type MqttVersion, VersionRefused } from './packets.ts';

type Events = Parameters<typeof BrokerConnection.open>[2];

/** Opens connections with MQTT 5, and with MQTT 3.1.1 to a broker that refuses it. */
export class Dialer {
  readonly broker: BrokerAccess;
  readonly #limits: ExternalLimits;
  #version: MqttVersion = 5;

  constructor(broker: BrokerAccess, limits: ExternalLimits) {
    this.broker = broker;
    this.#limits = limits;
  }

  get version(): MqttVersion {
    return this.#version;
  }

  async open(login: Pick<Login, 'clientId' | 'keepsSession'>, events: Events): Promise<BrokerConnection> {
    try {
      return await this.#open(login, events);
    } catch (error) {
      if (!(error instanceof VersionRefused) || this.#version === 4) throw error;
      this.#version = 4;
      return await this.#open(login, events);
    }
  }

  async #open(login: Pick<Login, 'clientId' | 'keepsSession'>, events: Events): Promise<BrokerConnection> {
    const { connectTimeoutMs, keepAliveS } = this.#limits;
    const { broker, version } = this;
    return await BrokerConnection.open({ ...login, broker, version, keepAliveS }, connectTimeoutMs, events);
  }
}
