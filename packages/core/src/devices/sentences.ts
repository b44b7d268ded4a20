/** Why nothing was sent to a device that sends readings, but has no live MQTT session that is subscribed to its commands. */
export const NOT_LISTENING =
  'the device sends readings, but is not connected for commands (it needs MQTT for that), so nothing can be sent to it';

const STORED_LATER = 'it could not be stored yet, and the stop is repeated until it is';

/** The `status_detail` of a stop or an emergency stop that could not be stored. */
export const unstoredStopDetail = (isSent: boolean): string =>
  isSent
    ? `The stop was sent to the device; ${STORED_LATER}.`
    : `The device is not connected, so the stop is sent as soon as it is; ${STORED_LATER}.`;
