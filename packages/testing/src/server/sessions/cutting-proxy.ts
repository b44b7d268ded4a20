import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

const PUBACK = 4;
const DISCONNECT = 14;
/** When to cut: at once, or just before or just after the next PUBACK that the device or the service sends. */
export const CUT_MOMENTS = [
  'now',
  'before the PUBACK of the device',
  'after the PUBACK of the device',
  'before the PUBACK of the service',
  'after the PUBACK of the service',
] as const;
/** The longest time to wait for the chosen PUBACK. */
const ARMED_MS_MAX = 1_500;
const KILL_SEEN_MS = 100;

interface Frame {
  /** The packet type of MQTT 3.1.1. */
  readonly type: number;
  readonly bytes: Buffer;
}

/** Cuts a stream of bytes into MQTT packets without looking into them. */
class FrameSplitter {
  #pending = Buffer.alloc(0);

  push(chunk: Buffer): Frame[] {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    const frames: Frame[] = [];
    for (;;) {
      const length = frameLength(this.#pending);
      if (length === null || length > this.#pending.length) return frames;
      const bytes = this.#pending.subarray(0, length);
      frames.push({ type: (bytes[0] ?? 0) >> 4, bytes });
      this.#pending = this.#pending.subarray(length);
    }
  }
}

/** `null` while the length itself has not arrived. */
function frameLength(bytes: Buffer): number | null {
  let remaining = 0;
  for (let position = 1; position < 5; position++) {
    const byte = bytes[position];
    if (byte === undefined) return null;
    remaining += (byte & 0x7f) * 128 ** (position - 1);
    if ((byte & 0x80) === 0) return 1 + position + remaining;
  }
  throw new Error('not MQTT');
}

export type CutMoment = (typeof CUT_MOMENTS)[number];

interface Pair {
  readonly device: Socket;
  readonly service: Socket;
  readonly generation: number | null;
  /** True when the proxy or the device has ended the connection. */
  isExpectedToEnd: boolean;
}

interface Cut {
  readonly moment: CutMoment;
  /** The device cannot connect again during this time. */
  readonly absentMs: number;
  /** True when the service does not notice: its connection stays open until the device connects again. */
  readonly isSilent: boolean;
}

interface ProxyParts {
  readonly servicePort: () => number;
  /** A number that differs after each restart of the service; `null` while it is down. */
  readonly generation: () => number | null;
}

/** A proxy between one device and the service that cuts the connection at chosen moments. */
export class CuttingProxy {
  cuts = 0;
  /** The number of connections that the service closed without a reason. */
  unexpectedDisconnects = 0;
  readonly #parts: ProxyParts;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #closedUntilMs = 0;
  #armed: { readonly moment: CutMoment; readonly cut: () => void } | null = null;

  constructor(parts: ProxyParts) {
    this.#parts = parts;
    this.#server = createServer({ noDelay: true }, (device) => this.#accept(device));
  }

  async start(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return address.port;
  }

  stop(): void {
    this.#server.close();
    for (const pair of this.#pairs) {
      pair.isExpectedToEnd = true;
      pair.device.destroy();
      pair.service.destroy();
    }
  }

  /** Resolves when the connection has been cut. */
  async cut({ moment, absentMs, isSilent }: Cut): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => this.#armed?.cut(), moment === 'now' ? 0 : ARMED_MS_MAX);
      this.#armed = {
        moment,
        cut: () => {
          clearTimeout(timer);
          this.#armed = null;
          this.#closedUntilMs = Date.now() + absentMs;
          this.cuts++;
          this.#cutAll(isSilent);
          resolve();
        },
      };
    });
  }

  #cutAll(isSilent: boolean): void {
    for (const pair of this.#pairs) {
      pair.isExpectedToEnd = true;
      pair.device.destroy();
      // The bytes that were forwarded must arrive; otherwise a cut after a PUBACK would be a cut before it.
      if (!isSilent) pair.service.end();
    }
  }

  #accept(device: Socket): void {
    device.on('error', () => undefined);
    if (Date.now() < this.#closedUntilMs) {
      device.destroy();
      return;
    }
    const service = connect({ host: '127.0.0.1', port: this.#parts.servicePort(), noDelay: true });
    const generation = this.#parts.generation();
    const pair: Pair = { device, service, generation, isExpectedToEnd: false };
    this.#pairs.add(pair);
    service.on('error', () => undefined);
    this.#forward(device, service, 'device', pair);
    this.#forward(service, device, 'service', pair);
    device.on('close', () => {
      if (pair.isExpectedToEnd) return;
      pair.isExpectedToEnd = true;
      service.end();
    });
    service.on('close', () => {
      this.#pairs.delete(pair);
      // It is known only a moment after its connections end that a service was killed.
      setTimeout(() => {
        const isSameService = pair.generation !== null && pair.generation === this.#parts.generation();
        if (!pair.isExpectedToEnd && isSameService) this.unexpectedDisconnects++;
        pair.isExpectedToEnd = true;
        device.destroy();
      }, KILL_SEEN_MS);
    });
  }

  #forward(from: Socket, to: Socket, side: 'device' | 'service', pair: Pair): void {
    const splitter = new FrameSplitter();
    from.on('data', (chunk: Buffer) => {
      for (const { type, bytes } of splitter.push(chunk)) {
        if (from.destroyed || to.destroyed) return;
        // The service then closes the connection itself.
        if (side === 'device' && type === DISCONNECT) pair.isExpectedToEnd = true;
        const armed = type === PUBACK ? this.#armed : null;
        if (armed?.moment === `before the PUBACK of the ${side}`) {
          armed.cut();
          return;
        }
        to.write(bytes);
        if (armed?.moment === `after the PUBACK of the ${side}`) {
          armed.cut();
          return;
        }
      }
    });
  }
}
