import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { topicOf } from '@granary/contract/link/messages';
import { hostilePayloads } from '@granary/server/testing/hostile-payloads';
import { generate } from 'mqtt-packet';
import { type MqttLoad, openConnection } from './mqtt-load.ts';

export interface HostileResult {
  readonly messages: number;
  readonly bytes: number;
  readonly connections: number;
}

const RECONNECT_MS = 20;
const DRAIN_CHECK_MS = 5;
const ROUNDS_PREPARED = 5;

/** One device that sends all payloads as fast as the service reads, and reconnects whenever it is disconnected. */
export async function runHostileLoad(load: MqttLoad, early: AbortSignal): Promise<HostileResult> {
  const [device] = load.devices;
  if (device === undefined) throw new Error('no device');
  const packets = endlessly(preparePackets(device.username));
  const result = { messages: 0, bytes: 0, connections: 0 };
  const untilMs = performance.now() + load.durationMs;
  const isOver = (): boolean => early.aborted || performance.now() >= untilMs;
  while (!isOver()) {
    try {
      const socket = await openConnection(load, device);
      result.connections++;
      await flood(socket, packets, isOver, result);
      socket.destroy();
    } catch {
      // The login was refused because of earlier faults, or because the service is busy.
    }
    await sleep(RECONNECT_MS);
  }
  return result;
}

/** Prepared before the measurement, so that the generator uses little processor time during it. */
function preparePackets(deviceId: string): Buffer[] {
  const nowMs = Date.now();
  const payloads = Array.from({ length: ROUNDS_PREPARED }, (_, round) =>
    hostilePayloads(nowMs, round),
  ).flat();
  const topic = topicOf(deviceId, 'telemetry');
  return payloads.map((payload, index) =>
    generate({ cmd: 'publish', qos: 1, retain: false, dup: false, messageId: index + 1, topic, payload }),
  );
}

async function flood(
  socket: Socket,
  packets: Iterator<Buffer, never>,
  isOver: () => boolean,
  result: { messages: number; bytes: number },
): Promise<void> {
  let isClosed = false;
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isClosed = true;
  });
  socket.resume();
  while (!isClosed && !isOver()) {
    const packet = packets.next().value;
    result.messages++;
    result.bytes += packet.length;
    socket.write(packet);
    while (socket.writableNeedDrain && !isClosed && !isOver()) await sleep(DRAIN_CHECK_MS);
  }
}

function* endlessly(packets: readonly Buffer[]): Generator<Buffer, never> {
  for (;;) yield* packets;
}
