import { ReadError } from '../read-error.ts';

/** A request to read; the bridge makes no other requests. */
export interface ReadRequest {
  /** The function code, 1 to 4. */
  readonly functionCode: number;
  readonly at: number;
  readonly count: number;
}

/** Modbus TCP has a header with a number for each request; a serial line, or a gateway that forwards it, has a checksum. */
export type Framing = 'tcp' | 'rtu';

export interface Frame {
  /** The number of the request in Modbus TCP; otherwise 0. */
  readonly transaction: number;
  readonly unit: number;
  /** The function code and the data. */
  readonly pdu: Buffer;
}

const HEADER_BYTES = 7;
const PDU_BYTES_MAX = 253;
const CRC_BYTES = 2;
const EXCEPTION = 0x80;
const EXCEPTION_BYTES = 5;
const RTU_HEADER_BYTES = 3;

/** The names in the standard; a device may also have its own numbers. */
const EXCEPTIONS: Readonly<Record<number, string>> = {
  1: 'illegal function',
  2: 'illegal data address',
  3: 'illegal data value',
  4: 'server device failure',
  5: 'acknowledge',
  6: 'server device busy',
  8: 'memory parity error',
  10: 'gateway path unavailable',
  11: 'gateway target device failed to respond',
};
/** Matches the number in the text about an exception. */
export const EXCEPTION_NUMBER = /^exception (\d{1,3}),/;
/** The exceptions with which a gateway reports that the unit behind it is silent. */
const GATEWAY_EXCEPTIONS = [10, 11];

/** The CRC-16 of Modbus, low byte first on the wire. */
export function crc16(bytes: Buffer, end: number): number {
  let crc = 0xffff;
  for (let index = 0; index < end; index += 1) {
    crc ^= bytes[index] ?? 0;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1;
  }
  return crc;
}

export function requestFrame(
  framing: Framing,
  transaction: number,
  unit: number,
  { functionCode, at, count }: ReadRequest,
): Buffer {
  const pdu = Buffer.alloc(5);
  pdu.writeUInt8(functionCode, 0);
  pdu.writeUInt16BE(at, 1);
  pdu.writeUInt16BE(count, 3);
  return frameOf(framing, { transaction, unit, pdu });
}

export function frameOf(framing: Framing, { transaction, unit, pdu }: Frame): Buffer {
  if (framing === 'tcp') {
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt16BE(transaction, 0);
    header.writeUInt16BE(pdu.length + 1, 4);
    header.writeUInt8(unit, 6);
    return Buffer.concat([header, pdu]);
  }
  const frame = Buffer.concat([Buffer.from([unit]), pdu, Buffer.alloc(CRC_BYTES)]);
  frame.writeUInt16LE(crc16(frame, frame.length - CRC_BYTES), frame.length - CRC_BYTES);
  return frame;
}

/** Assembles answers from the bytes of a connection. */
export class AnswerReader {
  readonly #framing: Framing;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(framing: Framing) {
    this.#framing = framing;
  }

  /**
   * Adds bytes and returns the complete answers. Throws a `ReadError` if the bytes are invalid; bytes after them cannot be
   * understood either.
   */
  push(bytes: Buffer): Frame[] {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    const frames: Frame[] = [];
    for (;;) {
      const frame = this.#framing === 'tcp' ? this.#nextOfTcp() : this.#nextOfRtu();
      if (frame === undefined) return frames;
      frames.push(frame);
    }
  }

  clear(): void {
    this.#bytes = Buffer.alloc(0);
  }

  /** True if only the beginning of an answer has arrived. */
  get hasPart(): boolean {
    return this.#bytes.length > 0;
  }

  #nextOfTcp(): Frame | undefined {
    if (this.#bytes.length < HEADER_BYTES) return undefined;
    const protocol = this.#bytes.readUInt16BE(2);
    const length = this.#bytes.readUInt16BE(4);
    if (protocol !== 0 || length < 2 || length > PDU_BYTES_MAX + 1)
      throw new ReadError('malformed', 'the answer has no header of Modbus TCP');
    const end = HEADER_BYTES - 1 + length;
    if (this.#bytes.length < end) return undefined;
    const frame = {
      transaction: this.#bytes.readUInt16BE(0),
      unit: this.#bytes.readUInt8(6),
      pdu: this.#bytes.subarray(HEADER_BYTES, end),
    };
    this.#bytes = this.#bytes.subarray(end);
    return frame;
  }

  #nextOfRtu(): Frame | undefined {
    if (this.#bytes.length < EXCEPTION_BYTES) return undefined;
    const isException = this.#bytes.readUInt8(1) >= EXCEPTION;
    const end = isException ? EXCEPTION_BYTES : RTU_HEADER_BYTES + this.#bytes.readUInt8(2) + CRC_BYTES;
    if (this.#bytes.length < end) return undefined;
    const frame = this.#bytes.subarray(0, end);
    this.#bytes = this.#bytes.subarray(end);
    if (crc16(frame, end - CRC_BYTES) !== frame.readUInt16LE(end - CRC_BYTES))
      throw new ReadError('malformed', 'the check sum of the answer is wrong');
    return { transaction: 0, unit: frame.readUInt8(0), pdu: frame.subarray(1, end - CRC_BYTES) };
  }
}

const bytesOf = ({ functionCode, count }: ReadRequest): number =>
  functionCode <= 2 ? Math.ceil(count / 8) : 2 * count;

/** Returns the data of an answer; throws a `ReadError` unless it answers exactly this request. */
export function dataOf(request: ReadRequest, unit: number, { unit: from, pdu }: Frame): Buffer {
  if (from !== unit) throw new ReadError('wrong_unit', `unit ${from} answered instead of unit ${unit}`);
  const functionCode = pdu.readUInt8(0);
  if (functionCode === request.functionCode + EXCEPTION) {
    if (pdu.length !== 2) throw new ReadError('malformed', 'the exception has a wrong length');
    const number = pdu.readUInt8(1);
    const told = `exception ${number}, ${EXCEPTIONS[number] ?? 'of this device'}`;
    throw new ReadError(GATEWAY_EXCEPTIONS.includes(number) ? 'timeout' : 'exception', told);
  }
  if (functionCode !== request.functionCode)
    throw new ReadError('malformed', `function ${functionCode} instead of ${request.functionCode}`);
  const expected = bytesOf(request);
  const [announced, actual] = [pdu[1] ?? -1, pdu.length - 2];
  if (announced !== expected || actual !== expected)
    throw new ReadError('malformed', `${actual} bytes of data instead of ${expected}`);
  return pdu.subarray(2);
}
