import assert from 'node:assert/strict';
import { test } from 'node:test';
import packets from 'mqtt-packet';
import { InboundGate } from './inbound-gate.ts';
import { IN_FLIGHT_BYTES_MAX } from './limits.ts';

const CONNECT = packets.generate({ cmd: 'connect', clientId: 'silo-1' });
const PING = packets.generate({ cmd: 'pingreq' });
const DISCONNECT = packets.generate({ cmd: 'disconnect' });

/** A gate before a socket that has received these chunks. */
function gateBefore(...chunks: Buffer[]) {
  const refusals: string[] = [];
  const socket = { read: (size?: number): Buffer | null => (size === 0 ? null : (chunks.shift() ?? null)) };
  const gate = new InboundGate(socket, (reason) => refusals.push(reason));
  gate.install();
  return { gate, socket, refusals };
}

test('before the device is known, nothing but its CONNECT is read', () => {
  const { gate, socket } = gateBefore(
    CONNECT.subarray(0, 5),
    Buffer.concat([CONNECT.subarray(5), PING]),
    PING,
  );
  assert.deepEqual(socket.read(), CONNECT.subarray(0, 5));
  assert.deepEqual(socket.read(), CONNECT.subarray(5));
  assert.equal(socket.read(), null);
  gate.open();
  assert.deepEqual(socket.read(), PING);
  assert.deepEqual(socket.read(), PING);
  assert.equal(socket.read(), null);
});

test('while too much is in flight, nothing is read, and nothing is lost', () => {
  const { gate, socket } = gateBefore(CONNECT, PING);
  socket.read();
  gate.open();
  gate.messageEntered(IN_FLIGHT_BYTES_MAX);
  assert.equal(socket.read(), null);
  gate.messageLeft(1);
  assert.deepEqual(socket.read(), PING);
});

test('the stream’s own probing is let through untouched', () => {
  const { socket } = gateBefore(CONNECT);
  assert.equal(socket.read(0), null);
  assert.deepEqual(socket.read(), CONNECT);
});

test('what the scanner refuses is never handed out', () => {
  const { socket, refusals } = gateBefore(PING);
  assert.equal(socket.read(), null);
  assert.deepEqual(refusals, ['connection does not begin with CONNECT']);
});

test('a goodbye is seen once it is complete', () => {
  const { gate, socket } = gateBefore(CONNECT, PING, DISCONNECT.subarray(0, 1), DISCONNECT.subarray(1));
  socket.read();
  gate.open();
  const seen = [1, 2, 3].map(() => socket.read() !== null && gate.endsWithDisconnect);
  assert.deepEqual(seen, [false, false, true]);
});
