import { type Static, Type } from 'typebox';
import { OptionalActor } from './audit.ts';
import { DeclaredEndOrNull } from './declared-end.ts';
import { PageQuery } from './envelope.ts';
import { CommandId } from './ids.ts';
import { type Checker, checker, closed, described } from './input/schema.ts';
import { Timestamp } from './input/timestamp.ts';
import { Position } from './positions.ts';
import { messageFields, statusFields } from './sentence-fields.ts';
import { COMMAND_DETAILS } from './sentences/jobs.ts';
import { PARTS } from './sentences/parts.ts';

export const COMMAND_NAMES = [
  'move_to_coordinates',
  'hold',
  'resume',
  'return_to_base',
  'scan',
  'collect_sample',
  'emergency_stop',
  'release_emergency_stop',
] as const;

/**
 * `timed_out`: the outcome is unknown, and a late reply still decides. `expired`: it was not sent before its expiry, or the
 * device does not know it. An emergency stop ends only as `succeeded`, unless a person declares it ended.
 */
export const COMMAND_STATUSES = [
  'queued',
  'sent',
  'executing',
  'succeeded',
  'failed',
  'rejected',
  'cancelled',
  'expired',
  'timed_out',
] as const;

/**
 * Why a command did not succeed: the device refused it, reported a fault, cancelled it for another, or no longer knows it;
 * an emergency stop was requested before it was sent; the device had no live session, so nothing was sent; it did not reach
 * the device in time; the device did not answer; a person declared it ended, because the device did not report its end.
 */
export const COMMAND_REASONS = [
  'refused',
  'device_fault',
  'superseded',
  'forgotten',
  'emergency_stop',
  'not_sent',
  'not_delivered',
  'no_answer',
  'declared_ended',
] as const;

export type CommandName = (typeof COMMAND_NAMES)[number];
export type CommandStatus = (typeof COMMAND_STATUSES)[number];
export type CommandReason = (typeof COMMAND_REASONS)[number];

const NoParameters = closed({});

const withParameters = <Name extends CommandName>(command: Name) =>
  closed({ command: Type.Literal(command), parameters: Position });

const bare = <Name extends CommandName>(command: Name) =>
  closed({ command: Type.Literal(command), parameters: Type.Optional(NoParameters) });

const REQUESTS = {
  move_to_coordinates: withParameters('move_to_coordinates'),
  hold: bare('hold'),
  resume: bare('resume'),
  return_to_base: bare('return_to_base'),
  scan: bare('scan'),
  collect_sample: bare('collect_sample'),
  emergency_stop: bare('emergency_stop'),
  release_emergency_stop: bare('release_emergency_stop'),
} as const;

export const CommandRequest = Type.Union([
  REQUESTS.move_to_coordinates,
  REQUESTS.hold,
  REQUESTS.resume,
  REQUESTS.return_to_base,
  REQUESTS.scan,
  REQUESTS.collect_sample,
  REQUESTS.emergency_stop,
  REQUESTS.release_emergency_stop,
]);

/** The target of `move_to_coordinates`; empty for every other command. */
export const CommandParameters = Type.Union([Position, NoParameters]);

export const CommandResult = closed({ reason: Type.Enum(COMMAND_REASONS), ...messageFields(PARTS) });

const TimestampOrNull = Type.Union([Timestamp, Type.Null()]);

export const CommandRecord = closed({
  command_id: CommandId,
  command: Type.Enum(COMMAND_NAMES),
  parameters: CommandParameters,
  status: Type.Enum(COMMAND_STATUSES),
  ...statusFields(COMMAND_DETAILS),
  created_at: Timestamp,
  sent_at: TimestampOrNull,
  ended_at: TimestampOrNull,
  expires_at: described(
    'A device refuses the command after this time; `null` for an emergency stop, which never expires.',
    TimestampOrNull,
  ),
  result: described('`null` unless the command did not succeed.', Type.Union([CommandResult, Type.Null()])),
  declared: described('`null` unless a person declared the command ended.', DeclaredEndOrNull),
  requested_by: described('Who asked for it; `null` before there was an audit log.', OptionalActor),
});

export const CommandQuery = closed({
  ...PageQuery.properties,
  status: Type.Optional(Type.Enum(COMMAND_STATUSES)),
  command: Type.Optional(Type.Enum(COMMAND_NAMES)),
});

export type CommandRequest = Static<typeof CommandRequest>;
export type CommandParameters = Static<typeof CommandParameters>;
export type CommandResult = Static<typeof CommandResult>;
export type CommandRecord = Static<typeof CommandRecord>;
export type CommandQuery = Static<typeof CommandQuery>;

const checkName = checker(Type.Object({ command: Type.Enum(COMMAND_NAMES) }));
const checkRequestOf = {
  move_to_coordinates: checker(REQUESTS.move_to_coordinates),
  hold: checker(REQUESTS.hold),
  resume: checker(REQUESTS.resume),
  return_to_base: checker(REQUESTS.return_to_base),
  scan: checker(REQUESTS.scan),
  collect_sample: checker(REQUESTS.collect_sample),
  emergency_stop: checker(REQUESTS.emergency_stop),
  release_emergency_stop: checker(REQUESTS.release_emergency_stop),
} satisfies Record<CommandName, Checker<CommandRequest>>;

/** Validates against the schema of the named command, because a union would also report the issues of all others. */
export const checkCommandRequest: Checker<CommandRequest> = {
  schema: CommandRequest,
  accepts: (value): value is CommandRequest =>
    checkName.accepts(value) && checkRequestOf[value.command].accepts(value),
  faults: (value) =>
    checkName.accepts(value) ? checkRequestOf[value.command].faults(value) : checkName.faults(value),
};
export const checkCommandQuery = checker(CommandQuery);
