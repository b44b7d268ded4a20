import { sentence } from '@granary/contract/sentences/english';

/** The `status_detail` of a stop or an emergency stop that could not be stored. */
export const unstoredStopDetail = (isSent: boolean) =>
  sentence(isSent ? 'stop_sent_not_stored' : 'stop_waits_not_stored');
