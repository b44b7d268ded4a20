import type { FieldConfiguration } from '@granary/contract/configuration/field-configuration';
import type { CommandProgress, ExecuteCommand, MissionProgress } from '@granary/contract/link/field-messages';
import { type MissionRun, progressOfRun } from './missions/mission-machine.ts';
import type { RoverBody } from './vehicle/rover-body.ts';

/** More than can be sent before the oldest among them has expired. */
const COMMANDS_REMEMBERED_MAX = 64;
const MISSIONS_REMEMBERED_MAX = 16;

/** A command under way. */
export interface Task {
  readonly command: ExecuteCommand;
  /** How long it has been worked at. */
  readonly workedMs: number;
}

/**
 * A field device: its body, and what it is told, does and knows. Of what is over `unknown` marks what it refused, or what
 * was cancelled before it came.
 */
export interface Pilot {
  readonly body: RoverBody;
  /** As it was last declared. */
  readonly configuration: FieldConfiguration | null;
  readonly task: Task | null;
  /** What was put off by `hold`. */
  readonly held: Task | null;
  readonly mission: MissionRun | null;
  /** On the way to its base, of its own accord. */
  readonly isHoming: boolean;
  /** An emergency stop is in force: nothing moves until it is released. */
  readonly isStopped: boolean;
  /** Over, oldest first. */
  readonly commands: readonly CommandProgress[];
  readonly missions: readonly MissionProgress[];
}

export const isStanding = ({ command }: Task): boolean =>
  command.name === 'hold' || command.name === 'emergency_stop';

/** It carries something out, other than standing still. */
export const isUnderWay = ({ task, mission, isHoming }: Pilot): boolean =>
  isHoming || mission?.state === 'running' || (task !== null && !isStanding(task));

/** How a command stands, in the words of the device link. */
export function commandProgress(pilot: Pilot, command_id: string, ts: number): CommandProgress {
  const isOpen = [pilot.task, pilot.held].some((task) => task?.command.command_id === command_id);
  if (isOpen) return { command_id, state: 'executing', ts };
  const known = pilot.commands.find((command) => command.command_id === command_id);
  return known === undefined ? { command_id, state: 'unknown', ts } : { ...known, ts };
}

/** How a mission stands, with all that is known of its waypoints. */
export function missionProgress(
  { mission, missions }: Pilot,
  mission_id: string,
  ts: number,
): MissionProgress {
  if (mission?.upload.mission_id === mission_id) return progressOfRun(mission, ts);
  const known = missions.find((past) => past.mission_id === mission_id);
  return known === undefined ? { mission_id, state: 'unknown', ts } : { ...known, ts };
}

export const rememberCommand = (pilot: Pilot, command: CommandProgress): Pilot => ({
  ...pilot,
  commands: [...pilot.commands, command].slice(-COMMANDS_REMEMBERED_MAX),
});

export const rememberMission = (pilot: Pilot, mission: MissionProgress): Pilot => ({
  ...pilot,
  missions: [...pilot.missions, mission].slice(-MISSIONS_REMEMBERED_MAX),
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
  return rememberCommand(pilot, { command_id: command.command_id, state, ...why, ts });
}

type MissionEnd = 'completed' | 'aborted' | 'failed';

export function endMission(pilot: Pilot, state: MissionEnd, reason?: string): Pilot {
  const { mission, body } = pilot;
  if (mission === null) return pilot;
  const end = reason === undefined ? { state } : { state, reason };
  return rememberMission({ ...pilot, mission: null }, progressOfRun(mission, body.timeMs, end));
}

/** Ends what has begun. One that is uploaded waits for its start as before. */
export const breakOffMission = (pilot: Pilot, state: MissionEnd, reason: string): Pilot =>
  pilot.mission?.state === 'uploaded' ? pilot : endMission(pilot, state, reason);
