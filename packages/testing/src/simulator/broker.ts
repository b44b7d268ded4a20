import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { EmbeddedBroker } from '@granary/link/broker/broker';
import type { LinkConfiguration, LinkHandler, UplinkMessage } from '@granary/link/port';
import type { DeviceOptions } from '@granary/simulator/device/device';

const POLL_MS = 5;

/** The real broker with a handler that records every message. */
export class RecordingBroker {
  readonly received: UplinkMessage[] = [];
  secret = 'right';
  /** Decides whether a message is acknowledged; a rejected promise means that it is not, and the connection is closed. */
  accepts: () => Promise<void> = async () => undefined;
  readonly #configurations = new Map<string, LinkConfiguration>();
  #broker: EmbeddedBroker | undefined;
  #port = 0;
  #arrived = Promise.withResolvers<void>();

  get url(): string {
    return `mqtt://127.0.0.1:${this.#port}`;
  }

  /** The link of a device that logs in with the right secret and never needs another one. */
  linkOf(deviceId: string): DeviceOptions<never>['link'] {
    return {
      mqttUrl: this.url,
      credentials: { username: deviceId, secret: 'right' },
      renewCredentials: () => Promise.reject(new Error('the secret must not be renewed')),
      onChange: () => undefined,
      random: () => 0,
    };
  }

  async start(): Promise<void> {
    const addresses = { plain: { host: '127.0.0.1', port: this.#port }, secure: null };
    this.#broker = new EmbeddedBroker(addresses, this.#handler());
    this.#port = (await this.#broker.start()).plain?.port ?? 0;
  }

  async stop(): Promise<void> {
    await this.#broker?.stop();
  }

  /** Resolves when the device has acknowledged the command. */
  async command(deviceId: string, command: object): Promise<void> {
    this.#broker?.sendCommand(deviceId, command, { expiresAtMs: null, repeatKey: null });
    while (this.#broker?.linkStatistics(deviceId).unacknowledged) await setTimeout(POLL_MS);
  }

  async configure(deviceId: string, configuration: object): Promise<void> {
    const version = (this.#configurations.get(deviceId)?.version ?? 0) + 1;
    this.#configurations.set(deviceId, { version, ...configuration });
    this.#sendConfiguration(deviceId);
  }

  /** Waits for a received message that matches. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await this.#arrived.promise;
  }

  #sendConfiguration(deviceId: string): void {
    const configuration = this.#configurations.get(deviceId);
    if (configuration !== undefined) this.#broker?.sendConfiguration(deviceId, configuration);
  }

  #handler(): LinkHandler {
    return {
      authenticate: async (deviceId, secret) =>
        secret === this.secret ? { deviceId, deviceNo: 1, profile: profileOf(deviceId) } : null,
      received: async (_device, message) => {
        await this.accepts();
        this.received.push(message);
        this.#arrived.resolve();
        this.#arrived = Promise.withResolvers();
        return 'used';
      },
      rejected: async (_device, { reason }) => {
        throw new Error(reason);
      },
      connected: () => undefined,
      disconnected: () => undefined,
      reachable: () => undefined,
      unreachable: () => undefined,
      observed: () => undefined,
      awaitsConfiguration: ({ deviceId }) => this.#sendConfiguration(deviceId),
      isHolding: false,
    };
  }
}

const profileOf = (deviceId: string) => (deviceId.startsWith('silo') ? 'silo_scale' : 'rover');

export async function startBroker(t: TestContext): Promise<RecordingBroker> {
  const broker = new RecordingBroker();
  await broker.start();
  t.after(() => broker.stop());
  return broker;
}
