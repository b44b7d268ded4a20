import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import packets from 'mqtt-packet';
import { CONTROL_BYTES_MAX, PUBLISH_BYTES_MAX } from '../limits.ts';
import { FrameReader } from './frame-reader.ts';
import { ProtocolFault } from './packet-types.ts';

const CONNECT = packets.generate({ cmd: 'connect', clientId: 'silo-1' });
const publishOf = (bytes: number): Buffer =>
  packets.generate({
    cmd: 'publish',
    topic: 't',
    payload: Buffer.alloc(bytes),
    qos: 0,
    dup: false,
    retain: false,
  });

function frameTypesOf(chunks: readonly Buffer[]): number[] {
  const reader = new FrameReader();
  const types: number[] = [];
  for (const chunk of chunks) {
    reader.push(chunk);
    for (let frame = reader.next(); frame !== null; frame = reader.next()) types.push(frame.type);
  }
  return types;
}

test('the same packets are seen however the network cuts them', () => {
  const payloadBytes = fc.array(fc.oneof(fc.nat(200), fc.nat(20_000)), { maxLength: 5 });
  fc.assert(
    fc.property(payloadBytes, fc.array(fc.nat()), (sizes, cuts) => {
      const stream = Buffer.concat([
        CONNECT,
        ...sizes.map(publishOf),
        packets.generate({ cmd: 'disconnect' }),
      ]);
      const offsets = cuts.map((cut) => cut % stream.length).sort((a, b) => a - b);
      const chunks = [0, ...offsets].map((from, index) =>
        stream.subarray(from, offsets[index] ?? stream.length),
      );
      assert.deepEqual(frameTypesOf(chunks), [1, ...sizes.map(() => 3), 14]);
    }),
  );
});

test('a stream that does not begin with CONNECT is refused by its first byte', () => {
  for (let first = 0; first < 256; first++) {
    const scan = () => frameTypesOf([Buffer.of(first)]);
    if (first >> 4 === 1) assert.deepEqual(scan(), []);
    else assert.throws(scan, ProtocolFault);
  }
});

const lengthBytes = (length: number): number[] =>
  length < 128 ? [length] : [(length % 128) | 128, ...lengthBytes(Math.floor(length / 128))];

test('an oversized packet is refused by its header alone', () => {
  const afterConnect = (type: number, length: number) =>
    frameTypesOf([CONNECT, Buffer.of(type << 4, ...lengthBytes(length))]);
  afterConnect(3, PUBLISH_BYTES_MAX);
  assert.throws(() => afterConnect(3, PUBLISH_BYTES_MAX + 1), ProtocolFault);
  afterConnect(8, CONTROL_BYTES_MAX);
  assert.throws(() => afterConnect(8, CONTROL_BYTES_MAX + 1), ProtocolFault);
  assert.throws(() => frameTypesOf([Buffer.of(0x10, ...lengthBytes(CONTROL_BYTES_MAX + 1))]), ProtocolFault);
});

test('a length that never ends is refused', () => {
  assert.throws(() => frameTypesOf([Buffer.of(0x10, 0x80, 0x80, 0x80, 0x80)]), ProtocolFault);
});
