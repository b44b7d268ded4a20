import { type Static, Type } from 'typebox';
import { ALERT_SEVERITIES } from '../alerts.ts';
import { PageQuery } from '../envelope.ts';
import { DeviceId } from '../ids.ts';
import { checker, closed, described } from '../input/schema.ts';
import { line } from '../input/text-schemas.ts';
import { Timestamp } from '../input/timestamp.ts';
import { codeField } from '../sentence-fields.ts';
import { FINDINGS } from '../sentences/foresight.ts';
import { Reason } from './forecasts.ts';
import { GRAINS } from './silo-use.ts';

export const FINDING_TYPES = [
  'no_flow',
  'unexplained_loss',
  'delivery_mismatch',
  'sensor_suspect',
  'hot_spot',
  'storage_life',
] as const;

/** `inconclusive` means that the data are not sufficient; the evidence has the lowest rate that they would show. */
export const FINDING_RESULTS = ['pass', 'fail', 'inconclusive'] as const;

const NumberOrNull = Type.Union([Type.Number(), Type.Null()]);
const TextOrNull = Type.Union([Type.String(), Type.Null()]);

/** The result of an examination of a silo. */
export const Finding = closed({
  device_id: DeviceId,
  name: Type.String(),
  type: Type.Enum(FINDING_TYPES),
  sensor_id: described('The sensor that it is about, if it is about one.', TextOrNull),
  result: Type.Enum(FINDING_RESULTS),
  severity: described('Of a `fail`.', Type.Union([Type.Enum(ALERT_SEVERITIES), Type.Null()])),
  since: described('Since when the result is this one.', Timestamp),
  checked_at: Timestamp,
  code: codeField(FINDINGS),
  text: described('One sentence in English.', Type.String()),
  evidence: closed({
    from: described('The time that was looked at.', Timestamp),
    to: Timestamp,
    values: described(
      'The measured numbers; their names end in their unit.',
      Type.Record(Type.String(), NumberOrNull),
    ),
    limit: described('What the measured number was compared with.', NumberOrNull),
  }),
});

export const FindingQuery = closed({
  ...PageQuery.properties,
  facility: Type.Optional(line(200)),
  zone: Type.Optional(line(200)),
  device_id: Type.Optional(DeviceId),
  type: Type.Optional(Type.Enum(FINDING_TYPES)),
  result: Type.Optional(
    described('`fail` when not given; `all` for every one.', Type.Enum([...FINDING_RESULTS, 'all'])),
  ),
});

export const POINT_STATES = ['covered', 'uncovered', 'unknown'] as const;
export const CABLE_STATUSES = ['watched', 'settling', 'no_data'] as const;
export const WEATHER_SOURCES = ['forecast', 'course_of_last_days', 'last_value', 'none'] as const;
export const AERATION_ACTIONS = ['cool', 'dry'] as const;

const CablePoint = closed({
  sensor_id: Type.String(),
  cable: Type.Integer(),
  point: Type.Integer(),
  height_m: NumberOrNull,
  state: described('Whether it is in the grain.', Type.Enum(POINT_STATES)),
  temperature_c: described('The mean of the last full day.', NumberOrNull),
  warmer_by_c: described('Than the points around it.', NumberOrNull),
  slope_c_per_day: NumberOrNull,
  severity: described('Of a hot spot.', Type.Union([Type.Enum(ALERT_SEVERITIES), Type.Null()])),
});

/** Hours in which a fan helps. */
const AerationWindow = closed({
  from: Timestamp,
  to: Timestamp,
  action: Type.Enum(AERATION_ACTIONS),
  reason: Reason,
});

const Aeration = closed({
  weather: described('Where the weather of the next 48 hours is taken from.', Type.Enum(WEATHER_SOURCES)),
  windows: Type.Array(AerationWindow),
  reason: described(
    'Why most of the other hours are not advised; `null` without weather.',
    Type.Union([Reason, Type.Null()]),
  ),
  target_moisture_percent: Type.Number(),
  fan_heat_c: Type.Number(),
  front_hours: described('How long a fan runs until the cooled air has passed all grain.', Type.Number()),
});

const Storage = closed({
  used_percent: Type.Number(),
  remaining_days: described('At the present temperature and moisture.', Type.Number()),
  since: Timestamp,
});

/** The state of the grain in a silo. */
export const GrainState = closed({
  made_at: Timestamp,
  grain: described(
    '`null` unless the product has one; then only temperatures are shown.',
    Type.Union([Type.Enum(GRAINS), Type.Null()]),
  ),
  model: described('The formula behind the moisture; it is right to about one point.', TextOrNull),
  temperature_c: described('The mean of the covered points, or that of the silo.', NumberOrNull),
  moisture_percent: described(
    'Of the configuration; otherwise in equilibrium with the air in the silo.',
    NumberOrNull,
  ),
  equilibrium_moisture_percent: described('Wet basis, of grain in the air of the silo.', NumberOrNull),
  storage: described('The used part of the safe storage time.', Type.Union([Storage, Type.Null()])),
  cable_status: described(
    '`settling`: grain was filled, moved or aerated, so slopes mean nothing yet.',
    Type.Enum(CABLE_STATUSES),
  ),
  points: described('A point sees about half a metre around it.', Type.Array(CablePoint)),
  moisture_migrates: described(
    'Moisture moves to the top, because the air outside is much colder.',
    Type.Boolean(),
  ),
  aeration: described('Advice only: nothing is switched.', Type.Union([Aeration, Type.Null()])),
  reasons: described('What is missing for more.', Type.Array(Reason)),
});

export type FindingType = (typeof FINDING_TYPES)[number];
export type FindingResult = (typeof FINDING_RESULTS)[number];
export type Finding = Static<typeof Finding>;
export type FindingQuery = Static<typeof FindingQuery>;
export type CablePoint = Static<typeof CablePoint>;
export type GrainState = Static<typeof GrainState>;

export const checkFindingQuery = checker(FindingQuery);
