import type { CommandName, CommandRequest, CommandStatus } from '@granary/contract/commands';
import { Refusal } from '@granary/contract/errors';
import type { CommandAck, CommandProgress, FieldCommand } from '@granary/contract/link/field-messages';
import { isUnconfirmedStop, replacingStop, stopInForce } from '@granary/core/commands/emergency-stop';
import { commandMessage } from '@granary/core/commands/record';
import { refuseCommand } from '@granary/core/commands/refusals';
import { beginCommand, type CommandState } from '@granary/core/commands/state';
import { advanceCommand, type CommandInput, commandReportContent } from '@granary/core/commands/transitions';
import type { NotSentReason } from '@granary/core/devices/polling';
import { missionHoldsDevice } from '@granary/core/missions/state';
import { advanceMission } from '@granary/core/missions/transitions';
import type { Sql } from '@granary/store/sql';
import { lockDevice } from '@granary/store/tables/alarm-evaluation';
import type { Expiry } from '@granary/store/tables/jobs';
import { type FieldDevice, lockFieldDevice } from '../alerts/field-facts.ts';
import {
  JobChangeRecorder,
  type ReplyResult,
  recordJobChange,
  unknownReference,
} from '../jobs/job-change-recorder.ts';
import { MISSIONS } from '../missions/mission-jobs.ts';
import { COMMANDS, unfinishedCommands } from './command-jobs.ts';

/** A device that leaves more commands without an end gets no further ones. An emergency stop always gets through. */
export const COMMANDS_UNFINISHED_MAX = 200;

export interface CommandIssue {
  readonly deviceNo: number;
  readonly commandId: string;
  readonly request: CommandRequest;
  /** The device has a live session and listens to its commands. */
  readonly isReachable: boolean;
  readonly nowMs: number;
}

export interface Issued {
  readonly command: CommandState;
  /** To be sent now. `null`: it waits for the device, or was sent before. An emergency stop is sent in any case. */
  readonly message: FieldCommand | null;
}

export interface UnsentCommand {
  readonly deviceNo: number;
  readonly commandId: string;
  readonly delivery: NotSentReason;
  readonly nowMs: number;
}

export interface CommandPage {
  readonly deviceNo: number;
  readonly status: CommandStatus | null;
  readonly command: CommandName | null;
  readonly beforeCommandId: string | null;
  readonly limit: number;
}

export const reads = {
  async find(sql: Sql, deviceNo: number, commandId: string): Promise<CommandState | undefined> {
    return await COMMANDS.findOf(sql, deviceNo, commandId);
  },

  /** The emergency stop that keeps the device from moving, if there is one. */
  async stopInForce(sql: Sql, deviceNo: number): Promise<CommandState | undefined> {
    return stopInForce(await unfinishedCommands(sql, [deviceNo]));
  },

  async list(sql: Sql, page: CommandPage): Promise<CommandState[]> {
    const { status, command, beforeCommandId: beforeId, ...rest } = page;
    return await COMMANDS.list(sql, { ...rest, filter: { status, command }, beforeId });
  },
};

export const writes = {
  /** Removes some of those that ended long ago and answers how many. */
  async expire(sql: Sql, expiry: Expiry): Promise<number> {
    return await COMMANDS.expire(sql, expiry);
  },

  /** An emergency stop that the device has yet to confirm is not issued a second time: it is being repeated. */
  async issue(sql: Sql, issue: CommandIssue): Promise<Issued> {
    const { deviceNo, commandId, request, isReachable, nowMs } = issue;
    const { watch, ...held } = await lockFieldDevice(sql, deviceNo);
    const { commands } = held.facts;
    const isStop = request.command === 'emergency_stop';
    const openStop = commands.find(isUnconfirmedStop);
    const known = (await COMMANDS.findOf(sql, deviceNo, commandId)) ?? (isStop ? openStop : undefined);
    if (known !== undefined) return { command: known, message: null };
    refuseCommand(request, { ...held.facts, isReachable }, nowMs);
    if (!isStop && commands.length >= COMMANDS_UNFINISHED_MAX) {
      throw new Refusal('rate_limited', `the device has ${commands.length} commands to answer first`);
    }
    const begun = beginCommand({ commandId, deviceNo, request }, nowMs);
    const inForce = stopInForce(commands);
    const queued = isStop ? replacingStop(begun, inForce) : begun;
    if (!(await COMMANDS.insert(sql, queued, nowMs)))
      throw new Error(`command ${commandId} is of another device`);
    const ledger = new JobChangeRecorder(sql, nowMs);
    await ledger.record(COMMANDS, null, queued);
    if (isStop) await cancelPendingWork(ledger, held, nowMs);
    if (inForce !== undefined) {
      await ledger.record(COMMANDS, inForce, advanceCommand(inForce, { kind: 'release' }, nowMs).command);
    }
    const { command, send } = advanceCommand(queued, { kind: 'issue', isReachable }, nowMs);
    await ledger.record(COMMANDS, queued, command);
    await ledger.close([watch]);
    const toSend = isStop ? 'execute' : send;
    return { command, message: toSend && commandMessage(command, toSend) };
  },

  /** What becomes of a command that was to be sent, but was not; `undefined`: there is no such command. */
  async notSent(sql: Sql, unsent: UnsentCommand): Promise<CommandState | undefined> {
    const { deviceNo, commandId, delivery, nowMs } = unsent;
    const watch = await lockDevice(sql, deviceNo);
    const before = await COMMANDS.findOf(sql, deviceNo, commandId);
    if (watch === undefined || before === undefined) return undefined;
    const { command } = advanceCommand(before, { kind: 'not_sent', delivery }, nowMs);
    await recordJobChange(sql, watch, COMMANDS, { before, after: command, nowMs });
    return command;
  },

  async acknowledged(
    sql: Sql,
    { deviceNo, ack, nowMs }: { deviceNo: number; ack: CommandAck; nowMs: number },
  ): Promise<ReplyResult<FieldCommand>> {
    const input = { kind: 'ack', accepted: ack.accepted, reason: ack.reason ?? null } as const;
    return await hear(sql, deviceNo, ack.command_id, input, nowMs);
  },

  async progressed(
    sql: Sql,
    { deviceNo, progress, nowMs }: { deviceNo: number; progress: CommandProgress; nowMs: number },
  ): Promise<ReplyResult<FieldCommand>> {
    const input = { kind: 'progress', ...commandReportContent(progress) } as const;
    return await hear(sql, deviceNo, progress.command_id, input, nowMs);
  },
};

async function hear(
  sql: Sql,
  deviceNo: number,
  commandId: string,
  input: CommandInput,
  nowMs: number,
): Promise<ReplyResult<FieldCommand>> {
  const watch = await lockDevice(sql, deviceNo);
  const before = await COMMANDS.findOf(sql, deviceNo, commandId);
  if (watch === undefined || before === undefined)
    return unknownReference('the device was given no such command');
  const { command, send } = advanceCommand(before, input, nowMs);
  await recordJobChange(sql, watch, COMMANDS, { before, after: command, nowMs });
  return { kind: 'taken', send: send && commandMessage(command, send) };
}

/** Ends what waits to be sent and what runs, so that nothing sets the device in motion again. */
async function cancelPendingWork(
  ledger: JobChangeRecorder,
  { facts }: FieldDevice,
  nowMs: number,
): Promise<void> {
  for (const before of facts.commands) {
    await ledger.record(COMMANDS, before, advanceCommand(before, { kind: 'cancel' }, nowMs).command);
  }
  for (const before of facts.missions.filter(missionHoldsDevice)) {
    await ledger.record(MISSIONS, before, advanceMission(before, { kind: 'emergency_stop' }, nowMs).mission);
  }
}
