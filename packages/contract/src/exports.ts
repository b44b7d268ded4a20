import { type Static, Type } from 'typebox';
import { SensorId } from './devices/sensors.ts';
import { DEVICE_ID_LIST } from './ids.ts';
import { type Checker, checker, closed, described, List, type ListRule, withLists } from './input/schema.ts';
import { LocalDate, line, TimeZoneName } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import { PROFILE_NAMES } from './profiles/profiles.ts';
import { AGGREGATES, CONTENT_UNITS, INTERVALS } from './telemetry/telemetry.ts';

const EXPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Selects values and devices; without a parameter, all that the key may read. */
const selection = {
  device_id: Type.Optional(described('Ids, separated by commas.', List)),
  facility: Type.Optional(line(200)),
  zone: Type.Optional(line(200)),
  profile: Type.Optional(Type.Enum(PROFILE_NAMES)),
  sensor: Type.Optional(
    described('Names, separated by commas; `level` and `weight` are both the contents of a silo.', List),
  ),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
  unit: Type.Optional(Type.Enum(CONTENT_UNITS)),
  format: Type.Optional(Type.Enum(EXPORT_FORMATS)),
};

export const ReadingsQuery = closed(selection);

/** The columns that every exported row has. */
const row = {
  device_id: Type.String(),
  sensor: Type.String(),
  timestamp: Timestamp,
};

/** `bad` means that the value is not plausible, or that the device marked it as not valid; such a value is in no aggregate. */
export const RawReading = closed({
  ...row,
  value: Type.Number(),
  unit: Type.String(),
  quality: Type.Enum(['good', 'bad']),
});

export const HistoryExportQuery = closed({
  ...selection,
  interval: Type.Optional(Type.Enum(INTERVALS)),
  aggregate: Type.Optional(Type.Enum(AGGREGATES)),
  tz: Type.Optional(TimeZoneName),
});

/**
 * `uncertain` means that the interval also has implausible readings, which are not in the value; `bad` means that it has no
 * others, so there is no value.
 */
const HISTORY_QUALITIES = ['good', 'uncertain', 'bad'] as const;
export type HistoryQuality = (typeof HISTORY_QUALITIES)[number];

export const HistoryRow = closed({
  ...row,
  value: Type.Union([Type.Number(), Type.Null()]),
  unit: Type.String(),
  quality: Type.Enum(HISTORY_QUALITIES),
  date: Type.Optional(described('The day in the time zone; only with `tz`.', LocalDate)),
});

export type HistoryExportQuery = Static<typeof HistoryExportQuery>;
export type HistoryRow = Static<typeof HistoryRow>;
export type ReadingsQuery = Static<typeof ReadingsQuery>;
export type RawReading = Static<typeof RawReading>;

const checkSensorId = checker(SensorId);

const LISTS: readonly ListRule[] = [
  DEVICE_ID_LIST,
  { field: 'sensor', isEntry: (entry) => checkSensorId.accepts(entry), entries: 'names of sensors' },
];

export const checkReadingsQuery: Checker<ReadingsQuery> = withLists(checker(ReadingsQuery), LISTS);
export const checkHistoryExportQuery: Checker<HistoryExportQuery> = withLists(
  checker(HistoryExportQuery),
  LISTS,
);
