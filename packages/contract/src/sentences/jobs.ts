/** The `status_detail` of operations, by its `status_code`: what is known, what the service waits for, and until when. */
export const OPERATION_DETAILS = {
  start_given_out:
    "The start was given out at {started:time}; the device's acknowledgement is awaited until {until:time}.",
  operation_acknowledged:
    'The device acknowledged the start and has yet to report progress; its end is awaited until {until:time}, and then it is stopped.',
  operation_moving:
    'The device reported {moved:quantity} of {target:quantity} moved; its end is awaited until {until:time}, and then it is stopped.',
  operation_moving_unasked:
    'The device reported {moved:quantity} moved; it was started at the device, not through this service.',
  start_unacknowledged:
    'The device has not acknowledged the start and may begin until {until:time}; it is asked until it answers, and if it does not know the operation after that time, the operation is over.',
  operation_unheard:
    'Nothing was heard of it since {heard:time}, so it may still be running[, at the latest until {limit:time?} by its own limit]; the device is asked as soon as it is connected.',
  stop_requested:
    'A stop was requested at {requested:time}; the stop is repeated until the device confirms it[, or until it says after {decided:time?} that it does not know the operation].',
  stopping_because:
    'It is being stopped because {why:part}; the stop is repeated until the device confirms it[, or until it says after {decided:time?} that it does not know the operation].',
  stopping_moved_again:
    'It moved again at {again:time} after it had ended; the stop is repeated until the device confirms it[, or until it says after {decided:time?} that it does not know the operation].',
  stopping_moved_after_declared:
    'It moved again at {again:time} after {person:text} had declared it ended at {declared:time}; the stop is repeated until the device confirms it[, or until it says after {decided:time?} that it does not know the operation].',
  operation_completed:
    'The device reported that it completed the operation, with {moved:quantity} moved[; {scale:part?}][; {before:part?}].',
  operation_stopped:
    'The device confirmed the stop, with {moved:quantity} moved[; {scale:part?}][; {before:part?}].',
  operation_not_running:
    'The device does not know the operation, so it is not running; {reported:part}; {scale:part}.',
  operation_start_refused: 'The device refused the start, so nothing was moved: {why:part}.',
  operation_not_sent: '{why:Part}.',
  operation_failed_unknown: 'It failed: {why:part}.',
  operation_failed_unreported: 'It failed: {why:part}; {reported:part}; {scale:part}.',
  operation_failed:
    'It failed: {why:part}; the device reported {moved:quantity} moved[; {scale:part?}][; {before:part?}].',
  operation_end_declared: 'It was {why:part}; {reported:part}[; {scale:part?}].',
  stop_sent_not_stored:
    'The stop was sent to the device; it could not be stored yet, and the stop is repeated until it is.',
  stop_waits_not_stored:
    'The device is not connected, so the stop is sent as soon as it is; it could not be stored yet, and the stop is repeated until it is.',
} as const;

/** The `detail` of the steps of a trace that are no ends; an end has the `status_detail` of the operation. */
export const TRACE = {
  feed_requested: 'A feed of {amount:quantity}[ into {target:text?}] at {rate:quantity}.',
  discharge_requested: 'A discharge of {amount:quantity}[ into {target:text?}] at {rate:quantity}.',
  start_checked:
    'Accepted[ with {inside:quantity?} inside]: the device may move at most {most:quantity} in {seconds:number} s.',
  start_sent: 'The start was sent, valid until {until:time}.',
  start_was_not_sent: '{why:Part}.',
  begun_at_device: 'The device reported an operation that it began itself.',
  device_confirmed: 'The device confirmed that it has the operation.',
  last_report: 'Last report of the device: {moved:quantity} moved.',
  last_report_unknown: 'The device reported that it does not know the operation.',
  report_requested: 'The service asked the device for a report.',
  stop_was_requested: 'A stop was requested.',
  service_stops: 'The service stops it: {why:part}.',
  service_stops_moved_again: 'The service stops it: it moved after it had ended.',
  stop_last_sent: 'The stop was last sent to the device.',
  weight_last_changed: 'The scale last saw the weight change.',
  scale_measured: 'The scale shows {moved:quantity} moved.',
  end_declared: '{person:text} looked and declared it ended[: {reason:text?}].',
} as const;

/** The `status_detail` of commands. */
export const COMMAND_DETAILS = {
  command_queued: 'It waits for the device to connect[, until {until:time?}].',
  command_sent: 'It was sent; the device has not answered yet and is asked until {until:time}.',
  command_executing: 'The device carries it out; its next report is awaited until {until:time}.',
  command_succeeded: 'The device reported that it has carried it out.',
  command_timed_out: 'Its outcome is unknown: the device has not answered and is asked until {until:time}.',
  command_failed: 'It failed[: {why:part?}].',
  command_rejected: 'It was rejected by the device[: {why:part?}].',
  command_cancelled: 'It was cancelled[: {why:part?}].',
  command_expired: 'It was not carried out[: {why:part?}].',
  command_end_declared: 'It was {why:part}.',
  emergency_stop_waits:
    'The device is not connected; the emergency stop is sent as soon as it is, and until then nobody knows whether the device stands still.',
  emergency_stop_repeated:
    'It is repeated every second until the device confirms that it stands still[; its last answer: {answer:part?}].',
  emergency_stop_confirmed:
    'The device confirmed that it stands still; it accepts no movement until a person releases the emergency stop.',
  emergency_stop_released:
    'The device confirmed that it stands still; this emergency stop is no longer in force.',
  emergency_stop_ended: 'It ended without a confirmation[: {why:part?}].',
  emergency_stop_declared:
    'It was {why:part}; it is not repeated any more and stays in force until a person releases it.',
  emergency_stop_declared_released: 'It was {why:part}; this emergency stop is no longer in force.',
  stop_sent_not_stored: OPERATION_DETAILS.stop_sent_not_stored,
  stop_waits_not_stored: OPERATION_DETAILS.stop_waits_not_stored,
} as const;

/** Things that need attention, if neither an alert nor a job says so. */
export const ATTENTION = {
  job_on_offline_device: 'The device is offline, and a job is under way on it.',
} as const;

/** The `status_detail` of missions. */
export const MISSION_DETAILS = {
  mission_scheduled:
    'It begins at {start:time} if the device is connected and free; it is missed if it has not begun by {until:time}.',
  mission_may_have_begun: 'The device may have begun it and has yet to confirm {request:missionRequest}.',
  mission_told_to_start:
    'The device was told to start at {told:time} and has not reported that it began; it is asked every few seconds[; without a report it fails as lost at {lost:time?}].',
  mission_sent: 'It was sent to the device, whose answer is awaited until {until:time}.',
  mission_accepted:
    'The device has it; it is told to start at {start:time} or as soon as it is connected and free, until {until:time}.',
  mission_under_way:
    'It is under way, {reached:number} of {waypoints:number} <waypoints:waypoint|waypoints> reached[; the device has yet to confirm {request:missionRequest?}][, until {until:time?}].',
  mission_paused:
    'It is paused, {reached:number} of {waypoints:number} <waypoints:waypoint|waypoints> reached[; the device has yet to confirm {request:missionRequest?}][, until {until:time?}].',
  mission_under_way_silent:
    'It is under way, {reached:number} of {waypoints:number} <waypoints:waypoint|waypoints> reached when the device was last heard of; nothing was heard since {since:time}, and then it is to {action:failsafe}[; without a report it fails as lost at {lost:time?}].',
  mission_paused_silent:
    'It is paused, {reached:number} of {waypoints:number} <waypoints:waypoint|waypoints> reached when the device was last heard of; nothing was heard since {since:time}, and then it is to {action:failsafe}[; without a report it fails as lost at {lost:time?}].',
  mission_completed: 'The device reported that it is complete.',
  mission_aborted: 'It was aborted[: {why:part?}].',
  mission_failed: 'It failed[: {why:part?}].',
  mission_missed: 'It was missed[: {why:part?}].',
  mission_cancelled: 'It was cancelled[: {why:part?}].',
} as const;
