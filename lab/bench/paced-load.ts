import { topicOf } from '@granary/contract/link/messages';
import { generate } from 'mqtt-packet';
import { type MqttLoad, openConnection } from './mqtt-load.ts';

/** Devices that measure at a steady rate, whether or not the service keeps up. */
export interface PacedLoad extends Omit<MqttLoad, 'intervalMs' | 'values'> {
  /** Of all devices together. */
  readonly perSecond: number;
  /** How often the devices look whether a reading is due; what is due at the same time arrives together. */
  readonly tickMs?: number;
}

export interface PacedResult {
  readonly acknowledged: number;
  /** Readings that a device could not send in time, because its window was full. */
  readonly notSent: number;
  /** From the end of the load to the last acknowledgement. */
  readonly lastAckMs: number;
}

const PUBACK_BYTES = 4;
const PACKET_ID_MAX = 65_535;
const TICK_MS = 10;

/** A device with a full window drops the reading, as one with a small memory does. */
export async function runPacedLoad(load: PacedLoad): Promise<PacedResult> {
  const sockets = await Promise.all(load.devices.map((device) => openConnection(load, device)));
  const startedMs = performance.now();
  const perDevice = load.perSecond / load.devices.length / 1_000;
  let acknowledged = 0;
  let inFlight = 0;
  let notSent = 0;
  let lastAckAtMs = startedMs;
  let fault: Error | null = null;
  const devices = sockets.map((socket, index) => {
    const topic = topicOf(load.devices[index]?.username ?? '', 'telemetry');
    // Devices do not measure at the same moment.
    const head = index / sockets.length;
    let spare = 0;
    let own = 0;
    let taken = 0;
    let lastTsMs = 0;
    socket.on('error', (error) => {
      fault ??= error;
    });
    socket.on('close', () => {
      fault ??= new Error('the service closed a connection');
    });
    socket.on('data', (chunk) => {
      spare += chunk.length;
      const count = Math.floor(spare / PUBACK_BYTES);
      spare -= count * PUBACK_BYTES;
      own -= count;
      inFlight -= count;
      acknowledged += count;
      lastAckAtMs = performance.now();
    });
    return (elapsedMs: number): void => {
      const due = Math.floor(elapsedMs * perDevice + head);
      socket.cork();
      for (; taken < due; taken++) {
        if (own >= load.window) {
          notSent++;
          continue;
        }
        own++;
        inFlight++;
        lastTsMs = Math.max(lastTsMs + 1, Date.now());
        const payload = `{"ts":${lastTsMs},"weight":12345.678,"temperature":18.25,"humidity":55.5}`;
        const packet = { cmd: 'publish', qos: 1, retain: false, dup: false } as const;
        socket.write(generate({ ...packet, topic, messageId: (taken % PACKET_ID_MAX) + 1, payload }));
      }
      socket.uncork();
    };
  });
  const wait = () => new Promise((resolve) => setTimeout(resolve, load.tickMs ?? TICK_MS));
  for (let nowMs = startedMs; nowMs < startedMs + load.durationMs; nowMs = performance.now()) {
    for (const measure of devices) measure(nowMs - startedMs);
    if (fault !== null) throw fault;
    await wait();
  }
  const endedMs = performance.now();
  while (inFlight > 0) {
    if (fault !== null) throw fault;
    await wait();
  }
  for (const socket of sockets) socket.removeAllListeners('close').destroy();
  return { acknowledged, notSent, lastAckMs: Math.max(0, lastAckAtMs - endedMs) };
}
