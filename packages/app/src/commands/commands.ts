import type { CommandName, CommandRequest, CommandStatus } from '@granary/contract/commands';
import type { EndDeclaration } from '@granary/contract/declared-end';
import { Refusal } from '@granary/contract/errors';
import type { CommandAck, CommandProgress, FieldCommand } from '@granary/contract/link/field-messages';
import { sentence } from '@granary/contract/sentences/codes';
import { refuseDeclaration } from '@granary/core/commands/declared-end';
import { isUnconfirmedStop, replacingStop, stopInForce } from '@granary/core/commands/emergency-stop';
import { commandMessage } from '@granary/core/commands/record';
import { refuseCommand } from '@granary/core/commands/refusals';
import { beginCommand, type CommandState } from '@granary/core/commands/state';
import { advanceCommand, type CommandInput, commandReportContent } from '@granary/core/commands/transitions';
import type { NotSentReason } from '@granary/core/jobs/polling';
import { missionHoldsDevice } from '@granary/core/missions/state';
import { advanceMission } from '@granary/core/missions/transitions';
import type { Expiry } from '@granary/store/expiry';
import type { Sql } from '@granary/store/sql';
import { lockDevice } from '../alerts/evaluation-rows.ts';
import { type LockedDevice, lockDeviceFor } from '../device-facts.ts';
import { alertEvaluation, type Committed, committed } from '../effects.ts';
import {
  appliedReply,
  JobChangeRecorder,
  messageEffects,
  type ReplyResult,
  recordJobChange,
  unknownReference,
} from '../jobs/job-change-recorder.ts';
import { MISSIONS } from '../missions/mission-rows.ts';
import { keptFor } from '../slice.ts';
import { longWrite, type Transaction } from '../transaction.ts';
import { COMMANDS, unconfirmedStops, unfinishedCommands } from './command-rows.ts';

/** A device with more open commands than this gets no further ones, except an emergency stop. */
export const COMMANDS_UNFINISHED_MAX = 200;

export interface CommandIssue {
  readonly deviceNo: number;
  readonly commandId: string;
  readonly request: CommandRequest;
  /** The device has a live MQTT session that is subscribed to its commands. */
  readonly isReachable: boolean;
  readonly nowMs: number;
}

export interface Issued {
  readonly command: CommandState;
  /**
   * An emergency stop that the caller must send. It is not an effect, because the caller also sends one that cannot be stored
   * in time, and so decides when to send. `null` for every other command, and for a stop that is already being repeated.
   */
  readonly message: FieldCommand | null;
}

export interface UnsentCommand {
  readonly deviceNo: number;
  readonly commandId: string;
  readonly delivery: NotSentReason;
  readonly nowMs: number;
}

export interface CommandEndDeclaration {
  readonly deviceNo: number;
  readonly commandId: string;
  readonly declaration: EndDeclaration;
  /** The device has a live MQTT session that is subscribed to its commands. */
  readonly isReachable: boolean;
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

  /** The emergency stop in force on the device, if there is one. */
  async stopInForce(sql: Sql, deviceNo: number): Promise<CommandState | undefined> {
    return stopInForce(await unfinishedCommands(sql, [deviceNo]));
  },

  unconfirmedStops,

  async list(sql: Sql, page: CommandPage): Promise<CommandState[]> {
    const { status, command, beforeCommandId: beforeId, ...rest } = page;
    return await COMMANDS.list(sql, { ...rest, filter: { status, command }, beforeId });
  },
};

export const expiry = keptFor('jobRetentionDays');

export const writes = {
  /** Removes a limited number of jobs that ended long ago and returns how many. */
  expire: longWrite(async (tx, expiry: Expiry) => committed(await COMMANDS.expire(tx.sql, expiry))),

  /** An unconfirmed emergency stop is not issued a second time, because it is already being repeated. */
  async issue(tx: Transaction, issue: CommandIssue): Promise<Committed<Issued>> {
    const { deviceNo, commandId, request, isReachable, nowMs } = issue;
    const { evaluation, ...held } = await lockDeviceFor(tx, deviceNo, 'commands');
    const { commands } = held.facts;
    const isStop = request.command === 'emergency_stop';
    const openStop = commands.find(isUnconfirmedStop);
    const known = (await COMMANDS.findOf(tx.sql, deviceNo, commandId)) ?? (isStop ? openStop : undefined);
    if (known !== undefined) return committed({ command: known, message: null });
    refuseCommand(request, { ...held.facts, isReachable }, nowMs);
    if (!isStop && commands.length >= COMMANDS_UNFINISHED_MAX) {
      throw new Refusal('rate_limited', sentence('commands_to_answer', { count: commands.length }));
    }
    const begun = { ...beginCommand({ commandId, deviceNo, request }, nowMs), requestedBy: tx.actor };
    const inForce = stopInForce(commands);
    const queued = isStop ? replacingStop(begun, inForce) : begun;
    if (!(await COMMANDS.insert(tx.sql, queued, nowMs)))
      throw new Error(`command ${commandId} is of another device`);
    const recorder = new JobChangeRecorder(tx, nowMs);
    await recorder.record(COMMANDS, null, queued);
    if (isStop) await cancelPendingWork(recorder, held, nowMs);
    if (inForce !== undefined) {
      await recorder.record(COMMANDS, inForce, advanceCommand(inForce, { kind: 'release' }, nowMs).command);
    }
    const { command, send } = advanceCommand(queued, { kind: 'issue', isReachable }, nowMs);
    await recorder.record(COMMANDS, queued, command);
    const logged = await recorder.close([evaluation]);
    if (isStop) return committed({ command, message: commandMessage(command, 'execute') }, ...logged);
    const issued = { command, message: null };
    if (send === null) return committed(issued, ...logged);
    const { deviceId } = held.device;
    const message = commandMessage(command, send);
    return committed(issued, { kind: 'send_message', deviceNo, deviceId, message }, ...logged);
  },

  /** Records that the command could not be sent. */
  async notSent(tx: Transaction, unsent: UnsentCommand): Promise<Committed<void>> {
    const { deviceNo, commandId, delivery, nowMs } = unsent;
    const evaluation = await lockDevice(tx, deviceNo);
    const before = await COMMANDS.findOf(tx.sql, deviceNo, commandId);
    if (evaluation === undefined || before === undefined) return committed(undefined);
    const { command } = advanceCommand(before, { kind: 'not_sent', delivery }, nowMs);
    const logged = await recordJobChange(tx, evaluation, COMMANDS, { before, after: command, nowMs });
    return committed(undefined, ...logged);
  },

  /** Returns `undefined` if the device has no such command. */
  async declareEnded(
    tx: Transaction,
    { deviceNo, commandId, declaration, isReachable, nowMs }: CommandEndDeclaration,
  ): Promise<Committed<CommandState | undefined>> {
    const evaluation = await lockDevice(tx, deviceNo);
    const before = await COMMANDS.findOf(tx.sql, deviceNo, commandId);
    if (evaluation === undefined || before === undefined) return committed(undefined);
    refuseDeclaration(before, { isReachable, nowMs });
    const by = tx.actor;
    const input = { kind: 'declare_ended', declaration: { ...declaration, by }, isReachable } as const;
    const { command } = advanceCommand(before, input, nowMs);
    const logged = await recordJobChange(tx, evaluation, COMMANDS, { before, after: command, nowMs });
    return committed(command, ...alertEvaluation([deviceNo]), ...logged);
  },

  async acknowledged(
    tx: Transaction,
    { deviceNo, ack, nowMs }: { deviceNo: number; ack: CommandAck; nowMs: number },
  ): Promise<Committed<ReplyResult>> {
    const input = { kind: 'ack', accepted: ack.accepted, reason: ack.reason ?? null } as const;
    return await handleReply(tx, deviceNo, ack.command_id, input, nowMs);
  },

  async progressed(
    tx: Transaction,
    { deviceNo, progress, nowMs }: { deviceNo: number; progress: CommandProgress; nowMs: number },
  ): Promise<Committed<ReplyResult>> {
    const input = { kind: 'progress', ...commandReportContent(progress) } as const;
    return await handleReply(tx, deviceNo, progress.command_id, input, nowMs);
  },
};

async function handleReply(
  tx: Transaction,
  deviceNo: number,
  commandId: string,
  input: CommandInput,
  nowMs: number,
): Promise<Committed<ReplyResult>> {
  const evaluation = await lockDevice(tx, deviceNo);
  const before = await COMMANDS.findOf(tx.sql, deviceNo, commandId);
  if (evaluation === undefined || before === undefined)
    return unknownReference('the device was given no such command');
  const { command, send } = advanceCommand(before, input, nowMs);
  const sends = await messageEffects(tx.sql, deviceNo, send && commandMessage(command, send));
  const logged = await recordJobChange(tx, evaluation, COMMANDS, { before, after: command, nowMs });
  return appliedReply(...sends, ...alertEvaluation([deviceNo]), ...logged);
}

/** Cancels queued commands and the running mission, so that nothing moves the device again. */
async function cancelPendingWork(
  recorder: JobChangeRecorder,
  { facts }: Pick<LockedDevice<'commands'>, 'facts'>,
  nowMs: number,
): Promise<void> {
  for (const before of facts.commands) {
    await recorder.record(COMMANDS, before, advanceCommand(before, { kind: 'cancel' }, nowMs).command);
  }
  for (const before of facts.missions.filter(missionHoldsDevice)) {
    await recorder.record(
      MISSIONS,
      before,
      advanceMission(before, { kind: 'emergency_stop' }, nowMs).mission,
    );
  }
}
