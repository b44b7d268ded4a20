import type { Socket } from 'node:net';
import { topicOf } from '@granary/contract/link/messages';
import { generate } from 'mqtt-packet';
import { type MqttLoad, openConnection } from './mqtt-load.ts';

export interface AckLatencyResult {
  readonly acknowledged: number;
  /** The times from writing a message to its acknowledgement, of all devices. */
  readonly latenciesMs: readonly number[];
  readonly unacknowledged: number;
  readonly disconnects: number;
}

const PUBACK_BYTES = 4;
const PACKET_ID_MAX = 65_535;
/** How long to wait at the end for outstanding acknowledgements. */
const LAST_ACK_MS_MAX = 10_000;

/** Devices report at a steady rate; measures how long each report waits for its acknowledgement. */
export async function runAckLatencyLoad(load: MqttLoad): Promise<AckLatencyResult> {
  const devices = await Promise.all(
    load.devices.map(async (device) => new Reporter(await openConnection(load, device), device.username)),
  );
  for (const device of devices) device.start(load.intervalMs);
  await new Promise((resolve) => setTimeout(resolve, load.durationMs));
  for (const device of devices) device.end();
  const untilMs = performance.now() + LAST_ACK_MS_MAX;
  while (devices.some(({ waiting }) => waiting > 0) && performance.now() < untilMs) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const latenciesMs = devices.flatMap((device) => device.latenciesMs);
  for (const device of devices) device.leave();
  return {
    acknowledged: latenciesMs.length,
    latenciesMs,
    unacknowledged: devices.reduce((sum, { waiting }) => sum + waiting, 0),
    disconnects: devices.filter(({ isCutOff }) => isCutOff).length,
  };
}

class Reporter {
  readonly latenciesMs: number[] = [];
  isCutOff = false;
  readonly #socket: Socket;
  readonly #topic: string;
  readonly #sentAtMs = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;
  #pending = Buffer.alloc(0);
  #packetId = 0;
  #lastTsMs = 0;
  #isLeaving = false;

  constructor(socket: Socket, deviceId: string) {
    this.#socket = socket;
    this.#topic = topicOf(deviceId, 'telemetry');
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isCutOff ||= !this.#isLeaving;
    });
    socket.on('data', (chunk) => this.#receive(chunk));
  }

  get waiting(): number {
    return this.#sentAtMs.size;
  }

  /** Spread over the interval, because real devices do not report at the same moment. */
  start(intervalMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = setInterval(() => this.#send(), intervalMs);
    }, Math.random() * intervalMs);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  leave(): void {
    this.#isLeaving = true;
    this.#socket.destroy();
  }

  #send(): void {
    this.#packetId = (this.#packetId % PACKET_ID_MAX) + 1;
    this.#lastTsMs = Math.max(this.#lastTsMs + 1, Date.now());
    const payload = JSON.stringify({ ts: this.#lastTsMs, weight: 12_345.678, temperature: 18.25 });
    const packet = { cmd: 'publish', qos: 1, retain: false, dup: false } as const;
    this.#sentAtMs.set(this.#packetId, performance.now());
    this.#socket.write(generate({ ...packet, topic: this.#topic, messageId: this.#packetId, payload }));
  }

  #receive(chunk: string | Buffer): void {
    this.#pending = Buffer.concat([this.#pending, Buffer.from(chunk)]);
    for (; this.#pending.length >= PUBACK_BYTES; this.#pending = this.#pending.subarray(PUBACK_BYTES)) {
      const packetId = this.#pending.readUInt16BE(2);
      const sentAtMs = this.#sentAtMs.get(packetId);
      if (sentAtMs === undefined) throw new Error(`an acknowledgement of ${packetId}, which was not sent`);
      this.#sentAtMs.delete(packetId);
      this.latenciesMs.push(performance.now() - sentAtMs);
    }
  }
}
