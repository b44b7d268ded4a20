import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { topicOf } from '@granary/contract/link/messages';
import { hostilePayloads } from '@granary/testing/server/hostile-payloads';
import { generate } from 'mqtt-packet';
import { type MqttLoad, openConnection } from './mqtt-load.ts';

const PUBACK_BYTES = 4;
const PACKET_ID_MAX = 65_535;
/** How long to wait at the end for outstanding acknowledgements. */
const LAST_ACK_MS_MAX = 10_000;
const RECONNECT_MS = 20;
const DRAIN_CHECK_MS = 5;
const ROUNDS_PREPARED = 5;

export type ReportLoad = Omit<MqttLoad, 'window' | 'values'>;

export interface ReportResult {
  /** The times from writing a message to its acknowledgement, for all devices. */
  readonly latenciesMs: readonly number[];
  readonly unacknowledged: number;
  readonly disconnects: number;
}

/** Devices report at a steady rate; measures how long each report waits for its acknowledgement. */
export async function runReportLoad(load: ReportLoad): Promise<ReportResult> {
  const devices = await Promise.all(
    load.devices.map(async (device) => new Reporter(await openConnection(load, device), device.username)),
  );
  for (const device of devices) device.start(load.intervalMs);
  await sleep(load.durationMs);
  for (const device of devices) device.end();
  const untilMs = performance.now() + LAST_ACK_MS_MAX;
  while (devices.some(({ waiting }) => waiting > 0) && performance.now() < untilMs) await sleep(10);
  const disconnects = devices.filter(({ isCutOff }) => isCutOff).length;
  for (const device of devices) device.leave();
  return {
    latenciesMs: devices.flatMap((device) => device.latenciesMs),
    unacknowledged: devices.reduce((sum, { waiting }) => sum + waiting, 0),
    disconnects,
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

  constructor(socket: Socket, deviceId: string) {
    this.#socket = socket;
    this.#topic = topicOf(deviceId, 'telemetry');
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isCutOff = true;
    });
    socket.on('data', (chunk) => this.#receive(chunk));
  }

  get waiting(): number {
    return this.#sentAtMs.size;
  }

  /** Starts the devices spread over the interval, because real devices do not report at the same moment. */
  start(intervalMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = setInterval(() => this.#send(), intervalMs);
    }, Math.random() * intervalMs);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  leave(): void {
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

export interface NonsenseResult {
  readonly bytes: number;
}

/** One device that sends hostile payloads as fast as the service reads, and reconnects whenever it is disconnected. */
export async function runNonsenseLoad(load: ReportLoad, early: AbortSignal): Promise<NonsenseResult> {
  const [device] = load.devices;
  if (device === undefined) throw new Error('no device');
  const packets = preparePackets(device.username);
  const untilMs = performance.now() + load.durationMs;
  const isOver = (): boolean => early.aborted || performance.now() >= untilMs;
  let sent = 0;
  let bytes = 0;
  while (!isOver()) {
    // A login may be refused because of earlier faults, or because the service is busy.
    const socket = await openConnection(load, device).catch(() => null);
    if (socket !== null) {
      socket.on('error', () => undefined).resume();
      while (!socket.destroyed && !isOver()) {
        const packet = packets[sent++ % packets.length] ?? Buffer.alloc(0);
        bytes += packet.length;
        socket.write(packet);
        while (socket.writableNeedDrain && !socket.destroyed && !isOver()) await sleep(DRAIN_CHECK_MS);
      }
      socket.destroy();
    }
    await sleep(RECONNECT_MS);
  }
  return { bytes };
}

/** The packets are prepared before the measurement, so that the generator uses little processor time during it. */
function preparePackets(deviceId: string): Buffer[] {
  const nowMs = Date.now();
  const topic = topicOf(deviceId, 'telemetry');
  const packet = { cmd: 'publish', qos: 1, retain: false, dup: false } as const;
  return Array.from({ length: ROUNDS_PREPARED }, (_, round) => hostilePayloads(nowMs, round))
    .flat()
    .map((payload, index) => generate({ ...packet, messageId: index + 1, topic, payload }));
}
