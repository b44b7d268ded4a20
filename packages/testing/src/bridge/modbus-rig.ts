import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type {
  AttachedDevice,
  DeviceHealth,
  Driver,
  DriverParts,
  ReadFailure,
  Sample,
} from '@granary/bridge/drivers/driver';
import { modbus } from '@granary/bridge/drivers/modbus/modbus';
import { type Answerer, modbusServer } from '@granary/bridge/drivers/modbus/server';
import type { Mapping } from '@granary/bridge/mapping/mapping';
import { readMapping } from '@granary/bridge/mapping/read-mapping';

/** Reads a mapping of Modbus with these points; throws with its faults. */
export function mappingOf(points: string, defaults = '{timeout: 300ms}'): Mapping {
  const outcome = readMapping(
    `mapping: tested\nversion: 1\ntitle: A tested device\nsource: the test\nevidence: documented\nprotocol: modbus\ndefaults: ${defaults}\npoints:\n${points}\n`,
  );
  if ('faults' in outcome) throw new Error(JSON.stringify(outcome.faults));
  return outcome.mapping;
}

export const QUIET_PARTS = { now: Date.now, log: () => undefined } as unknown as DriverParts;

/** The reports of a driver. */
export class Polling {
  readonly samples: Sample[] = [];
  readonly failures: (ReadFailure & { readonly deviceId: string })[] = [];
  readonly #driver: Driver;
  #changed = Promise.withResolvers<void>();

  constructor(t: TestContext, devices: readonly AttachedDevice[]) {
    this.#driver = modbus.makeDriver(
      devices,
      {
        sample: (sample) => {
          this.samples.push(sample);
          this.#wake();
        },
        failed: (deviceId, failure) => {
          this.failures.push({ ...failure, deviceId });
          this.#wake();
        },
      },
      QUIET_PARTS,
    );
    t.after(() => this.#driver.stop());
  }

  async start(): Promise<void> {
    await this.#driver.start();
  }

  async stop(): Promise<void> {
    await this.#driver.stop();
  }

  health(): readonly DeviceHealth[] {
    return this.#driver.health();
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await this.#changed.promise;
  }

  /** The next sample after this call. */
  async nextSample(): Promise<Sample> {
    const { length } = this.samples;
    await this.until(() => this.samples.length > length);
    return this.samples[length] as Sample;
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** A Modbus TCP device whose connections a test can cut in every way. */
export class TestDevice {
  answer: Answerer;
  readonly sockets = new Set<Socket>();
  readonly #forgotten = new Set<Socket>();
  readonly #server: Server;
  port = 0;

  constructor(answer: Answerer = (_, { count }) => Buffer.alloc(2 * count)) {
    this.answer = answer;
    this.#server = modbusServer(
      (unit, request) => this.answer(unit, request),
      (socket) => {
        this.sockets.add(socket);
        socket.on('close', () => this.sockets.delete(socket));
      },
    );
  }

  async start(t: TestContext): Promise<void> {
    await this.listen();
    t.after(() => this.away());
  }

  async listen(): Promise<void> {
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
  }

  reset(): void {
    for (const socket of [...this.sockets, ...this.#forgotten]) socket.resetAndDestroy();
  }

  /** The connections stay open, but nothing is read from them any more. */
  forget(): void {
    for (const socket of this.sockets) {
      socket.removeAllListeners('data').pause();
      this.#forgotten.add(socket);
    }
    this.sockets.clear();
  }

  /** The device stops listening, and all connections are cut. */
  async away(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.reset();
    await closed;
  }

  get endpoint(): string {
    return `tcp://127.0.0.1:${this.port}`;
  }
}
