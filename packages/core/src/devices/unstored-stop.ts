const STORED_LATER = 'it could not be stored yet, and the stop is repeated until it is';

/** The `status_detail` of a stop or an emergency stop that could not be stored. */
export const unstoredStopDetail = (isSent: boolean): string =>
  isSent
    ? `The stop was sent to the device; ${STORED_LATER}.`
    : `The device has no MQTT session, so the stop is sent when it connects; ${STORED_LATER}.`;
