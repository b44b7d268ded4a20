import { type Static, Type } from 'typebox';
import { ALERT_SEVERITIES } from '../alerts.ts';
import { SensorId } from '../devices/sensors.ts';
import { closed, described } from '../input/schema.ts';
import { line } from '../input/text-schemas.ts';
import { Timestamp } from '../input/timestamp.ts';

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
const RULE_MESSAGE_CHARS_MAX = 200;

/** Every rule of a device is computed in each evaluation. */
export const RULES_MAX = 64;

const AlarmDelay = Type.Number({ minimum: 0, maximum: ALARM_DELAY_S_MAX });

/** The reporting interval, and how long the device may be offline before `device_offline` is raised. */
export const Reporting = closed({
  interval_s: Type.Number({ exclusiveMinimum: 0, maximum: INTERVAL_S_MAX }),
  offline_delay_s: Type.Number({ minimum: 0, maximum: OFFLINE_DELAY_S_MAX }),
});

/** Dead band and delays, so that noise at a threshold does not raise an alarm repeatedly. */
export const Alarms = closed({
  dead_band: described(
    'Percentage points by which a value must leave its threshold before the alarm may clear.',
    Type.Number({ minimum: 0, maximum: DEAD_BAND_MAX }),
  ),
  on_delay_s: described(
    'How long a measured value must be beyond its threshold before the alarm is raised.',
    AlarmDelay,
  ),
  off_delay_s: described('How long the condition must be absent before the alarm clears.', AlarmDelay),
});

/**
 * A threshold of one sensor, which raises an alert of type `sensor_threshold`. It has exactly one of `above` and `below`;
 * sensor, side and severity identify it.
 */
export const ThresholdRule = closed({
  sensor_id: SensorId,
  above: Type.Optional(described('Present while the value is at or above it.', Type.Number())),
  below: Type.Optional(described('Present while the value is at or below it.', Type.Number())),
  severity: Type.Enum(ALERT_SEVERITIES),
  dead_band: Type.Optional(
    described('In the unit of the sensor; 0 when not given.', Type.Number({ minimum: 0 })),
  ),
  on_delay_s: Type.Optional(described('Like `off_delay_s`, the one of `alarms` when not given.', AlarmDelay)),
  off_delay_s: Type.Optional(AlarmDelay),
  message: Type.Optional(
    described(
      'The first part of the text of the alert; the measured value and the threshold follow it.',
      line(RULE_MESSAGE_CHARS_MAX),
    ),
  ),
});

const ThresholdRules = Type.Array(ThresholdRule, { maxItems: RULES_MAX });

/** The part of the configuration that every kind of device has. */
export const monitoringFields = { reporting: Reporting, alarms: Alarms, rules: ThresholdRules };
export const monitoringPatchFields = {
  reporting: Type.Optional(Type.Partial(Reporting, { additionalProperties: false })),
  alarms: Type.Optional(Type.Partial(Alarms, { additionalProperties: false })),
  rules: Type.Optional(described('Replaced as a whole.', ThresholdRules)),
};

export type Reporting = Static<typeof Reporting>;
export type Alarms = Static<typeof Alarms>;
export type ThresholdRule = Static<typeof ThresholdRule>;
export type Maintenance = Static<typeof Maintenance>;
