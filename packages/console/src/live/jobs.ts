import type { CommandStatus } from '@granary/contract/commands';
import type { MissionStatus } from '@granary/contract/missions/missions';
import type { OperationStatus } from '@granary/contract/operations';

/** The statuses of jobs that have begun and have not ended, as the overview of the service counts them. */
export const OPERATION_UNDER_WAY: readonly OperationStatus[] = [
  'started',
  'in_progress',
  'stopping',
  'unconfirmed',
];
export const MISSION_UNDER_WAY: readonly MissionStatus[] = ['dispatched', 'in_progress', 'paused'];
export const COMMAND_UNDER_WAY: readonly CommandStatus[] = ['queued', 'sent', 'executing'];
