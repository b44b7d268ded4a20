/** The four lists of values of a device; functions 1, 2, 3 and 4 read them. */
export const TABLES = ['coil', 'discrete', 'holding', 'input'] as const;
export type Table = (typeof TABLES)[number];

export const ORDERS = ['ABCD', 'CDAB', 'BADC', 'DCBA'] as const;
/** The bytes of a value as they come; the same rule for values of 16, 32 and 64 bits. */
export type Order = (typeof ORDERS)[number];

export type RegisterType =
  | 'u16'
  | 'i16'
  | 'u32'
  | 'i32'
  | 'u64'
  | 'i64'
  | 'f32'
  | 'f64'
  | 'bits'
  | 'string'
  | 'bit';

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
