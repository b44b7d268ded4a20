import { FAULTS_FOUND } from './foresight.ts';
import type { Sentence } from './sentence.ts';

/** The `message` of alerts, by its code. */
export const ALERTS = {
  level_below: 'Level is {level:percent}, at or below the limit of {limit:number} %',
  level_above: 'Level is {level:percent}, at or above the limit of {limit:number} %',
  battery_below: 'Battery is at {level:percent}, at or below the limit of {limit:number} %',
  sensor_above: '{sensor:Sensor} is {value:quantity}, at or above the limit of {limit:quantity}',
  sensor_below: '{sensor:Sensor} is {value:quantity}, at or below the limit of {limit:quantity}',
  sensor_above_named:
    '{name:text}: {sensor:sensor} is {value:quantity}, at or above the limit of {limit:quantity}',
  sensor_below_named:
    '{name:text}: {sensor:sensor} is {value:quantity}, at or below the limit of {limit:quantity}',
  sensors_silent: '{sensors:List}[, {more:number?} more], although the device is online',
  sensors_implausible: '{sensors:Clauses}[; {more:number?} more]',
  went_offline: 'The device is offline',
  went_offline_during: 'The device is offline during {job:job}',
  readings_refused:
    'Its readings are refused: {cause:part} ({messages:number} <messages:message|messages> in a row since {since:time})',
  readings_partly_refused:
    'A part of its readings is refused: {cause:part} ({messages:number} <messages:message|messages> in a row since {since:time})',
  clock_ahead_or_late:
    'Its clock is {offset:duration} ahead, or it sends its readings {offset:duration} late: they count as old, so no level or limit is watched',
  clock_behind_or_late:
    'Its clock is {offset:duration} behind, or it sends its readings {offset:duration} late: they count as old, so no level or limit is watched',
  two_clients:
    'Two clients log in as this device and replace each other: {takeovers:number} times within a minute, from {addresses:names}',
  two_clients_same_address:
    'Two clients log in as this device and replace each other: {takeovers:number} times within a minute, all from {address:text}',
  two_clients_or_bad_link:
    'Two clients log in as this device, or its connection is lost again and again: {takeovers:number} new connections within a minute; only the broker knows their addresses',
  maintenance_overdue: 'Maintenance was due at {due:time}',
  operation_stalled: '{operation:Part} stalled[ at {moved:quantity?}]: {why:part}',
  operation_overran: '{operation:Part} did not end in time[ at {moved:quantity?}]: {why:part}',
  operation_refused: '{operation:Part} was refused by the device, so nothing moved: {why:part}',
  operation_outcome_unknown: '{operation:Part} ended without a known outcome: {why:part}',
  operation_declared_ended: '{operation:Part} was {why:part}',
  operation_broke_off: '{operation:Part} failed[ at {moved:quantity?}]: {why:part}',
  operation_stop_unconfirmed:
    '{operation:Part}: the device has not confirmed the stop, so it may still be moving; the stop is repeated until it does',
  operation_unasked: 'An operation was started at the device, not through this service',
  feed_unasked: 'A feed was started at the device, not through this service',
  discharge_unasked: 'A discharge was started at the device, not through this service',
  operation_imbalance:
    '{operation:Part}: the device reported {reported:quantity}, the scale shows {measured:quantity}, a difference of {difference:number} %',
  outside_fence: 'The device is outside its geofence at {place:place}; it is to {action:failsafe}',
  mission_ended_badly: '{mission:mission} {status:missionStatus}[: {why:part?}]',
  mission_start_unanswered:
    '{mission:mission} was told to start, and the device does not say whether it began',
  mission_pause_unconfirmed:
    '{mission:mission}: the device has not confirmed the pause, so it may still be moving; it is told again until it does',
  mission_end_unconfirmed:
    '{mission:mission}: the device has not confirmed that it has ended, so it may still be moving; it is told again until it does',
  stop_unconfirmed:
    'The device has not confirmed the emergency stop, so it may still move; the stop is repeated until it does[; its last answer: {answer:part?}]',
  may_run_empty: 'It may run empty in {left:duration}, and no delivery is planned before that',
  nothing_usable_left: 'Nothing usable is left',
  ...FAULTS_FOUND,
} as const;

/** The message of an alert. */
export type AlertMessage = Sentence<keyof typeof ALERTS>;
