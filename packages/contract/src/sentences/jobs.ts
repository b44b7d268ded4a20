/** The `status_detail` of operations, by its `status_code`: what is known, what the service waits for, and until when. */
export const OPERATION_DETAILS = {
  start_given_out: { started: 'time', until: 'time' },
  operation_acknowledged: { until: 'time' },
  operation_moving: { moved: 'quantity', target: 'quantity', until: 'time' },
  operation_moving_unasked: { moved: 'quantity' },
  start_unacknowledged: { until: 'time' },
  operation_unheard: { heard: 'time', limit: 'time?' },
  stop_requested: { requested: 'time', decided: 'time?' },
  stopping_because: { why: 'part', decided: 'time?' },
  stopping_moved_again: { again: 'time', decided: 'time?' },
  stopping_moved_after_declared: { again: 'time', person: 'text', declared: 'time', decided: 'time?' },
  operation_completed: { moved: 'quantity', scale: 'part?', before: 'part?' },
  operation_stopped: { moved: 'quantity', scale: 'part?', before: 'part?' },
  operation_not_running: { reported: 'part', scale: 'part' },
  operation_start_refused: { why: 'part' },
  operation_not_sent: { why: 'part' },
  operation_failed_unknown: { why: 'part' },
  operation_failed_unreported: { why: 'part', reported: 'part', scale: 'part' },
  operation_failed: { why: 'part', moved: 'quantity', scale: 'part?', before: 'part?' },
  operation_end_declared: { why: 'part', reported: 'part', scale: 'part?' },
  stop_sent_not_stored: {},
  stop_waits_not_stored: {},
} as const;

/** The `detail` of the steps of a trace that are no ends; an end has the `status_detail` of the operation. */
export const TRACE = {
  feed_requested: { amount: 'quantity', target: 'text?', rate: 'quantity' },
  discharge_requested: { amount: 'quantity', target: 'text?', rate: 'quantity' },
  start_checked: { inside: 'quantity?', most: 'quantity', seconds: 'number' },
  start_sent: { until: 'time' },
  start_was_not_sent: { why: 'part' },
  begun_at_device: {},
  device_confirmed: {},
  last_report: { moved: 'quantity' },
  last_report_unknown: {},
  report_requested: {},
  stop_was_requested: {},
  service_stops: { why: 'part' },
  service_stops_moved_again: {},
  stop_last_sent: {},
  weight_last_changed: {},
  scale_measured: { moved: 'quantity' },
  end_declared: { person: 'text', reason: 'text?' },
} as const;

/** The `status_detail` of commands. */
export const COMMAND_DETAILS = {
  command_queued: { until: 'time?' },
  command_sent: { until: 'time' },
  command_executing: { until: 'time' },
  command_succeeded: {},
  command_timed_out: { until: 'time' },
  command_failed: { why: 'part?' },
  command_rejected: { why: 'part?' },
  command_cancelled: { why: 'part?' },
  command_expired: { why: 'part?' },
  command_end_declared: { why: 'part' },
  emergency_stop_waits: {},
  emergency_stop_repeated: { answer: 'part?' },
  emergency_stop_confirmed: {},
  emergency_stop_released: {},
  emergency_stop_ended: { why: 'part?' },
  emergency_stop_declared: { why: 'part' },
  emergency_stop_declared_released: { why: 'part' },
  stop_sent_not_stored: OPERATION_DETAILS.stop_sent_not_stored,
  stop_waits_not_stored: OPERATION_DETAILS.stop_waits_not_stored,
} as const;

/** Things that need attention, if neither an alert nor a job says so. */
export const ATTENTION = {
  job_on_offline_device: {},
} as const;

/** The `status_detail` of missions. */
export const MISSION_DETAILS = {
  mission_scheduled: { start: 'time', until: 'time' },
  mission_may_have_begun: { request: 'missionRequest' },
  mission_told_to_start: { told: 'time', lost: 'time?' },
  mission_sent: { until: 'time' },
  mission_accepted: { start: 'time', until: 'time' },
  mission_under_way: { reached: 'number', waypoints: 'number', request: 'missionRequest?', until: 'time?' },
  mission_paused: { reached: 'number', waypoints: 'number', request: 'missionRequest?', until: 'time?' },
  mission_under_way_silent: {
    reached: 'number',
    waypoints: 'number',
    since: 'time',
    action: 'failsafe',
    lost: 'time?',
  },
  mission_paused_silent: {
    reached: 'number',
    waypoints: 'number',
    since: 'time',
    action: 'failsafe',
    lost: 'time?',
  },
  mission_completed: {},
  mission_aborted: { why: 'part?' },
  mission_failed: { why: 'part?' },
  mission_missed: { why: 'part?' },
  mission_cancelled: { why: 'part?' },
} as const;
