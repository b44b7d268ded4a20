import { type Static, Type } from 'typebox';
import { ALERT_SEVERITIES, ALERT_TYPES } from './alerts.ts';
import { DeviceId } from './ids.ts';
import { checker, closed, described } from './input/schema.ts';
import { line } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './time.ts';

/** How many alerts one person can handle in an hour on average, after ISA-18.2 and EEMUA 191: acceptable, and at most manageable. */
export const RAISED_PER_HOUR_ACCEPTABLE = 6;
export const RAISED_PER_HOUR_MANAGEABLE = 12;
/** More raises than this in ten minutes are a flood. */
export const FLOOD_RAISES_MAX = 10;
/** An alert chatters if it is raised this often within ten minutes. */
export const CHATTERING_RAISES = 3;
export const TEN_MINUTES_MS = 10 * MINUTE_MS;
/** A condition that lasts longer than this counts as standing. */
export const STANDING_MS = DAY_MS;
export const STATISTICS_MS_MAX = 31 * DAY_MS;
export const STATISTICS_MS_USUAL = 7 * DAY_MS;
export const MOST_FREQUENT_MAX = 10;
export const LISTED_MAX = 20;

const Count = Type.Integer({ minimum: 0 });

const AlertStatisticsQuery = closed({
  from: Type.Optional(described('Seven days before `to` when not given; at most 31.', Timestamp)),
  to: Type.Optional(described('Not included; now when not given.', Timestamp)),
  facility: Type.Optional(line(200)),
});

const ofDevice = {
  device_id: DeviceId,
  device_name: Type.String(),
  facility: Type.String(),
  type: Type.Enum(ALERT_TYPES),
};

/** How often the alerts of one type of a device were raised. */
export const RaisedAlerts = closed({
  ...ofDevice,
  severity: described('The most severe one.', Type.Enum(ALERT_SEVERITIES)),
  raised: described('How often.', Type.Integer({ minimum: 1 })),
  last_at: Timestamp,
});

/** An alert is raised each time it becomes `active`, also again after it was `cleared` or `acknowledged`. */
export const AlertStatistics = closed({
  from: Timestamp,
  to: Timestamp,
  raised: closed({ total: Count, info: Count, warning: Count, critical: Count }),
  per_hour: described('The mean over the whole time.', Type.Number()),
  flood_periods: described('Ten minutes with more than ten raised alerts.', Count),
  bucket_minutes: Type.Integer({ minimum: 1 }),
  buckets: described(
    'Without those in which nothing was raised.',
    Type.Array(closed({ from: Timestamp, raised: Count })),
  ),
  most_frequent: described('At most ten.', Type.Array(RaisedAlerts)),
  chattering: described(
    'Raised three times or more within ten minutes; `raised` counts the third and the further ones. At most 20.',
    Type.Array(RaisedAlerts),
  ),
  standing: described(
    'Now active or acknowledged for more than 24 hours, the longest first; at most 20 are listed.',
    closed({
      total: Count,
      alerts: Type.Array(
        closed({
          ...ofDevice,
          severity: Type.Enum(ALERT_SEVERITIES),
          since: described(
            '`null` if that is longer ago than alerts are kept.',
            Type.Union([Timestamp, Type.Null()]),
          ),
        }),
      ),
    }),
  ),
  shelved: described('Open alerts that are shelved now.', Count),
});

export type RaisedAlerts = Static<typeof RaisedAlerts>;
export type AlertStatistics = Static<typeof AlertStatistics>;

export const checkAlertStatisticsQuery = checker(AlertStatisticsQuery);

/** The bucket is an hour, or a day if there would be too many hours. */
export const bucketMsOf = (rangeMs: number): number => (rangeMs <= 15 * DAY_MS ? HOUR_MS : DAY_MS);
