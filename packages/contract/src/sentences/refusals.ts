import type { PARTS } from './parts.ts';
import type { Sentence } from './sentence.ts';

/** The `message` of refusals that say more than their error code; like parts they begin with a small letter. */
export const REFUSALS = {
  confirmation_by_oneself: 'this has to be confirmed with your PIN or password',
  confirmation_by_another: 'this has to be confirmed by another person who operates here',
  administrators_need_factor:
    'whoever administers needs a second factor or a passkey; set one up on your own page',
  confirmation_has_ended: 'the confirmation was used before or has ended; confirm it again',
  device_is_offline: 'the device is offline',
  device_is_silent: 'the device is connected, but has sent nothing for too long',
  device_not_listening:
    'the device sends readings, but is not connected for commands (it needs MQTT for that), so nothing can be sent to it',
  device_is_maintained: 'the device is in maintenance',
  weight_never_reported: 'the device has never reported its weight',
  weight_is_old: 'the last weight is {age:number} s old',
  weight_not_true: 'the last weight cannot be true, so nobody knows how much is inside',
  weight_before_last_end: 'the last weight was read before the operation before this one had ended',
  rate_too_high: 'the rate must be at most {limit:quantity}',
  rate_too_low: 'the rate would take longer than {days:number} <days:day|days>',
  amount_too_small: 'the amount is less than a gram',
  no_room:
    'there is room for {available:quantity} only[: up to {moved:quantity?} were moved after the last weight was read]',
  no_stock:
    'there is only {available:quantity} inside[: up to {moved:quantity?} were moved after the last weight was read]',
  operation_under_way: '{operation:Part} is under way on this device; wait for its end, or stop it',
  unreadable_operation_under_way:
    'an operation whose record cannot be read occupies this device; stop it at the device, or by its id {id:text}',
  stop_in_force: 'an emergency stop is in force: nothing may move until a person releases it',
  stop_not_confirmed_yet:
    'the device has not confirmed the emergency stop yet, so it may still move; it can be released once the stop is confirmed',
  no_base_to_return_to: 'the device has no base to return to; set one in its configuration',
  no_base_for_failsafe:
    'the device has no base to return to: set a base, or let its failsafe actions be hold or continue',
  base_used_by_mission:
    'the mission under way returns to the base when the link is lost: cancel it, or remove the base after its end',
  base_outside_fence: 'the base lies outside the geofence',
  target_outside_fence: 'the target lies outside the geofence',
  waypoint_outside_fence: 'waypoint {waypoint:waypoint} lies outside the geofence',
  waypoints_outside_fence: '{count:number} <count:waypoint lies|waypoints lie> outside the geofence',
  waypoint_not_reachable:
    'waypoint {waypoint:waypoint} cannot be reached, or left, without leaving the geofence',
  battery_not_enough:
    'it needs {required:number} % of the battery for {distance:number} m and {back:number} m back, and {reserve:number} % in reserve; there is {available:number} %',
  mission_at_that_time: 'another mission is under way or planned at that time',
  missions_ahead: 'the device has {count:number} <count:mission|missions> ahead of it',
  start_in_the_past: 'the scheduled start lies in the past',
  start_too_far_ahead: 'the scheduled start lies more than a year ahead',
  reading_is_old: 'the last {sensor:sensor} is {age:number} s old',
  reading_missing: 'the device has not reported its {sensor:sensor}',
  mission_not_in_state: 'the mission is {status:missionStatus}, so it cannot be {change:missionChange}',
  mission_being_cancelled: 'the mission is being cancelled, so it cannot be {change:missionChange}',
  operation_has_ended: 'the operation has already ended as {status:jobStatus}',
  operation_stop_first:
    'the operation is {status:jobStatus}: stop it first; its end can be declared if the device does not confirm the stop',
  operation_may_begin:
    'the device may still begin the operation until {until:time}; its end can be declared after that',
  operation_may_stop:
    'the device was told to stop and may still confirm it; its end can be declared from {from:time}',
  mission_has_ended: 'the mission has already ended as {status:jobStatus}',
  mission_has_not_begun: 'the mission has not begun: cancel it instead',
  mission_may_begin:
    'the device may still begin the mission until {until:time}; its end can be declared after that',
  mission_cancel_first:
    'the device is connected: cancel the mission first; its end can be declared if the device does not confirm that',
  mission_may_end:
    'the device was told to end the mission and may still confirm it; its end can be declared from {from:time}',
  command_has_ended: 'the command has already ended as {status:jobStatus}',
  command_not_sent_yet: 'the command has not been sent, and expires by itself',
  command_may_begin:
    'the device may still begin the command until {until:time}; its end can be declared after that',
  command_is_asked_for:
    'the device is connected and is asked what became of the command; send it another command, or an emergency stop',
  emergency_stop_may_be_confirmed:
    'the device may still confirm the emergency stop; its end can be declared from {from:time}',
  commands_to_answer: 'the device has {count:number} <count:command|commands> to answer first',
  device_is_busy:
    'something is under way on the device, or waits for it: {jobs:list}[ and {more:number?} more]; end it first',
  low_level_not_below_high: 'the low level ({low:number} %) must be below the high level ({high:number} %)',
  critical_level_between:
    'the critical level ({critical:number} %) must be below the low level ({low:number} %) or above the high level ({high:number} %)',
  critical_battery_not_below_low:
    'the critical battery level ({critical:number} %) must be below the low battery level ({low:number} %)',
  message_waits_already: 'the last one that you asked for still waits to be sent',
  messages_in_an_hour: 'you asked for {limit:number} of these within an hour, which is the limit',
  configuration_changed: 'the configuration is at version {current:number}, not {given:number}',
  device_changed: 'the device is at version {current:number}, not {given:number}',
} as const;

/** Why something was refused; the failure of a job can be the reason, too. */
export type RefusalMessage = Sentence<keyof typeof REFUSALS | keyof typeof PARTS>;
