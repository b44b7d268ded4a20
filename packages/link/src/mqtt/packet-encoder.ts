import type { Qos } from './packet-types.ts';

const LENGTH_BASE = 128;

/** The first bytes of packets whose body is only a packet identifier. */
export const PUBACK_HEADER = 0x40;
export const PUBREC_HEADER = 0x50;
const PUBCOMP_HEADER = 0x70;
const UNSUBACK_HEADER = 0xb0;

/** The length of a packet whose body is only a packet identifier. */
export const ANSWER_BYTES = 4;

export const SUBSCRIPTION_REFUSED = 0x80;

export const PINGRESP = Buffer.of(0xd0, 0);

/** 0 accepted, 1 protocol level, 3 unavailable, 4 bad user name or password, 5 not authorized. */
export type ConnectReturnCode = 0 | 1 | 3 | 4 | 5;

export const connack = (returnCode: ConnectReturnCode, isSessionPresent: boolean): Buffer =>
  Buffer.of(0x20, 2, isSessionPresent ? 1 : 0, returnCode);

export const pubcomp = (packetId: number): Buffer => answer(PUBCOMP_HEADER, packetId);
export const unsuback = (packetId: number): Buffer => answer(UNSUBACK_HEADER, packetId);

const answer = (header: number, packetId: number): Buffer =>
  Buffer.of(header, 2, packetId >> 8, packetId & 0xff);

export function suback(packetId: number, granted: readonly number[]): Buffer {
  const body = [packetId >> 8, packetId & 0xff, ...granted];
  return Buffer.of(0x90, ...lengthBytes(body.length), ...body);
}

export interface OutboundMessage {
  readonly topic: string;
  readonly payload: string;
  readonly qos: Qos;
  readonly isRetained: boolean;
  /** The packet identifier, which is not written for QoS 0. */
  readonly packetId: number;
}

export function publish({ topic, payload, qos, isRetained, packetId }: OutboundMessage): Buffer {
  const topicBytes = Buffer.byteLength(topic);
  const idBytes = qos === 0 ? 0 : 2;
  const length = lengthBytes(2 + topicBytes + idBytes + Buffer.byteLength(payload));
  const head = Buffer.allocUnsafe(1 + length.length + 2 + topicBytes + idBytes);
  let at = head.writeUInt8(0x30 | (qos << 1) | (isRetained ? 1 : 0), 0);
  for (const byte of length) at = head.writeUInt8(byte, at);
  at = head.writeUInt16BE(topicBytes, at);
  at += head.write(topic, at);
  if (qos > 0) head.writeUInt16BE(packetId, at);
  return Buffer.concat([head, Buffer.from(payload)]);
}

function lengthBytes(length: number): number[] {
  const bytes: number[] = [];
  let rest = length;
  do {
    const more = rest >= LENGTH_BASE ? LENGTH_BASE : 0;
    bytes.push((rest % LENGTH_BASE) | more);
    rest = Math.floor(rest / LENGTH_BASE);
  } while (rest > 0);
  return bytes;
}
