import { checker } from '@granary/contract/input/schema';
import {
  type CommandProgress,
  checkFieldCommand,
  checkFieldProgress,
  type MissionProgress,
} from '@granary/contract/link/field-messages';
import { Position } from '@granary/contract/positions';
import { isRecord } from '../files.ts';
import type { MissionRun } from './pilot/mission-machine.ts';
import { commandProgress, endMission, type Pilot } from './pilot/pilot.ts';
import { isConfiguration, type ReceivedConfiguration } from './received-configuration.ts';
import { bodyAtHome, type RoverBody } from './vehicle/chassis.ts';
import { type Ground, planePointOf, pointOf, surfaceM } from './vehicle/ground.ts';

/** The state that survives a loss of power. */
export interface FieldMemory {
  readonly position: Position;
  readonly headingDegrees: number;
  readonly batteryPercent: number;
  readonly payloadKg: number;
  readonly configuration: ReceivedConfiguration | null;
  readonly commands: readonly CommandProgress[];
  readonly mission: MissionRun | null;
  readonly missions: readonly MissionProgress[];
  /** True if an emergency stop is in force; files of an older version do not have this field. */
  readonly isStopped?: boolean;
}

/** The ground of a device turns its position on the earth into one on the plane. */
interface Grounded {
  readonly ground: Ground;
}

export function memoryOf({ ground }: Grounded, pilot: Pilot): FieldMemory {
  const { body, configuration, task, held, commands, mission, missions, isStopped } = pilot;
  const { lat, lng } = pointOf(ground, body);
  const { headingDegrees, batteryPercent, payloadKg, altitudeM, timeMs } = body;
  const open = [held, task].flatMap((one) =>
    one === null ? [] : [commandProgress(pilot, one.command.command_id, timeMs)],
  );
  return {
    position: { latitude: lat, longitude: lng, altitude: altitudeM },
    headingDegrees,
    batteryPercent,
    payloadKg,
    configuration,
    commands: [...commands, ...open],
    mission,
    missions,
    isStopped,
  };
}

/**
 * The device after a restart. Jobs under way have ended, because nothing may begin to move when the power returns. A
 * mission that waits for a start or a resume still waits. Without stored state the device is new, and at home.
 */
export function powerUp(unit: Grounded, memory: FieldMemory | undefined, nowMs: number): Pilot {
  const pilot: Pilot = {
    body: bodyAfter(unit, memory, nowMs),
    configuration: memory?.configuration ?? null,
    task: null,
    held: null,
    mission: memory?.mission ?? null,
    isReturningHome: false,
    isStopped: memory?.isStopped ?? false,
    commands: (memory?.commands ?? []).map((command) =>
      command.state === 'executing' ? { ...command, state: 'failed', reason: POWER_LOST } : command,
    ),
    missions: memory?.missions ?? [],
  };
  return pilot.mission?.state === 'running' ? endMission(pilot, 'failed', POWER_LOST) : pilot;
}

const POWER_LOST = 'power lost';

/** A device that was in the air is now on the ground. */
function bodyAfter({ ground }: Grounded, memory: FieldMemory | undefined, nowMs: number): RoverBody {
  const home = bodyAtHome(ground, nowMs);
  if (memory === undefined) return home;
  const { position, headingDegrees, batteryPercent, payloadKg } = memory;
  const spot = planePointOf(ground, { lat: position.latitude, lng: position.longitude });
  return { ...home, ...spot, altitudeM: surfaceM(ground, spot), headingDegrees, batteryPercent, payloadKg };
}

/** The interrupted jobs, which must be reported. */
export const interruptedIn = ({ commands, mission }: FieldMemory) => ({
  commandIds: commands.flatMap(({ command_id, state }) => (state === 'executing' ? [command_id] : [])),
  missionIds: mission?.state === 'running' ? [mission.upload.mission_id] : [],
});

const checkPosition = checker(Position);

export function isFieldMemory(value: unknown): value is FieldMemory {
  if (!isRecord(value)) return false;
  const { position, headingDegrees, batteryPercent, payloadKg, configuration, commands, mission, missions } =
    value;
  const { isStopped } = value;
  return (
    checkPosition.accepts(position) &&
    [headingDegrees, batteryPercent, payloadKg].every(Number.isFinite) &&
    (configuration === null || isConfiguration(configuration)) &&
    isProgress(commands, 'command_id') &&
    isProgress(missions, 'mission_id') &&
    (mission === null || isMissionRun(mission)) &&
    (isStopped === undefined || typeof isStopped === 'boolean')
  );
}

const isProgress = (value: unknown, id: 'command_id' | 'mission_id'): boolean =>
  Array.isArray(value) && value.every((one) => checkFieldProgress.accepts(one) && id in one);

function isMissionRun(value: unknown): value is MissionRun {
  if (!isRecord(value)) return false;
  const { upload, state, reason, waypoints, index, stayMs } = value;
  if (!checkFieldCommand.accepts(upload) || upload.command !== 'mission_upload') return false;
  const report = {
    mission_id: upload.mission_id,
    state,
    waypoints,
    ts: 0,
    ...(reason === null ? {} : { reason }),
  };
  return (
    checkFieldProgress.accepts(report) &&
    Number.isInteger(index) &&
    (stayMs === null || Number.isFinite(stayMs))
  );
}
