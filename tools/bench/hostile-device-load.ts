import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { topicOf } from '@granary/contract/link';
import { hostilePayloads } from '@granary/server/testing/hostile-payloads';
import { generate } from 'mqtt-packet';
import { type MqttLoad, openConnection } from './mqtt-load.ts';

export interface HostileResult {
  readonly messages: number;
  readonly bytes: number;
  readonly connections: number;
}

const RECONNECT_MS = 20;
const PACKET_ID_MAX = 65_535;

/** One device that sends all of it as fast as the service reads, and comes back as often as it is thrown out. */
export async function runHostileLoad(load: MqttLoad, early: AbortSignal): Promise<HostileResult> {
  const [device] = load.devices;
  if (device === undefined) throw new Error('no device');
  const result = { messages: 0, bytes: 0, connections: 0 };
  const untilMs = performance.now() + load.durationMs;
  const isOver = (): boolean => early.aborted || performance.now() >= untilMs;
  while (!isOver()) {
    try {
      const socket = await openConnection(load, device);
      result.connections++;
      await flood(socket, device.username, isOver, result);
      socket.destroy();
    } catch {
      // Refused: it has been here too often, or the service is busy.
    }
    await sleep(RECONNECT_MS);
  }
  return result;
}

async function flood(
  socket: Socket,
  deviceId: string,
  isOver: () => boolean,
  result: { messages: number; bytes: number },
): Promise<void> {
  const startedMs = Date.now();
  let round = 0;
  let isClosed = false;
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isClosed = true;
  });
  socket.resume();
  for (let messageId = 1; ; messageId = (messageId % PACKET_ID_MAX) + 1) {
    for (const payload of hostilePayloads(startedMs, round++)) {
      if (isClosed || isOver()) return;
      const packet = { cmd: 'publish', qos: 1, retain: false, dup: false, messageId } as const;
      const isRoom = socket.write(generate({ ...packet, topic: topicOf(deviceId, 'telemetry'), payload }));
      result.messages++;
      result.bytes += payload.length;
      if (!isRoom) await drained(socket);
    }
  }
}

const drained = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.once('drain', resolve);
    socket.once('close', () => resolve());
  });
