import { type Static, Type } from 'typebox';
import { PageQuery } from '../envelope.ts';
import { DeviceId } from '../ids.ts';
import { checker, closed, described } from '../input/schema.ts';
import { form, line } from '../input/text-schemas.ts';
import { Timestamp } from '../input/timestamp.ts';
import { codeField, VALUES } from '../sentence-fields.ts';
import { sentence } from '../sentences/codes.ts';
import { FORECAST_REASONS, GRAIN_REASONS } from '../sentences/foresight.ts';

/**
 * `ok`: there is a forecast; `learning`: too few full days are known; `not_in_use`: nothing was taken out for 14 days;
 * `stale`: the level is no longer known; `unpredictable`: a date would be misleading, and the reasons say why; `empty`:
 * nothing usable is left.
 */
export const FORECAST_STATUSES = ['ok', 'learning', 'not_in_use', 'stale', 'unpredictable', 'empty'] as const;
export const HORIZON_DAYS_MAX = 30;
export const HORIZON_DAYS_DEFAULT = 14;

const NumberOrNull = Type.Union([Type.Number(), Type.Null()]);
const TimestampOrNull = Type.Union([Timestamp, Type.Null()]);

/** A sentence for people, with its code and values. */
export const Reason = closed({
  code: codeField({ ...FORECAST_REASONS, ...GRAIN_REASONS }),
  text: described('One sentence in English.', Type.String()),
  values: VALUES,
});

const Window = closed({ from: Timestamp, to: Timestamp });

const Use = closed({
  kg_per_day: described('What the next day is expected to use.', Type.Number()),
  change_percent: described('Against the week before; `null` while it is not known.', NumberOrNull),
});

const EmptyTimes = closed({
  p10: described('With 10 % probability it is empty before this time.', TimestampOrNull),
  p50: described(
    '`null`, like the others, if it is further away than the forecast reaches.',
    TimestampOrNull,
  ),
  p90: TimestampOrNull,
});

const Suggestion = closed({
  kg: described('What fits at the time of the delivery.', Type.Number()),
  fits_from: described('When all of it has room, if little is used until then.', Timestamp),
  fits_now_kg: described('How much of it has room now.', Type.Number()),
  deliver_between: Window,
});

/** The accuracy of the past forecasts of this silo. */
const Score = closed({
  horizon_days: Type.Number(),
  forecasts: described('How many were compared with what happened.', Type.Integer({ minimum: 0 })),
  mean_error_h: described('By how many hours they were off, on average.', Type.Number()),
  inside_percent: described('How often it happened inside the range from p10 to p90.', Type.Number()),
});

export const PathPoint = closed({
  at: Timestamp,
  p10: described('kg; with 10 % probability less is left.', Type.Number()),
  p25: Type.Number(),
  p50: Type.Number(),
  p75: Type.Number(),
  p90: Type.Number(),
});

const ExpectedDelivery = closed({
  at: Timestamp,
  kg: Type.Number(),
  fits_kg: described('How much of it has room at its time, if little is used until then.', Type.Number()),
  fits_from: described('When all of it has room; `null` if that is not in sight.', TimestampOrNull),
});

const WithDeliveries = closed({
  deliveries: Type.Array(ExpectedDelivery),
  empty: described(
    'When only the reserve is left if they come; `null` if that is not in sight.',
    Type.Union([EmptyTimes, Type.Null()]),
  ),
});

const forecastFields = {
  status: Type.Enum(FORECAST_STATUSES),
  made_at: Timestamp,
  time_zone: described('Of the silo: people there mean their own days and hours.', Type.String()),
  level_kg: described('The level that it begins with; `null` if it is not known.', NumberOrNull),
  usable_kg: described('Without the reserve.', NumberOrNull),
  use: Type.Union([Use, Type.Null()]),
  empty: described(
    'When only the reserve is left if nothing is delivered; `null` where nothing can be said.',
    Type.Union([EmptyTimes, Type.Null()]),
  ),
  with_deliveries: described(
    'The same if the planned deliveries come; `null` where none is planned or nothing can be said.',
    Type.Union([WithDeliveries, Type.Null()]),
  ),
  order_by: described(
    'The latest time to order; it has passed if an order would come late. `null` where none is needed or nothing can be said.',
    TimestampOrNull,
  ),
  suggestion: Type.Union([Suggestion, Type.Null()]),
  reasons: Type.Array(Reason),
  score: described('`null` until forecasts could be compared.', Type.Union([Score, Type.Null()])),
};

export const Forecast = closed({
  ...forecastFields,
  path: described('The level as it is expected if nothing is delivered.', Type.Array(PathPoint)),
  path_with_deliveries: described(
    'The level if the planned deliveries come, with a point before and one after each of them; empty where none is planned.',
    Type.Array(PathPoint),
  ),
});

/** The forecast of one silo in a list, without its path. */
export const ForecastSummary = closed({
  device_id: DeviceId,
  name: Type.String(),
  location: closed({ facility: Type.String(), zone: Type.String() }),
  product: described('Its name in the configuration.', Type.Union([Type.String(), Type.Null()])),
  bushel_kg: described(
    'What a US bushel of the product weighs: by its density, or else the standard weight of its grain; `null` where neither is known.',
    NumberOrNull,
  ),
  capacity_kg: Type.Number(),
  ...forecastFields,
});

/** The event of a forecast that has moved by more than six hours, or whose status has changed. */
export const ForecastChange = closed({
  device_id: DeviceId,
  previous_status: Type.Union([Type.Enum(FORECAST_STATUSES), Type.Null()]),
  status: Type.Enum(FORECAST_STATUSES),
  made_at: Timestamp,
  level_kg: NumberOrNull,
  empty: Type.Union([EmptyTimes, Type.Null()]),
  order_by: TimestampOrNull,
  suggestion: Type.Union([Suggestion, Type.Null()]),
});

export const ForecastQuery = closed({
  horizon: Type.Optional(
    described(
      'How far the path goes: `14d` when not given, at most `30d`.',
      Type.String({
        pattern: '^([1-9]|[12][0-9]|30)d$',
        maxLength: 3,
        ...form(sentence('days_ahead')),
      }),
    ),
  ),
});

export const ForecastListQuery = closed({
  ...PageQuery.properties,
  facility: Type.Optional(line(200)),
  zone: Type.Optional(line(200)),
  device_id: Type.Optional(DeviceId),
  product: Type.Optional(described('The name of the product.', line(100))),
  status: Type.Optional(Type.Enum(FORECAST_STATUSES)),
  order_by_before: Type.Optional(
    described('Only silos that must be ordered for before this time.', Timestamp),
  ),
  sort: Type.Optional(
    described('`order_by` when not given: the most urgent first.', Type.Enum(['order_by', 'device_id'])),
  ),
});

export type ForecastStatus = (typeof FORECAST_STATUSES)[number];
export type Reason = Static<typeof Reason>;
export type PathPoint = Static<typeof PathPoint>;
export type Forecast = Static<typeof Forecast>;
export type ForecastSummary = Static<typeof ForecastSummary>;
export type ForecastChange = Static<typeof ForecastChange>;
export type ForecastQuery = Static<typeof ForecastQuery>;
export type ForecastListQuery = Static<typeof ForecastListQuery>;

export const checkForecastQuery = checker(ForecastQuery);
export const checkForecastListQuery = checker(ForecastListQuery);
