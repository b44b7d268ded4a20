import type { CommandProgress, ExecuteCommand, MissionProgress } from '@granary/contract/link/field-messages';
import type { ReceivedConfiguration } from '../received-configuration.ts';
import type { RoverBody } from '../vehicle/chassis.ts';
import { type MissionRun, progressOfRun } from './mission-machine.ts';

/** More commands than can be sent before the oldest of them has expired. */
const FINISHED_COMMANDS_MAX = 64;
const FINISHED_MISSIONS_MAX = 16;

/** A command that is being carried out. */
export interface Task {
  readonly command: ExecuteCommand;
  /** The time for which the command has been carried out. */
  readonly workedMs: number;
}

/**
 * The state of a field device: its body, its present job and its ended jobs. Among the ended jobs `unknown` marks those
 * that were refused, or cancelled before they arrived.
 */
export interface Pilot {
  readonly body: RoverBody;
  /** The last configuration that was received. */
  readonly configuration: ReceivedConfiguration | null;
  readonly task: Task | null;
  /** The command that `hold` interrupted. */
  readonly held: Task | null;
  readonly mission: MissionRun | null;
  /** The device returns to its base because of a failsafe action. */
  readonly isReturningHome: boolean;
  /** An emergency stop is in force: nothing moves until it is released. */
  readonly isStopped: boolean;
  /** The ended commands, oldest first. */
  readonly commands: readonly CommandProgress[];
  readonly missions: readonly MissionProgress[];
}

export const isStanding = ({ command }: Task): boolean =>
  command.name === 'hold' || command.name === 'emergency_stop';

/** The device carries out a job other than standing still. */
export const isUnderWay = ({ task, mission, isReturningHome }: Pilot): boolean =>
  isReturningHome || mission?.state === 'running' || (task !== null && !isStanding(task));

/** The progress message of a command. */
export function commandProgress(pilot: Pilot, command_id: string, ts: number): CommandProgress {
  const isOpen = [pilot.task, pilot.held].some((task) => task?.command.command_id === command_id);
  if (isOpen) return { command_id, state: 'executing', ts };
  const known = pilot.commands.find((command) => command.command_id === command_id);
  return known === undefined ? { command_id, state: 'unknown', ts } : { ...known, ts };
}

/** The progress message of a mission, with the states of its waypoints. */
export function missionProgress(
  { mission, missions }: Pilot,
  mission_id: string,
  ts: number,
): MissionProgress {
  if (mission?.upload.mission_id === mission_id) return progressOfRun(mission, ts);
  const known = missions.find((finished) => finished.mission_id === mission_id);
  return known === undefined ? { mission_id, state: 'unknown', ts } : { ...known, ts };
}

export const addFinishedCommand = (pilot: Pilot, command: CommandProgress): Pilot => ({
  ...pilot,
  commands: [...pilot.commands, command].slice(-FINISHED_COMMANDS_MAX),
});

export const addFinishedMission = (pilot: Pilot, mission: MissionProgress): Pilot => ({
  ...pilot,
  missions: [...pilot.missions, mission].slice(-FINISHED_MISSIONS_MAX),
});

type CommandEnd = 'succeeded' | 'failed' | 'cancelled';

export function endTask(pilot: Pilot, state: CommandEnd, reason?: string): Pilot {
  const { task, body } = pilot;
  return task === null ? pilot : closed({ ...pilot, task: null }, task, state, body.timeMs, reason);
}

export function dropHeld(pilot: Pilot, reason: string): Pilot {
  const { held, body } = pilot;
  return held === null ? pilot : closed({ ...pilot, held: null }, held, 'cancelled', body.timeMs, reason);
}

function closed(pilot: Pilot, { command }: Task, state: CommandEnd, ts: number, reason?: string): Pilot {
  const why = reason === undefined ? {} : { reason };
  return addFinishedCommand(pilot, { command_id: command.command_id, state, ...why, ts });
}

type MissionEnd = 'completed' | 'aborted' | 'failed';

export function endMission(pilot: Pilot, state: MissionEnd, reason?: string): Pilot {
  const { mission, body } = pilot;
  if (mission === null) return pilot;
  const end = reason === undefined ? { state } : { state, reason };
  return addFinishedMission({ ...pilot, mission: null }, progressOfRun(mission, body.timeMs, end));
}

/** Ends a mission that has begun; an uploaded one keeps waiting for its start. */
export const endStartedMission = (pilot: Pilot, state: MissionEnd, reason: string): Pilot =>
  pilot.mission?.state === 'uploaded' ? pilot : endMission(pilot, state, reason);
