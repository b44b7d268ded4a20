import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import packets from 'mqtt-packet';
import { FrameRefused, FrameScanner } from './frame-scanner.ts';
import { CONTROL_BYTES_MAX, PUBLISH_BYTES_MAX } from './limits.ts';

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
  const scanner = new FrameScanner();
  const types: number[] = [];
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      at = scanner.advance(chunk, at);
      if (scanner.betweenFrames) types.push(scanner.type);
    }
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
    const scan = () => new FrameScanner().advance(Buffer.of(first), 0);
    if (first >> 4 === 1) assert.equal(scan(), 1);
    else assert.throws(scan, FrameRefused);
  }
});

const lengthBytes = (length: number): number[] =>
  length < 128 ? [length] : [(length % 128) | 128, ...lengthBytes(Math.floor(length / 128))];

test('an oversized packet is refused by its header alone', () => {
  const afterConnect = (type: number, length: number) =>
    frameTypesOf([CONNECT, Buffer.of(type << 4, ...lengthBytes(length))]);
  afterConnect(3, PUBLISH_BYTES_MAX);
  assert.throws(() => afterConnect(3, PUBLISH_BYTES_MAX + 1), FrameRefused);
  afterConnect(8, CONTROL_BYTES_MAX);
  assert.throws(() => afterConnect(8, CONTROL_BYTES_MAX + 1), FrameRefused);
  assert.throws(() => frameTypesOf([Buffer.of(0x10, ...lengthBytes(CONTROL_BYTES_MAX + 1))]), FrameRefused);
});

test('a length that never ends is refused', () => {
  assert.throws(() => frameTypesOf([Buffer.of(0x10, 0x80, 0x80, 0x80, 0x80)]), FrameRefused);
});
