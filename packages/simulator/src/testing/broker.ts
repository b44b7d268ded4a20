import type { TestContext } from 'node:test';
import { EmbeddedBroker } from '@granary/link/broker';
import type { LinkHandler, UplinkMessage } from '@granary/link/port';

/** The real broker, with a service behind it that only remembers. */
export class RecordingBroker {
  readonly heard: UplinkMessage[] = [];
  secret = 'right';
  /** Rejecting means that nothing is acknowledged and the connection is closed. */
  takes: () => Promise<void> = async () => undefined;
  #broker: EmbeddedBroker | undefined;
  #port = 0;
  #arrived = Promise.withResolvers<void>();

  get url(): string {
    return `mqtt://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    this.#broker = new EmbeddedBroker({ host: '127.0.0.1', port: this.#port }, this.#handler());
    this.#port = (await this.#broker.start()).port;
  }

  async stop(): Promise<void> {
    await this.#broker?.stop();
  }

  async command(deviceId: string, command: object): Promise<void> {
    await this.#broker?.publish(deviceId, 'command', command);
  }

  async configure(deviceId: string, configuration: object): Promise<void> {
    await this.#broker?.publish(deviceId, 'config', { version: 1, ...configuration });
  }

  /** Waits until something heard fits. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await this.#arrived.promise;
  }

  #handler(): LinkHandler {
    return {
      authenticate: async (deviceId, secret) =>
        secret === this.secret ? { deviceId, deviceNo: 1, kind: kindOf(deviceId) } : null,
      received: async (_device, message) => {
        await this.takes();
        this.heard.push(message);
        this.#arrived.resolve();
        this.#arrived = Promise.withResolvers();
      },
      rejected: async (_device, { reason }) => {
        throw new Error(reason);
      },
      connected: () => undefined,
      disconnected: () => undefined,
    };
  }
}

const kindOf = (deviceId: string) => (deviceId.startsWith('silo') ? 'silo' : 'field');

export async function startBroker(t: TestContext): Promise<RecordingBroker> {
  const broker = new RecordingBroker();
  await broker.start();
  t.after(() => broker.stop());
  return broker;
}
