import { isUtf8 } from 'node:buffer';
import type { Frame } from './frame-reader.ts';
import { malformed, type Qos } from './packet-types.ts';

export interface Will {
  readonly topic: string;
  readonly payload: Buffer;
}

export interface ConnectPacket {
  readonly clientId: string;
  readonly username: string | null;
  readonly password: Buffer | null;
  readonly isClean: boolean;
  readonly keepAliveS: number;
  readonly will: Will | null;
}

/** A CONNECT of another MQTT version, whose remaining fields cannot be decoded. */
export interface OtherProtocol {
  readonly protocol: string;
}

export interface PublishPacket {
  readonly topic: string;
  readonly qos: Qos;
  readonly isDuplicate: boolean;
  /** The packet identifier; 0 for QoS 0. */
  readonly packetId: number;
  readonly payload: Buffer;
}

export interface SubscribePacket {
  readonly packetId: number;
  readonly filters: readonly { readonly topic: string; readonly qos: Qos }[];
}

export interface UnsubscribePacket {
  readonly packetId: number;
  readonly topics: readonly string[];
}

const PROTOCOL_NAME = 'MQTT';
const OLD_PROTOCOL_NAME = 'MQIsdp';
const PROTOCOL_LEVEL = 4;

const FLAG_RESERVED = 0x01;
const FLAG_CLEAN = 0x02;
const FLAG_WILL = 0x04;
const WILL_DETAILS = 0x38;
const WILL_QOS_INVALID = 0x18;
const FLAG_PASSWORD = 0x40;
const FLAG_USERNAME = 0x80;

/** Reads the fields of one packet, and never beyond its end. */
class Fields {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;

  constructor({ bytes, start, end }: Frame) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#end;
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#take(1));
  }

  number(): number {
    return this.#bytes.readUInt16BE(this.#take(2));
  }

  packetId(): number {
    const id = this.number();
    if (id === 0) throw malformed('packet identifier is 0');
    return id;
  }

  binary(): Buffer {
    const length = this.number();
    const from = this.#take(length);
    return this.#bytes.subarray(from, from + length);
  }

  text(): string {
    return decodeText(this.binary());
  }

  rest(): Buffer {
    return this.#bytes.subarray(this.#at, this.#end);
  }

  finish(): void {
    if (!this.isAtEnd) throw malformed('packet is longer than its fields');
  }

  #take(length: number): number {
    const from = this.#at;
    if (from + length > this.#end) throw malformed('packet is shorter than its fields');
    this.#at = from + length;
    return from;
  }
}

function decodeText(bytes: Buffer): string {
  if (!isUtf8(bytes) || bytes.includes(0)) throw malformed('text is not valid UTF-8');
  return bytes.toString();
}

function requireFlags(frame: Frame, flags: number): void {
  if (frame.flags !== flags) throw malformed('packet flags are malformed');
}

export function decodeConnect(frame: Frame): ConnectPacket | OtherProtocol {
  requireFlags(frame, 0);
  const fields = new Fields(frame);
  const name = fields.text();
  if (name !== PROTOCOL_NAME && name !== OLD_PROTOCOL_NAME) {
    throw malformed('protocol name is not MQTT');
  }
  const level = fields.byte();
  if (name !== PROTOCOL_NAME || level !== PROTOCOL_LEVEL) return { protocol: `${name} level ${level}` };
  const flags = connectFlags(fields.byte());
  const keepAliveS = fields.number();
  const clientId = fields.text();
  const will = flags & FLAG_WILL ? { topic: fields.text(), payload: Buffer.from(fields.binary()) } : null;
  const username = flags & FLAG_USERNAME ? fields.text() : null;
  const password = flags & FLAG_PASSWORD ? fields.binary() : null;
  fields.finish();
  return { clientId, username, password, isClean: (flags & FLAG_CLEAN) !== 0, keepAliveS, will };
}

function connectFlags(flags: number): number {
  const hasWill = (flags & FLAG_WILL) !== 0;
  const isMalformed =
    (flags & FLAG_RESERVED) !== 0 ||
    (!hasWill && (flags & WILL_DETAILS) !== 0) ||
    (flags & WILL_QOS_INVALID) === WILL_QOS_INVALID ||
    ((flags & FLAG_PASSWORD) !== 0 && (flags & FLAG_USERNAME) === 0);
  if (isMalformed) throw malformed('connect flags are malformed');
  return flags;
}

const NO_BYTES = Buffer.alloc(0);

/** A device publishes on the same topic again and again, so its text is decoded once. */
export class RecentTopic {
  #bytes = NO_BYTES;
  #text = '';

  textOf(bytes: Buffer): string {
    if (bytes.length > 0 && this.#bytes.equals(bytes)) return this.#text;
    this.#text = decodeText(bytes);
    this.#bytes = Buffer.from(bytes);
    return this.#text;
  }
}

export function decodePublish(frame: Frame, recentTopic = new RecentTopic()): PublishPacket {
  const { flags } = frame;
  const qos = qosOf((flags >> 1) & 3);
  const isDuplicate = (flags & 8) !== 0;
  if (isDuplicate && qos === 0) throw malformed('a QoS 0 message is marked as a duplicate');
  const fields = new Fields(frame);
  const topic = recentTopic.textOf(fields.binary());
  const packetId = qos === 0 ? 0 : fields.packetId();
  return { topic, qos, isDuplicate, packetId, payload: fields.rest() };
}

export function decodeSubscribe(frame: Frame): SubscribePacket {
  requireFlags(frame, 2);
  const fields = new Fields(frame);
  const packetId = fields.packetId();
  const filters: { topic: string; qos: Qos }[] = [];
  while (!fields.isAtEnd) filters.push({ topic: fields.text(), qos: qosOf(fields.byte()) });
  if (filters.length === 0) throw malformed('SUBSCRIBE has no topic filter');
  return { packetId, filters };
}

export function decodeUnsubscribe(frame: Frame): UnsubscribePacket {
  requireFlags(frame, 2);
  const fields = new Fields(frame);
  const packetId = fields.packetId();
  const topics: string[] = [];
  while (!fields.isAtEnd) topics.push(fields.text());
  if (topics.length === 0) throw malformed('UNSUBSCRIBE has no topic filter');
  return { packetId, topics };
}

/** The body of PUBACK, PUBREC, PUBREL and PUBCOMP is only a packet identifier. */
export function decodePacketId(frame: Frame, flags: number): number {
  requireFlags(frame, flags);
  const fields = new Fields(frame);
  const packetId = fields.packetId();
  fields.finish();
  return packetId;
}

/** PINGREQ and DISCONNECT have no body. */
export function requireEmpty(frame: Frame): void {
  requireFlags(frame, 0);
  new Fields(frame).finish();
}

function qosOf(value: number): Qos {
  if (value === 0 || value === 1 || value === 2) return value;
  throw malformed('QoS is neither 0, 1 nor 2');
}
