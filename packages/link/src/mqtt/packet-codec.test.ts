import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import packets, { type Packet } from 'mqtt-packet';
import { type Frame, FrameReader } from './frame-reader.ts';
import {
  decodeConnect,
  decodePublish,
  decodeSubscribe,
  decodeUnsubscribe,
  RecentTopic,
} from './packet-decoder.ts';
import { connack, pubcomp, publish, suback, unsuback } from './packet-encoder.ts';
import { ProtocolFault } from './packet-types.ts';

const text = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 200 })
  .filter((value) => !value.includes('\0'));
const qos = fc.constantFrom(0 as const, 1 as const, 2 as const);
const packetId = fc.integer({ min: 1, max: 65_535 });
const CONNECT = packets.generate({ cmd: 'connect', clientId: 'silo-1' });

/** The packet that follows a CONNECT, split into two chunks. */
function frameOf(bytes: Buffer, cut: number) {
  const reader = new FrameReader();
  const stream = Buffer.concat([CONNECT, bytes]);
  const at = cut % stream.length;
  let last: Frame | null = null;
  for (const chunk of [stream.subarray(0, at), stream.subarray(at)]) {
    reader.push(chunk);
    for (let frame = reader.next(); frame !== null; frame = reader.next()) last = frame;
  }
  assert.ok(last !== null);
  return last;
}

function parsed(bytes: Buffer): Packet {
  const parser = packets.parser();
  const seen: Packet[] = [];
  parser.on('packet', (packet) => seen.push(packet));
  parser.on('error', (error) => assert.fail(error));
  parser.parse(bytes);
  const [only, ...more] = seen;
  assert.ok(only !== undefined && more.length === 0);
  return only;
}

test('packets written by mqtt-packet are decoded correctly', () => {
  fc.assert(
    fc.property(
      fc.record({
        topic: text,
        payload: fc.uint8Array({ maxLength: 500 }),
        qos,
        messageId: packetId,
        dup: fc.boolean(),
        cut: fc.nat(),
      }),
      ({ cut, ...message }) => {
        const packet = {
          ...message,
          dup: message.dup && message.qos > 0,
          payload: Buffer.from(message.payload),
        };
        const bytes = packets.generate({ cmd: 'publish', retain: false, ...packet });
        const read = decodePublish(frameOf(bytes, cut));
        assert.deepEqual(
          { ...read, payload: Buffer.from(read.payload) },
          {
            topic: packet.topic,
            qos: packet.qos,
            isDuplicate: packet.dup,
            packetId: packet.qos === 0 ? 0 : packet.messageId,
            payload: packet.payload,
          },
        );
      },
    ),
  );
  fc.assert(
    fc.property(
      fc.array(fc.record({ topic: text, qos }, { noNullPrototype: true }), { minLength: 1, maxLength: 10 }),
      packetId,
      (filters, id) => {
        const subscribe = packets.generate({ cmd: 'subscribe', messageId: id, subscriptions: filters });
        assert.deepEqual(decodeSubscribe(frameOf(subscribe, id)), { packetId: id, filters });
        const topics = filters.map(({ topic }) => topic);
        const unsubscribe = packets.generate({ cmd: 'unsubscribe', messageId: id, unsubscriptions: topics });
        assert.deepEqual(decodeUnsubscribe(frameOf(unsubscribe, id)), { packetId: id, topics });
      },
    ),
  );
});

test('all fields of a CONNECT are decoded', () => {
  const bytes = packets.generate({
    cmd: 'connect',
    clientId: 'silo-1',
    clean: false,
    keepalive: 30,
    username: 'silo-1',
    password: Buffer.from('secret'),
    will: { topic: 'a/b', payload: Buffer.from('gone'), qos: 1, retain: true },
  } as Packet);
  const reader = new FrameReader();
  reader.push(bytes);
  const frame = reader.next();
  assert.ok(frame !== null);
  assert.deepEqual(decodeConnect(frame), {
    clientId: 'silo-1',
    username: 'silo-1',
    password: Buffer.from('secret'),
    isClean: false,
    keepAliveS: 30,
    will: { topic: 'a/b', payload: Buffer.from('gone') },
  });
});

test('encoded packets are decoded correctly by mqtt-packet', () => {
  fc.assert(
    fc.property(
      text,
      fc.string({ maxLength: 40_000 }),
      qos,
      packetId,
      fc.boolean(),
      (topic, payload, level, id, isRetained) => {
        const read = parsed(
          publish({ topic, payload: payload.toWellFormed(), qos: level, isRetained, packetId: id }),
        );
        assert.ok(read.cmd === 'publish');
        assert.equal(read.topic, topic);
        assert.equal(read.payload.toString(), payload.toWellFormed());
        assert.deepEqual([read.qos, read.retain, read.dup], [level, isRetained, false]);
        assert.equal(read.messageId, level === 0 ? undefined : id);
      },
    ),
  );
  assert.deepEqual(
    [connack(5, false), connack(0, true)].map((bytes) => {
      const read = parsed(bytes);
      return read.cmd === 'connack' && [read.returnCode, read.sessionPresent];
    }),
    [
      [5, false],
      [0, true],
    ],
  );
  const granted = Array.from({ length: 1_000 }, (_, index) => [0, 1, 128][index % 3] ?? 0);
  const read = parsed(suback(513, granted));
  assert.ok(read.cmd === 'suback');
  assert.deepEqual([read.messageId, read.granted], [513, granted]);
  assert.deepEqual(
    [pubcomp(65_535), unsuback(256)].map((bytes) => parsed(bytes).messageId),
    [65_535, 256],
  );
});

test('each message has its own topic, also after one with the same or a similar topic', () => {
  const recent = new RecentTopic();
  for (const topic of ['a/b', 'a/b', 'a/c', 'a', 'a/b', 'é', 'é']) {
    const shared = Buffer.from(topic);
    assert.equal(recent.textOf(shared), topic);
    // The reader of the connection uses its buffer again.
    shared.fill(0x78);
  }
  assert.equal(recent.textOf(Buffer.from('xx')), 'xx');
  const invalid = Buffer.of(0xff);
  for (const _ of [1, 2]) assert.throws(() => recent.textOf(invalid), ProtocolFault);
});
