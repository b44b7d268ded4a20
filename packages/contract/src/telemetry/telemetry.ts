import { type Static, type TOptional, Type } from 'typebox';
import { SENSORS_DECLARED_MAX, SensorId } from '../devices/sensors.ts';
import { type Checker, checker, closed, described } from '../input/schema.ts';
import { LocalDate, TimeZoneName } from '../input/text-schemas.ts';
import { type DeviceTime, Timestamp } from '../input/timestamp.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time.ts';
import { CHANNELS, type ChannelName } from './channels.ts';

export const READINGS_PER_MESSAGE_MAX = 1_000;

export const QUALITIES = ['good', 'stale', 'bad'] as const;
export type Quality = (typeof QUALITIES)[number];

/** A reading in a message: a time and at least one value. */
export type DeviceReading = { readonly ts: DeviceTime } & {
  readonly [C in ChannelName]?: number;
} & {
  /** The values of declared sensors. */
  readonly sensors?: Readonly<Record<string, number>>;
  /** The values of this reading that the device itself says are not valid. */
  readonly bad?: readonly string[];
};

export type DeviceTelemetry = DeviceReading | readonly DeviceReading[];

/** The range is wider than that of `DeviceTime`, so that a rejection can name the unit that a wrong number seems to have. */
const ReadingTime = described(
  'When it was measured, by the clock of the device: milliseconds since 1970, or RFC 3339.',
  Type.Union([Type.Integer(), Timestamp]),
);

/** Whether the device has declared these names is checked later. */
const DeclaredValues = Type.Record(SensorId, Type.Number(), {
  additionalProperties: false,
  minProperties: 1,
  maxProperties: SENSORS_DECLARED_MAX,
});

/** Whether these names have a value in the reading is checked later. */
const BadValues = (channels: number) =>
  described(
    'The names of those values of this reading, standard or declared, that the device says are not valid. They are stored with quality `bad`.',
    Type.Array(SensorId, { minItems: 1, maxItems: channels + SENSORS_DECLARED_MAX }),
  );

/** The payload of devices that measure these channels; it is the same over MQTT and over HTTP. */
export function telemetryChecker(channels: readonly ChannelName[]): Checker<DeviceTelemetry> {
  const values = channels.map((name) => {
    const value = described(`Unit: ${CHANNELS[name].unit}.`, Type.Number());
    return [name, Type.Optional(value)] as const;
  });
  const reading = Type.Object(
    {
      ts: ReadingTime,
      ...Object.fromEntries<TOptional>(values),
      sensors: Type.Optional(DeclaredValues),
      bad: Type.Optional(BadValues(channels.length)),
    },
    { additionalProperties: false, minProperties: 2 },
  );
  const many = Type.Array(reading, { minItems: 1, maxItems: READINGS_PER_MESSAGE_MAX });
  const telemetry = checker(Type.Unsafe<DeviceTelemetry>(Type.Union([reading, many])));
  const isPlain = plainReadings(channels, READINGS_PER_MESSAGE_MAX);
  return {
    ...telemetry,
    accepts: (value): value is DeviceTelemetry =>
      isPlain(value) ||
      ((Array.isArray(value) ? value.every(hasFewSensors) : hasFewSensors(value)) &&
        telemetry.accepts(value)),
  };
}

/** The compiled schema compares all names before it counts them; with many thousands of names this would delay all other messages. */
function hasFewSensors(reading: unknown): boolean {
  const sensors = (reading as { readonly sensors?: unknown } | null)?.sensors;
  if (typeof sensors !== 'object' || sensors === null) return true;
  return Object.keys(sensors).length <= SENSORS_DECLARED_MAX;
}

const measured = {
  timestamp: Type.Union([Timestamp, Type.Null()]),
  quality: Type.Enum(QUALITIES),
};

const NumberOrNull = Type.Union([Type.Number(), Type.Null()]);

/** The newest values of declared sensors by their ids; given only for devices with declared sensors. */
export const DeclaredReadings = Type.Record(
  Type.String(),
  closed({ current: NumberOrNull, unit: Type.String(), ...measured }),
);

export const CurrentReadings = closed({
  level: closed({
    current: NumberOrNull,
    unit: Type.Literal('percent'),
    actual: NumberOrNull,
    actual_unit: Type.Literal('kg'),
    ...measured,
  }),
  temperature: closed({ current: NumberOrNull, unit: Type.Literal('celsius'), ...measured }),
  humidity: closed({ current: NumberOrNull, unit: Type.Literal('percent'), ...measured }),
  sensors: Type.Optional(DeclaredReadings),
});

export const INTERVALS = ['5m', '1h', '1d'] as const;
export const AGGREGATES = ['avg', 'min', 'max', 'last', 'sum', 'count', 'bad_count'] as const;
export type Interval = (typeof INTERVALS)[number];

export const INTERVAL_MS = { '5m': 5 * MINUTE_MS, '1h': HOUR_MS, '1d': DAY_MS } as const satisfies Record<
  Interval,
  number
>;
export type Aggregate = (typeof AGGREGATES)[number];

export const HISTORY_POINTS_MAX = 10_000;

/** The units in which the contents of a silo can be shown. */
export const CONTENT_UNITS = ['kg', 'percent'] as const;
export type ContentUnit = (typeof CONTENT_UNITS)[number];

export const HistoryQuery = closed({
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
  interval: Type.Optional(Type.Enum(INTERVALS)),
  sensor: Type.Optional(
    described('A standard sensor of the profile or a declared one.', Type.String({ maxLength: 64 })),
  ),
  aggregate: Type.Optional(Type.Enum(AGGREGATES)),
  include: Type.Optional(
    described('`range`: each point has the smallest and the largest value, too.', Type.Enum(['range'])),
  ),
  unit: Type.Optional(
    described('Of the contents of a silo; percent when it is not given.', Type.Enum(CONTENT_UNITS)),
  ),
  tz: Type.Optional(
    described('Days from midnight to midnight there; only with `interval=1d`.', TimeZoneName),
  ),
});

export const HistoryPoint = closed({
  timestamp: Timestamp,
  value: Type.Number(),
  min: Type.Optional(described('The smallest value; only with `include=range`.', Type.Number())),
  max: Type.Optional(described('The largest value; only with `include=range`.', Type.Number())),
  date: Type.Optional(described('The day in the time zone; only with `tz`.', LocalDate)),
});

export const SensorHistory = closed({
  sensor: Type.String(),
  interval: Type.Enum(INTERVALS),
  unit: Type.Optional(described('As in the query, if it is given there.', Type.Enum(CONTENT_UNITS))),
  tz: Type.Optional(TimeZoneName),
  points: Type.Array(HistoryPoint),
});

export const TelemetryReceipt = closed({ stored: Type.Integer() });

export type DeclaredReadings = Static<typeof DeclaredReadings>;
export type CurrentReadings = Static<typeof CurrentReadings>;
export type HistoryQuery = Static<typeof HistoryQuery>;
export type HistoryPoint = Static<typeof HistoryPoint>;
export type SensorHistory = Static<typeof SensorHistory>;
export type TelemetryReceipt = Static<typeof TelemetryReceipt>;

export const checkHistoryQuery = checker(HistoryQuery);

/**
 * Returns a function that recognises the usual telemetry: readings with a time in milliseconds and values of these channels only.
 * The schema accepts all of it and more, but its compiled form compares every name with a regular expression.
 */
export function plainReadings(
  channels: readonly ChannelName[],
  readingsMax: number,
): (value: unknown) => boolean {
  const names: ReadonlySet<string> = new Set(channels);
  const isPlain = (reading: unknown): boolean => {
    if (typeof reading !== 'object' || reading === null) return false;
    const members = reading as Readonly<Record<string, unknown>>;
    let values = 0;
    for (const name in members) {
      if (name === 'ts') continue;
      if (!names.has(name) || !Number.isFinite(members[name])) return false;
      values++;
    }
    return values > 0 && Number.isInteger(members['ts']);
  };
  return (value) => {
    if (!Array.isArray(value)) return isPlain(value);
    if (value.length === 0 || value.length > readingsMax) return false;
    for (const reading of value) if (!isPlain(reading)) return false;
    return true;
  };
}
