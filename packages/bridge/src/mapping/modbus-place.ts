import type { RawValue } from './value.ts';

/** The four tables of a device; they are read with the functions 1, 2, 3 and 4. */
export const TABLES = ['coil', 'discrete', 'holding', 'input'] as const;
export type Table = (typeof TABLES)[number];

export const ORDERS = ['ABCD', 'CDAB', 'BADC', 'DCBA'] as const;
/** The order in which the bytes of a value arrive; the same rule is used for values of 16, 32 and 64 bits. */
export type Order = (typeof ORDERS)[number];

/** The number of registers of each type; a text has its own length. */
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

/** The place of a value in a Modbus device. */
export interface ModbusPlace {
  readonly table: Table;
  /** The address in a request, which begins with 0. */
  readonly at: number;
  /** The number of registers, or of bits of a coil or discrete input. */
  readonly width: number;
  readonly type: RegisterType;
  readonly order: Order;
  /** The bits of a whole number that form the value; they are shifted down. */
  readonly mask: number | null;
  /** True if the point needs a separate request. */
  readonly isAlone: boolean;
}

/** The settings with which a device is asked. */
export interface ModbusSettings {
  /** The function code with which each table is read. */
  readonly functions: Readonly<Record<Table, number>>;
  readonly registersMax: number;
  readonly bitsMax: number;
  /** The limit of registers between two points that may be read together with them. */
  readonly gap: number;
  /** The first and last addresses of ranges that must not be read. */
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

/** Returns the raw value of a coil or discrete input. */
export const rawBit = (isSet: boolean): RawValue => ({ shown: isSet ? '1' : '0', is: isSet ? 1 : 0 });

const scratch = Buffer.alloc(8);

/** Returns the bytes with the most significant first, as a copy that is valid until the next call. */
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

/** Returns a text without the spaces and zeros that fill it up. */
function textAt(bytes: Buffer, offset: number, length: number, order: Order): string {
  const part = Buffer.from(bytes.subarray(offset, offset + length));
  const text = (order === 'BADC' ? part.swap16() : part).toString('latin1');
  return (text.split('\0', 1)[0] ?? '').trim();
}

/** Returns the masked bits. It uses division, because the bit operators of JavaScript are signed. */
function masked(value: number, mask: number): number {
  const lowest = (mask & -mask) >>> 0;
  return Math.floor(((value & mask) >>> 0) / lowest);
}
