import type { RawValue } from './value.ts';

/** The four lists of values of a device; functions 1, 2, 3 and 4 read them. */
export const TABLES = ['coil', 'discrete', 'holding', 'input'] as const;
export type Table = (typeof TABLES)[number];

export const ORDERS = ['ABCD', 'CDAB', 'BADC', 'DCBA'] as const;
/** The bytes of a value as they come; the same rule for values of 16, 32 and 64 bits. */
export type Order = (typeof ORDERS)[number];

/** Registers of each type; a text has its own length. */
export const WIDTHS = {
  u16: 1,
  i16: 1,
  u32: 2,
  i32: 2,
  u64: 4,
  i64: 4,
  f32: 2,
  f64: 4,
  bits: 1,
  string: null,
  bit: 1,
} as const;
export type RegisterType = keyof typeof WIDTHS;
export const REGISTER_TYPES = Object.keys(WIDTHS) as readonly RegisterType[];

/** Where a value is in a Modbus device. */
export interface ModbusPlace {
  readonly table: Table;
  /** The address on the wire, which begins with 0. */
  readonly at: number;
  /** Registers, or bits of a coil or discrete input. */
  readonly width: number;
  readonly type: RegisterType;
  readonly order: Order;
  /** The part of a whole number that is meant; it is shifted down. */
  readonly mask: number | null;
  /** Asked for in a request of its own. */
  readonly isAlone: boolean;
}

/** How a device wants to be asked. */
export interface ModbusSettings {
  /** The function code with which each table is read. */
  readonly functions: Readonly<Record<Table, number>>;
  readonly registersMax: number;
  readonly bitsMax: number;
  /** Registers between two points that may be read with them. */
  readonly gap: number;
  /** First and last address that must not be read. */
  readonly forbidden: readonly (readonly [number, number])[];
  readonly timeoutMs: number;
  readonly pauseMs: number;
  readonly pauseAfterConnectMs: number;
}

/** Reads the value of a place from the bytes of its registers, which begin at `offset`. */
export function rawAt({ type, order, width, mask }: ModbusPlace, bytes: Buffer, offset: number): RawValue {
  const length = 2 * width;
  const shown = bytes.toString('hex', offset, offset + length);
  if (type === 'string') return { shown, is: textAt(bytes, offset, length, order) };
  const is = numberAt(type, inNetworkOrder(bytes, offset, length, order));
  return { shown, is: mask === null ? is : masked(Number(is), mask) };
}

/** Registers are counted by bits in a coil or discrete input. */
export const rawBit = (isSet: boolean): RawValue => ({ shown: isSet ? '1' : '0', is: isSet ? 1 : 0 });

const scratch = Buffer.alloc(8);

/** The bytes with the most significant first; a copy that is valid until the next call. */
function inNetworkOrder(bytes: Buffer, offset: number, length: number, order: Order): Buffer {
  // The position of each byte is that of the usual order with its words, its bytes in a word, or both reversed.
  const flip =
    (order === 'CDAB' || order === 'DCBA' ? length - 2 : 0) ^ (order === 'BADC' || order === 'DCBA' ? 1 : 0);
  for (let index = 0; index < length; index += 1) scratch[index] = bytes[offset + (index ^ flip)] ?? 0;
  return scratch;
}

function numberAt(type: Exclude<RegisterType, 'string'>, bytes: Buffer): number | bigint {
  switch (type) {
    case 'u16':
    case 'bits':
    case 'bit':
      return bytes.readUInt16BE(0);
    case 'i16':
      return bytes.readInt16BE(0);
    case 'u32':
      return bytes.readUInt32BE(0);
    case 'i32':
      return bytes.readInt32BE(0);
    case 'u64':
      return bytes.readBigUInt64BE(0);
    case 'i64':
      return bytes.readBigInt64BE(0);
    case 'f32':
      return bytes.readFloatBE(0);
    case 'f64':
      return bytes.readDoubleBE(0);
  }
}

/** Without the spaces and zeros that fill it up. */
function textAt(bytes: Buffer, offset: number, length: number, order: Order): string {
  const part = Buffer.from(bytes.subarray(offset, offset + length));
  const text = (order === 'BADC' ? part.swap16() : part).toString('latin1');
  return (text.split('\0', 1)[0] ?? '').trim();
}

/** Bit arithmetic of JavaScript is signed, division is not. */
function masked(value: number, mask: number): number {
  const lowest = (mask & -mask) >>> 0;
  return Math.floor(((value & mask) >>> 0) / lowest);
}
