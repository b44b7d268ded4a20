/** Words for the values of a set; each of these lists is a kind of value in a template. */
export const WORDS = {
  job: { operation: 'an operation', mission: 'a mission', emergency_stop: 'an emergency stop' },
  failsafe: { continue: 'go on', hold: 'hold', return_to_base: 'return to its base' },
  found: { text: 'a text', boolean: 'true or false', null: 'empty', object: 'an object', list: 'a list' },
  timeUnit: { seconds: 'seconds', microseconds: 'microseconds', nanoseconds: 'nanoseconds' },
  notSent: {
    not_connected: 'the device is not connected',
    not_subscribed: 'the device is connected, but does not listen for commands',
    expired: 'it could not be sent in time',
    in_flight: 'another message to the device was in the way',
  },
  missionRequest: { pause: 'the pause', resume: 'that it goes on', cancel: 'that it has ended' },
  missionStatus: {
    scheduled: 'planned for later',
    dispatched: 'sent to the device, but not begun',
    in_progress: 'under way',
    paused: 'paused',
    completed: 'complete',
    aborted: 'aborted',
    failed: 'failed',
    missed: 'missed',
    cancelled: 'cancelled',
  },
} as const;
