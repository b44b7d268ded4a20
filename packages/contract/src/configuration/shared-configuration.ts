import { type Static, Type } from 'typebox';
import { closed } from '../input/closed.ts';
import { Timestamp } from '../time.ts';

export const Percent = Type.Number({ minimum: 0, maximum: 100 });

export const Maintenance = closed({
  next_scheduled: Timestamp,
  interval_hours: Type.Number({ exclusiveMinimum: 0, maximum: 1e6 }),
});

const DAY_S = 86_400;
const INTERVAL_S_MAX = DAY_S;
const OFFLINE_DELAY_S_MAX = 7 * DAY_S;
const ALARM_DELAY_S_MAX = DAY_S;
const DEAD_BAND_MAX = 10;

/** The reporting interval, and how long the device may be offline before `device_offline` is raised. */
export const Reporting = closed({
  interval_s: Type.Number({ exclusiveMinimum: 0, maximum: INTERVAL_S_MAX }),
  offline_delay_s: Type.Number({ minimum: 0, maximum: OFFLINE_DELAY_S_MAX }),
});

/** Dead band and delays, so that noise at a threshold does not raise an alarm repeatedly. */
export const Alarms = closed({
  /** Percentage points by which a value must leave its threshold before the alarm may clear. */
  dead_band: Type.Number({ minimum: 0, maximum: DEAD_BAND_MAX }),
  /** How long a measured value must be beyond its threshold before the alarm is raised. */
  on_delay_s: Type.Number({ minimum: 0, maximum: ALARM_DELAY_S_MAX }),
  /** How long the condition must be absent before the alarm clears. */
  off_delay_s: Type.Number({ minimum: 0, maximum: ALARM_DELAY_S_MAX }),
});

/** The part of the configuration that every kind of device has. */
export const monitoringFields = { reporting: Reporting, alarms: Alarms };
export const monitoringPatchFields = {
  reporting: Type.Optional(Type.Partial(Reporting, { additionalProperties: false })),
  alarms: Type.Optional(Type.Partial(Alarms, { additionalProperties: false })),
};

export type Reporting = Static<typeof Reporting>;
export type Alarms = Static<typeof Alarms>;
export type Maintenance = Static<typeof Maintenance>;
