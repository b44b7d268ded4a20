import type { FieldProgress, MissionProgress } from '@granary/contract/link/field-messages';
import { isAboutMission } from '@granary/contract/link/field-messages';
import { progressOfRun } from './missions/mission-machine.ts';
import { commandProgress, missionProgress, type Pilot } from './pilot.ts';

/** What has ended or changed, and is to be told. Of a mission's waypoints those that changed. */
export function changedProgress(before: Pilot, after: Pilot): FieldProgress[] {
  return [...endedCommands(before, after), ...missionNews(before, after)];
}

function endedCommands(before: Pilot, after: Pilot): FieldProgress[] {
  const isOpen = (commandId: string) => openIds(after).includes(commandId);
  return openIds(before)
    .filter((commandId) => !isOpen(commandId))
    .map((commandId) => commandProgress(after, commandId, after.body.timeMs));
}

const openIds = ({ task, held }: Pilot): string[] =>
  [task, held].flatMap((one) => (one === null ? [] : [one.command.command_id]));

function missionNews({ mission }: Pilot, after: Pilot): FieldProgress[] {
  if (mission === null) return [];
  const now = missionProgress(after, mission.upload.mission_id, after.body.timeMs);
  const changed = (now.waypoints ?? []).filter((waypoint, index) => waypoint !== mission.waypoints[index]);
  if (now.state === mission.state && changed.length === 0) return [];
  return [{ ...now, waypoints: changed }];
}

/** How everything under way stands: that it goes on is worth telling, too. */
export function heartbeatOf(pilot: Pilot): FieldProgress[] {
  const { mission, body } = pilot;
  const commands = openIds(pilot).map((commandId) => commandProgress(pilot, commandId, body.timeMs));
  if (mission === null || mission.state === 'uploaded') return commands;
  return [...commands, { ...progressOfRun(mission, body.timeMs), waypoints: [] }];
}

/** Two reports on the same thing in one; `null` when they are on different things. */
export function mergeProgress(waiting: FieldProgress, newer: FieldProgress): FieldProgress | null {
  if (isAboutMission(waiting) && isAboutMission(newer)) return mergeMission(waiting, newer);
  if (isAboutMission(waiting) || isAboutMission(newer)) return null;
  return waiting.command_id === newer.command_id ? newer : null;
}

function mergeMission(waiting: MissionProgress, newer: MissionProgress): MissionProgress | null {
  if (waiting.mission_id !== newer.mission_id) return null;
  const waypoints = new Map(
    [waiting, newer].flatMap((told) => (told.waypoints ?? []).map((one) => [one.index, one])),
  );
  return { ...newer, waypoints: [...waypoints.values()] };
}
