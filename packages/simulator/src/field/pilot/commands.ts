import type { CommandAck, ExecuteCommand } from '@granary/contract/link/field-messages';
import { checkedTimeMs } from '@granary/contract/time';
import { pauseRun, resumeRun } from './mission-machine.ts';
import {
  addFinishedCommand,
  dropHeld,
  endMission,
  endStartedMission,
  endTask,
  isStanding,
  type Pilot,
} from './pilot.ts';

export interface Answered<Ack> {
  readonly pilot: Pilot;
  readonly ack: Ack;
}

/**
 * A repeated command is acknowledged each time and carried out at most once; a refused one stays refused. Only an emergency
 * stop that was not completed is carried out again.
 */
export function execute(pilot: Pilot, command: ExecuteCommand): Answered<CommandAck> {
  const { command_id } = command;
  const accepted = { command_id, accepted: true };
  if ([pilot.task, pilot.held].some((task) => task?.command.command_id === command_id)) {
    return { pilot, ack: accepted };
  }
  const known = pilot.commands.find((finished) => finished.command_id === command_id);
  const isUnfinishedStop = command.name === 'emergency_stop' && known?.state !== 'succeeded';
  if (known !== undefined && !isUnfinishedStop) {
    return { pilot, ack: known.state === 'unknown' ? refusal(command_id, known.reason) : accepted };
  }
  const reason = reasonToRefuse(pilot, command);
  if (reason === undefined) return { pilot: carryOut(pilot, command), ack: accepted };
  const refused = { command_id, state: 'unknown', reason, ts: pilot.body.timeMs } as const;
  return { pilot: addFinishedCommand(pilot, refused), ack: refusal(command_id, reason) };
}

const refusal = (command_id: string, reason?: string): CommandAck => ({
  command_id,
  accepted: false,
  ...(reason === undefined ? {} : { reason }),
});

export const STOP_IN_FORCE = 'an emergency stop is in force';

function reasonToRefuse(pilot: Pilot, { name, expires_at }: ExecuteCommand): string | undefined {
  const { task, held, mission, body, isStopped } = pilot;
  if (expires_at !== null && body.timeMs > checkedTimeMs(expires_at)) return 'it came too late';
  if (name === 'emergency_stop') return undefined;
  if (task?.command.name === 'emergency_stop') return 'an emergency stop is under way';
  if (name === 'release_emergency_stop') return undefined;
  if (isStopped) return STOP_IN_FORCE;
  if (name === 'hold' || name === 'return_to_base') return undefined;
  if (name === 'resume') {
    return held === null && mission?.state !== 'paused' ? 'there is nothing to resume' : undefined;
  }
  const isEngaged = mission !== null && mission.state !== 'uploaded';
  return isEngaged ? `${mission.upload.mission_id} is ${mission.state}` : undefined;
}

function carryOut(before: Pilot, command: ExecuteCommand): Pilot {
  const pilot = { ...before, isReturningHome: false };
  const because = `${command.name} came`;
  switch (command.name) {
    case 'emergency_stop':
      return begin(
        dropHeld(stopMission({ ...removeCommand(pilot, command), isStopped: true }), because),
        command,
      );
    case 'release_emergency_stop':
      return release(before, command);
    case 'hold':
      return begin(holdTask(pilot, because), command);
    case 'resume':
      return resumeHeldTask(pilot, command);
    case 'return_to_base':
      return begin(dropHeld(endStartedMission(pilot, 'aborted', because), because), command);
    case 'move_to_coordinates':
    case 'scan':
    case 'collect_sample':
      return begin(dropHeld(pilot, because), command);
  }
}

/** Nothing that was sent before the stop may begin after it, so an uploaded mission ends too. */
const stopMission = (pilot: Pilot): Pilot => endMission(pilot, 'aborted', 'emergency stop');

const removeCommand = (pilot: Pilot, { command_id }: ExecuteCommand): Pilot => ({
  ...pilot,
  commands: pilot.commands.filter((finished) => finished.command_id !== command_id),
});

/** A release causes no movement: every movement needs a new command. */
const release = (pilot: Pilot, { command_id }: ExecuteCommand): Pilot =>
  addFinishedCommand(
    { ...pilot, isStopped: false },
    { command_id, state: 'succeeded', ts: pilot.body.timeMs },
  );

/** A new command cancels the present one. */
const begin = (pilot: Pilot, command: ExecuteCommand): Pilot => ({
  ...endTask(pilot, 'cancelled', `${command.name} came`),
  task: { command, workedMs: 0 },
});

function holdTask(pilot: Pilot, because: string): Pilot {
  const { task, mission } = pilot;
  const paused = { ...pilot, mission: mission === null ? null : pauseRun(mission, because) };
  return task === null || isStanding(task)
    ? paused
    : { ...dropHeld(paused, because), task: null, held: task };
}

function resumeHeldTask(before: Pilot, { command_id, name }: ExecuteCommand): Pilot {
  const pilot = endTask(before, 'cancelled', `${name} came`);
  const { held, mission, body } = pilot;
  const resumed = { ...pilot, task: held, held: null, mission: mission === null ? null : resumeRun(mission) };
  return addFinishedCommand(resumed, { command_id, state: 'succeeded', ts: body.timeMs });
}
