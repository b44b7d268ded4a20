import { sentence } from '@granary/contract/sentences/english';

/** Why nothing was sent to a device that sends readings, but has no live MQTT session that is subscribed to its commands. */
export const NOT_LISTENING =
  'the device sends readings, but is not connected for commands (it needs MQTT for that), so nothing can be sent to it';

/** The `status_detail` of a stop or an emergency stop that could not be stored. */
export const unstoredStopDetail = (isSent: boolean) =>
  sentence(isSent ? 'stop_sent_not_stored' : 'stop_waits_not_stored');
