/**
 * Many devices publishing QoS 1 telemetry as fast as they are acknowledged, light enough not to be the limit: every
 * packet is encoded beforehand and acknowledgements are counted, not parsed. Device ids are `bench-0`, `bench-1`, ….
 */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { topicOf } from '@granary/contract/link';
import packets from 'mqtt-packet';

const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    secret: { type: 'string', default: 'secret' },
    connections: { type: 'string', default: '200' },
    window: { type: 'string', default: '2' },
    warmupMs: { type: 'string', default: '500' },
    measureMs: { type: 'string', default: '2000' },
  },
});
const windowLength = Number(values.window);
const CONNACK_BYTES = 4;
const PUBACK_BYTES = 4;
let acknowledged = 0;

function batchOf(deviceId: string): Buffer {
  const payload = JSON.stringify({ ts: Date.now(), weight: 12_345.678, temperature: 18.25, humidity: 61.5 });
  const messages = Array.from({ length: windowLength }, (_, index) =>
    packets.generate({
      cmd: 'publish',
      topic: topicOf(deviceId, 'telemetry'),
      payload,
      qos: 1,
      messageId: index + 1,
      dup: false,
      retain: false,
    }),
  );
  return Buffer.concat(messages);
}

function startDevice(deviceId: string): Promise<void> {
  const batch = batchOf(deviceId);
  const socket = connect({ port: Number(values.port), host: '127.0.0.1', noDelay: true });
  let awaitedBytes = CONNACK_BYTES;
  socket.write(
    packets.generate({
      cmd: 'connect',
      clientId: deviceId,
      username: deviceId,
      password: Buffer.from(values.secret),
    }),
  );
  socket.once('close', () => {
    throw new Error(`${deviceId} was disconnected`);
  });
  return new Promise((resolve) => {
    socket.on('data', (chunk) => {
      acknowledged += chunk.length / PUBACK_BYTES;
      awaitedBytes -= chunk.length;
      if (awaitedBytes > 0) return;
      resolve();
      awaitedBytes = windowLength * PUBACK_BYTES;
      socket.write(batch);
    });
  });
}

await Promise.all(
  Array.from({ length: Number(values.connections) }, (_, index) => startDevice(`bench-${index}`)),
);
await sleep(Number(values.warmupMs));
const countBefore = acknowledged;
const startedMs = performance.now();
await sleep(Number(values.measureMs));
const messagesPerSecond = (acknowledged - countBefore) / ((performance.now() - startedMs) / 1_000);
process.stdout.write(JSON.stringify({ messagesPerSecond, messages: acknowledged }), () => process.exit());
