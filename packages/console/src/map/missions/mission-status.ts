import type { MissionRecord } from '@granary/contract/missions/missions';
import type { Texts } from '../../texts/en/texts.ts';

/** A mission that an emergency stop ended was not ended by the vehicle. */
export const missionStatus = (
  { status, result }: Pick<MissionRecord, 'status' | 'result'>,
  { statuses, endedByEmergencyStop }: Texts['missions'],
): string =>
  status === 'aborted' && result?.reason === 'emergency_stop' ? endedByEmergencyStop : statuses[status];
