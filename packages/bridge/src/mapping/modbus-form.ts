import { closed } from '@granary/contract/input/schema';
import { type Static, Type } from 'typebox';
import { Duration, durationMs } from './duration.ts';
import type { Point } from './mapping.ts';
import {
  type ModbusPlace,
  type ModbusSettings,
  ORDERS,
  REGISTER_TYPES,
  rawAt,
  rawBit,
  TABLES,
  type Table,
  WIDTHS,
} from './modbus-place.ts';
import { type Fields, type PlaceForm, patternText, type Report } from './place-form.ts';
import type { RawValue } from './value.ts';

const ADDRESS_MAX = 65_535;
/** The limit of registers in an answer of Modbus. */
const REGISTERS_MAX = 125;
const BITS_MAX = 2_000;
const READ_FUNCTIONS: Readonly<Record<Table, number>> = { coil: 1, discrete: 2, holding: 3, input: 4 };
const DEFAULT_TIMEOUT_MS = 1_000;

const Address = Type.Integer({ minimum: 0, maximum: ADDRESS_MAX });
const Range = patternText('^\\d{1,5}(-\\d{1,5})?$', 'an address or two, such as 100-119');
const ReadFunction = Type.Integer({ minimum: 1, maximum: 4 });
const Registers = Type.Optional(
  Type.Object({}, { additionalProperties: false, patternProperties: { '^\\d{1,5}$': Type.Array(Address) } }),
);

const PointFields = closed({
  at: Address,
  type: Type.Enum(REGISTER_TYPES),
  table: Type.Optional(Type.Enum(TABLES)),
  order: Type.Optional(Type.Enum(ORDERS)),
  length: Type.Optional(Type.Integer({ minimum: 1, maximum: REGISTERS_MAX })),
  mask: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 32 - 1 })),
  stride: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  alone: Type.Optional(Type.Boolean()),
});

const DefaultFields = closed({
  table: Type.Optional(Type.Enum(TABLES)),
  order: Type.Optional(Type.Enum(ORDERS)),
  functions: Type.Optional(
    closed({
      coil: Type.Optional(ReadFunction),
      discrete: Type.Optional(ReadFunction),
      holding: Type.Optional(ReadFunction),
      input: Type.Optional(ReadFunction),
    }),
  ),
  max_registers: Type.Optional(Type.Integer({ minimum: 1, maximum: REGISTERS_MAX })),
  max_bits: Type.Optional(Type.Integer({ minimum: 1, maximum: BITS_MAX })),
  gap: Type.Optional(Type.Integer({ minimum: 0, maximum: REGISTERS_MAX })),
  forbidden: Type.Optional(Type.Array(Range, { maxItems: 200 })),
  one_per_request: Type.Optional(Type.Boolean()),
  timeout: Type.Optional(Duration),
  pause: Type.Optional(Duration),
  pause_after_connect: Type.Optional(Duration),
});

const ExampleFields = closed({
  registers: Registers,
  coil: Registers,
  discrete: Registers,
  holding: Registers,
  input: Registers,
});

type PointFields = Static<typeof PointFields>;
type DefaultFields = Static<typeof DefaultFields>;

export const modbusForm: PlaceForm<ModbusPlace, ModbusSettings> = {
  point: PointFields.properties,
  defaults: DefaultFields.properties,
  example: ExampleFields.properties,
  settings: (fields, fault) => settingsOf(fields as DefaultFields, fault),
  place: (fields, defaults, index, fault) =>
    placeOf(fields as PointFields, defaults as DefaultFields, index, fault),
  isWholeNumber: ({ type }) => !['f32', 'f64', 'string'].includes(type),
  isText: ({ type }) => type === 'string',
  rawValues,
};

function settingsOf(fields: DefaultFields, fault: Report): ModbusSettings {
  const forbidden = (fields.forbidden ?? []).map((text, index) => {
    const [first = 0, last = first] = text.split('-').map(Number);
    if (last < first || last > ADDRESS_MAX)
      fault(`forbidden/${index}`, 'must be two addresses, the smaller one first');
    return [first, last] as const;
  });
  return {
    functions: { ...READ_FUNCTIONS, ...fields.functions },
    registersMax: fields.max_registers ?? REGISTERS_MAX,
    bitsMax: fields.max_bits ?? BITS_MAX,
    gap: fields.gap ?? 0,
    forbidden,
    timeoutMs: fields.timeout === undefined ? DEFAULT_TIMEOUT_MS : durationMs(fields.timeout),
    pauseMs: fields.pause === undefined ? 0 : durationMs(fields.pause),
    pauseAfterConnectMs:
      fields.pause_after_connect === undefined ? 0 : durationMs(fields.pause_after_connect),
  };
}

function placeOf(fields: PointFields, defaults: DefaultFields, index: number, fault: Report): ModbusPlace {
  const { type, length, mask = null } = fields;
  const table = fields.table ?? defaults.table ?? 'holding';
  const isBitTable = table === 'coil' || table === 'discrete';
  const width = WIDTHS[type] ?? length ?? 1;
  const at = fields.at + index * (fields.stride ?? width);
  if (isBitTable !== (type === 'bit'))
    fault('type', isBitTable ? `must be bit, because ${table} has bits` : `cannot be bit in ${table}`);
  if (type === 'string' && length === undefined) fault('length', 'must say how many registers the text has');
  if (type !== 'string' && length !== undefined) fault('length', 'is for texts only');
  if (fields.stride !== undefined && fields.stride < width)
    fault('stride', `must be ${width} at least, the registers of one value`);
  if (mask !== null && type !== 'u16' && type !== 'u32') fault('mask', 'needs type u16 or u32');
  if (mask !== null && type === 'u16' && mask > 0xffff) fault('mask', 'must be 0xffff at most for u16');
  if (type === 'string' && fields.order !== undefined && fields.order !== 'ABCD' && fields.order !== 'BADC')
    fault('order', 'must be ABCD or BADC for a text');
  if (at + width - 1 > ADDRESS_MAX) fault('at', `ends at ${at + width - 1}, above ${ADDRESS_MAX}`);
  const limit = isBitTable ? (defaults.max_bits ?? BITS_MAX) : (defaults.max_registers ?? REGISTERS_MAX);
  if (width > limit) fault('at', `has ${width} registers, more than one request of this device may read`);
  for (const text of defaults.forbidden ?? []) {
    const [first = 0, last = first] = text.split('-').map(Number);
    if (at <= last && at + width > first) fault('at', `reads the forbidden range ${text}`);
  }
  return {
    table,
    at,
    width,
    type,
    // The order of the letters of a text differs from that of the bytes of a number.
    order: fields.order ?? (type === 'string' ? 'ABCD' : (defaults.order ?? 'ABCD')),
    mask,
    isAlone: fields.alone ?? defaults.one_per_request ?? false,
  };
}

/** Returns the raw values in the registers of an example; a point with a missing register has no value. */
function rawValues(
  given: Fields,
  points: readonly Point<ModbusPlace>[],
  defaults: Fields,
): ReadonlyMap<string, RawValue> {
  const { registers, ...byTable } = given as Readonly<Record<string, Readonly<Record<string, number[]>>>>;
  const image = new Map<string, number>();
  const fill = (table: string, blocks: Readonly<Record<string, number[]>> = {}) => {
    for (const [start, words] of Object.entries(blocks))
      for (const [index, word] of words.entries()) image.set(`${table}:${Number(start) + index}`, word);
  };
  fill((defaults as DefaultFields).table ?? 'holding', registers);
  for (const [table, blocks] of Object.entries(byTable)) fill(table, blocks);
  const values = new Map<string, RawValue>();
  for (const { name, place } of points) {
    const words = Array.from({ length: place.width }, (_, index) =>
      image.get(`${place.table}:${place.at + index}`),
    );
    if (words.some((word) => word === undefined)) continue;
    const bytes = Buffer.alloc(2 * place.width);
    for (const [index, word = 0] of words.entries()) bytes.writeUInt16BE(word, 2 * index);
    values.set(name, place.type === 'bit' ? rawBit(words[0] !== 0) : rawAt(place, bytes, 0));
  }
  return values;
}
