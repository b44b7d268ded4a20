import {
  type FieldProgress,
  isAboutMission,
  type MissionProgress,
} from '@granary/contract/link/field-messages';
import { progressOfRun } from './mission-machine.ts';
import { commandProgress, missionProgress, type Pilot } from './pilot.ts';

/** The reports about everything that ended or changed; a mission report contains only the changed waypoints. */
export function changedProgress(before: Pilot, after: Pilot): FieldProgress[] {
  return [...endedCommands(before, after), ...changedMission(before, after)];
}

function endedCommands(before: Pilot, after: Pilot): FieldProgress[] {
  const isOpen = (commandId: string) => openIds(after).includes(commandId);
  return openIds(before)
    .filter((commandId) => !isOpen(commandId))
    .map((commandId) => commandProgress(after, commandId, after.body.timeMs));
}

const openIds = ({ task, held }: Pilot): string[] =>
  [task, held].flatMap((one) => (one === null ? [] : [one.command.command_id]));

function changedMission({ mission }: Pilot, after: Pilot): FieldProgress[] {
  if (mission === null) return [];
  const now = missionProgress(after, mission.upload.mission_id, after.body.timeMs);
  const changed = (now.waypoints ?? []).filter((waypoint, index) => waypoint !== mission.waypoints[index]);
  if (now.state === mission.state && changed.length === 0) return [];
  return [{ ...now, waypoints: changed }];
}

/** The periodic reports about jobs under way, sent also when nothing changed. */
export function heartbeatOf(pilot: Pilot): FieldProgress[] {
  const { mission, body } = pilot;
  const commands = openIds(pilot).map((commandId) => commandProgress(pilot, commandId, body.timeMs));
  if (mission === null || mission.state === 'uploaded') return commands;
  return [...commands, { ...progressOfRun(mission, body.timeMs), waypoints: [] }];
}

/** Merges two reports about the same job; `null` when they concern different jobs. */
export function mergeProgress(waiting: FieldProgress, newer: FieldProgress): FieldProgress | null {
  if (isAboutMission(waiting) && isAboutMission(newer)) return mergeMission(waiting, newer);
  if (isAboutMission(waiting) || isAboutMission(newer)) return null;
  return waiting.command_id === newer.command_id ? newer : null;
}

function mergeMission(waiting: MissionProgress, newer: MissionProgress): MissionProgress | null {
  if (waiting.mission_id !== newer.mission_id) return null;
  const waypoints = new Map(
    [waiting, newer].flatMap((report) => (report.waypoints ?? []).map((one) => [one.index, one])),
  );
  return { ...newer, waypoints: [...waypoints.values()] };
}
