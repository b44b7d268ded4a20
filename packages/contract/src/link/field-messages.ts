import { type Static, Type } from 'typebox';
import { COMMAND_NAMES, CommandParameters } from '../commands.ts';
import { FAILSAFE_ACTIONS } from '../configuration/field-configuration.ts';
import { CommandId, MissionId } from '../ids.ts';
import { type Checker, checker, closed, described } from '../input/schema.ts';
import { DeviceTime, Timestamp } from '../input/timestamp.ts';
import { ACTION_RESULTS, WAYPOINT_STATUSES, WAYPOINTS_MAX, Waypoint } from '../missions.ts';
import { Reason, TIME_MEANING } from './messages.ts';

/**
 * The message is sent once; only an emergency stop is repeated, until the device has reported its success. A device that has
 * already carried out the command with this id does not repeat it, but answers with its progress. After an emergency stop
 * the device refuses everything but `emergency_stop` until it has received `release_emergency_stop`, which moves nothing.
 */
export const ExecuteCommand = closed({
  command: Type.Literal('execute'),
  command_id: CommandId,
  name: Type.Enum(COMMAND_NAMES),
  parameters: CommandParameters,
  expires_at: described(
    'A device refuses the command after this time; `null` means that it never expires.',
    Type.Union([Timestamp, Type.Null()]),
  ),
});

/**
 * A whole mission in one message: the device accepts or refuses it as a whole. It is repeated until the device has answered;
 * a device that already has this mission answers as before and keeps its progress. Nothing moves before `mission_start`.
 */
export const MissionUpload = closed({
  command: Type.Literal('mission_upload'),
  mission_id: MissionId,
  waypoints: Type.Array(Waypoint, { minItems: 1, maxItems: WAYPOINTS_MAX }),
  start_at: Timestamp,
  expires_at: described('A device refuses a start after this time.', Timestamp),
  link_loss_action: described(
    'What the device does when it loses the link during this mission.',
    Type.Enum(FAILSAFE_ACTIONS),
  ),
});

export const MISSION_MOTIONS = ['mission_start', 'mission_resume'] as const;
export const MISSION_HALTS = ['mission_pause', 'mission_cancel'] as const;

/** `mission_start` is sent once per mission, `mission_resume` once per request. The device answers with its progress. */
export const MissionMotion = closed({
  command: Type.Enum(MISSION_MOTIONS),
  mission_id: MissionId,
  expires_at: described('After this time the device only answers and does not move.', Timestamp),
});

/** The message is repeated until the device confirms it. The device answers with its progress. */
export const MissionHalt = closed({ command: Type.Enum(MISSION_HALTS), mission_id: MissionId });

/** The device answers with its progress; for a mission, with the states of all waypoints. */
export const CommandReport = closed({ command: Type.Literal('report'), command_id: CommandId });
export const MissionReport = closed({ command: Type.Literal('report'), mission_id: MissionId });

export const FieldCommand = Type.Union([
  ExecuteCommand,
  MissionUpload,
  MissionMotion,
  MissionHalt,
  CommandReport,
  MissionReport,
]);

const answer = { accepted: Type.Boolean(), reason: Type.Optional(Reason) };

/** A device's answer to `execute`. */
export const CommandAck = closed({ command_id: CommandId, ...answer });
/** A device's answer to `mission_upload`. */
export const MissionAck = closed({ mission_id: MissionId, ...answer });

export const COMMAND_STATES = ['executing', 'succeeded', 'failed', 'cancelled', 'unknown'] as const;
export type CommandState = (typeof COMMAND_STATES)[number];

export const CommandProgress = closed({
  command_id: CommandId,
  state: described(
    '`cancelled`: ended for another command; `unknown`: the device does not know the command. `succeeded` for an emergency stop means that the device stands still.',
    Type.Enum(COMMAND_STATES),
  ),
  reason: Type.Optional(Reason),
  ts: described(TIME_MEANING, DeviceTime),
});

export const MISSION_STATES = [
  'uploaded',
  'running',
  'paused',
  'completed',
  'aborted',
  'failed',
  'unknown',
] as const;
export type MissionState = (typeof MISSION_STATES)[number];

export const WaypointProgress = closed({
  index: described('Counted from 0.', Type.Integer({ minimum: 0, maximum: WAYPOINTS_MAX - 1 })),
  state: Type.Enum(WAYPOINT_STATUSES),
  reached_at: Type.Optional(DeviceTime),
  action_result: Type.Optional(Type.Enum(ACTION_RESULTS)),
});

export const MissionProgress = closed({
  mission_id: MissionId,
  state: described(
    '`uploaded`: on the device and not begun; `aborted`: ended early; `unknown`: the device does not know the mission.',
    Type.Enum(MISSION_STATES),
  ),
  waypoints: Type.Optional(
    described(
      'The changed waypoints; unchanged ones may be included.',
      Type.Array(WaypointProgress, { maxItems: WAYPOINTS_MAX }),
    ),
  ),
  reason: Type.Optional(Reason),
  ts: described(TIME_MEANING, DeviceTime),
});

export type ExecuteCommand = Static<typeof ExecuteCommand>;
export type MissionUpload = Static<typeof MissionUpload>;
export type MissionMotion = Static<typeof MissionMotion>;
export type MissionHalt = Static<typeof MissionHalt>;
export type MissionControl = MissionMotion | MissionHalt;
export type FieldCommand = Static<typeof FieldCommand>;
export type CommandAck = Static<typeof CommandAck>;
export type MissionAck = Static<typeof MissionAck>;
export type CommandProgress = Static<typeof CommandProgress>;
export type WaypointProgress = Static<typeof WaypointProgress>;
export type MissionProgress = Static<typeof MissionProgress>;
export type FieldAck = CommandAck | MissionAck;
export type FieldProgress = CommandProgress | MissionProgress;

export const isAboutMission = <Word extends object>(
  word: Word,
): word is Extract<Word, { mission_id: string }> => 'mission_id' in word;

/** Validates against the schema of the given id, because a union would also report the issues of the other kind. */
function eitherOf<OfCommand, OfMission>(
  ofCommand: Checker<OfCommand>,
  ofMission: Checker<OfMission>,
): Checker<OfCommand | OfMission> {
  const meant = (value: unknown) =>
    typeof value === 'object' && value !== null && isAboutMission(value) ? ofMission : ofCommand;
  return {
    schema: Type.Union([ofCommand.schema, ofMission.schema]),
    accepts: (value): value is OfCommand | OfMission => meant(value).accepts(value),
    faults: (value) => meant(value).faults(value),
  };
}

export const checkFieldCommand = checker(FieldCommand);
export const checkFieldAck = eitherOf(checker(CommandAck), checker(MissionAck));
export const checkFieldProgress = eitherOf(checker(CommandProgress), checker(MissionProgress));
