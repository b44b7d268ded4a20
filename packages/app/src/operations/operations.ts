import type { EndDeclaration } from '@granary/contract/declared-end';
import { Refusal } from '@granary/contract/errors';
import type { OperationAck, OperationProgress } from '@granary/contract/link/messages';
import type {
  DischargeRequest,
  FeedRequest,
  OperationPlan,
  OperationPlanRequest,
  OperationStatus,
  OperationType,
} from '@granary/contract/operations';
import { previewOperation } from '@granary/core/alerts/plan-preview';
import type { NotSentReason } from '@granary/core/jobs/polling';
import { refuseDeclaration } from '@granary/core/operations/declared-end';
import { type OperationRequest, planOperation, type SiloAtStart } from '@granary/core/operations/interlocks';
import { operationMessage, startCommand } from '@granary/core/operations/record';
import { unreadableInProgress } from '@granary/core/operations/sentences';
import { OPERATIONS_FOR_USUAL, usualAmountG } from '@granary/core/operations/start-warnings';
import {
  beginOperation,
  deviceReport,
  holdsDevice,
  isTerminal,
  type OperationState,
  stopAskedBy,
  unsolicitedOperation,
  type Weight,
} from '@granary/core/operations/state';
import { advanceOperation, type OperationTransition } from '@granary/core/operations/transitions';
import {
  weighedDespite,
  weighedUntilReport,
  weighedUntilStart,
  weightBefore,
} from '@granary/core/operations/weighing';
import { areFactsFor } from '@granary/core/profiles/profile';
import type { Expiry } from '@granary/store/expiry';
import type { Sql } from '@granary/store/sql';
import { type AlertEvaluation, lockDevice } from '../alerts/evaluation-rows.ts';
import { type FactsOf, lockDeviceFor, readDeviceFacts, readDeviceFor } from '../device-facts.ts';
import { alertEvaluation, type Committed, committed } from '../effects.ts';
import {
  type DueDevices,
  dueDevices,
  isDeviceDue,
  type TickLimits,
  type TickOutcome,
  type TickRound,
} from '../jobs/advance-due-jobs.ts';
import {
  appliedReply,
  type ChangedJob,
  evaluationAfter,
  messageEffects,
  type ReplyResult,
  recordJobChange,
  unknownReference,
} from '../jobs/job-change-recorder.ts';
import { keptFor } from '../slice.ts';
import { longWrite, type Transaction, together } from '../transaction.ts';
import { UnreadableRow } from '../unreadable-row.ts';
import { advanceDueOperations } from './advance-due-operations.ts';
import { claimingOperation, deviceOfOperation, OPERATIONS, stoppingOperations } from './operation-rows.ts';

/** Further unsolicited operations of a device are ignored. */
export const UNSOLICITED_AT_ONCE_MAX = 16;

export interface NewStart {
  readonly deviceNo: number;
  readonly operationId: string;
  readonly type: OperationType;
  readonly request: FeedRequest | DischargeRequest;
  /** The link reports a live session that is subscribed to commands. */
  readonly isReachable: boolean;
  readonly nowMs: number;
}

export interface Started {
  readonly operation: OperationState;
}

export interface Stopped {
  readonly operation: OperationState;
  /**
   * `stop` if the stop must be sent. It is not an effect, because the caller also sends a stop that cannot be stored in time,
   * and so decides when to send.
   */
  readonly send: 'stop' | null;
}

export interface WantedPlan {
  readonly deviceNo: number;
  readonly request: OperationPlanRequest;
  readonly isReachable: boolean;
  /** How long a shift is. */
  readonly shiftMs: number;
  readonly nowMs: number;
}

export interface OperationAddress {
  readonly deviceNo: number;
  readonly operationId: string;
  readonly nowMs: number;
}

export interface OperationPage {
  readonly deviceNo: number;
  readonly status: OperationStatus | null;
  readonly type: OperationType | null;
  readonly beforeOperationId: string | null;
  readonly limit: number;
}

export const reads = {
  async find(sql: Sql, deviceNo: number, operationId: string): Promise<OperationState | undefined> {
    return await OPERATIONS.findOf(sql, deviceNo, operationId);
  },

  async list(sql: Sql, page: OperationPage): Promise<OperationState[]> {
    const { status, type, beforeOperationId: beforeId, ...rest } = page;
    return await OPERATIONS.list(sql, { ...rest, filter: { status, type }, beforeId });
  },

  /** Returns what a start would do and whether it would be refused; nothing is locked, so the start decides again. */
  async plan(
    sql: Sql,
    { deviceNo, request, isReachable, shiftMs, nowMs }: WantedPlan,
  ): Promise<OperationPlan> {
    const { facts } = await readDeviceFor(sql, deviceNo, 'operations');
    const usual = { amountG: await usualOf(sql, deviceNo, request.type), shiftMs };
    return previewOperation(request, siloAtStart(facts, isReachable), usual, nowMs);
  },

  /** Lists the stopping operations that devices have not ended, each with its device. */
  stopping: stoppingOperations,

  /** Devices with an operation to tick. */
  async due(sql: Sql, limits: TickLimits): Promise<DueDevices> {
    return await dueDevices(sql, [OPERATIONS], limits);
  },

  async isDue(sql: Sql, device: { deviceNo: number; nowMs: number }): Promise<boolean> {
    return await isDeviceDue(sql, [OPERATIONS], device);
  },
};

export const expiry = keptFor('jobRetentionDays');

export const writes = {
  /** Removes a limited number of jobs that ended long ago and returns how many. */
  expire: longWrite(async (tx, expiry: Expiry) => committed(await OPERATIONS.expire(tx.sql, expiry))),

  /** The start is sent once; if that fails, `notSent` records it. */
  async start(tx: Transaction, start: NewStart): Promise<Committed<Started>> {
    const { deviceNo, operationId, type, nowMs } = start;
    const { evaluation, device, facts } = await lockDeviceFor(tx, deviceNo, 'operations');
    const atStart = siloAtStart(facts, start.isReachable);
    const plan = planOperation(requestOf(start), atStart, nowMs);
    const weight = latestWeight(facts);
    const others = weighedUntilStart(facts.operations, weight);
    const wanted = { operationId, deviceNo, type, plan, weight: weightBefore(others, weight) };
    const operation = { ...beginOperation(wanted, nowMs), requestedBy: tx.actor };
    // The statements are sent together, in this order; if the first finds a conflict, the refusal rolls the others back.
    const [isInserted, logged] = await together([
      OPERATIONS.insert(tx.sql, operation, nowMs),
      recordJobChange(
        tx,
        evaluation,
        OPERATIONS,
        { before: null, after: operation, nowMs },
        changes(facts.operations, others),
      ),
    ]);
    if (!isInserted) throw unreadableInProgress((await claimingOperation(tx.sql, deviceNo)) ?? operationId);
    const { deviceId } = device;
    const send = { kind: 'send_message', deviceNo, deviceId, message: startCommand(wanted) } as const;
    return committed({ operation }, send, ...logged);
  },

  /** Records that the start was not written to the device's connection, so nothing moved. */
  async notSent(
    tx: Transaction,
    { deviceNo, operationId, why, nowMs }: OperationAddress & { readonly why: NotSentReason },
  ): Promise<Committed<void>> {
    const [evaluation, before] = await together([
      lockDevice(tx, deviceNo),
      OPERATIONS.findOf(tx.sql, deviceNo, operationId),
    ]);
    if (evaluation === undefined || before === undefined) return committed(undefined);
    const { operation } = advanceOperation(before, { kind: 'not_sent', why }, nowMs);
    const logged = await recordJobChange(tx, evaluation, OPERATIONS, { before, after: operation, nowMs });
    return committed(undefined, ...alertEvaluation([deviceNo]), ...logged);
  },

  /** Returns `undefined` if the device has no such operation. */
  async stop(
    tx: Transaction,
    { deviceNo, operationId, nowMs }: OperationAddress,
  ): Promise<Committed<Stopped | undefined>> {
    const [evaluation, before] = await together([
      lockDevice(tx, deviceNo),
      findOrRebuild(tx.sql, operationId, nowMs),
    ]);
    if (evaluation === undefined || before?.deviceNo !== deviceNo) return committed(undefined);
    const { operation: advanced, send } = advanceOperation(before, { kind: 'stop' }, nowMs);
    const operation = stopAskedBy(before, advanced, tx.actor);
    const logged = await recordJobChange(tx, evaluation, OPERATIONS, { before, after: operation, nowMs });
    const stopped = { operation, send: send === 'stop' ? send : null };
    return committed(stopped, ...alertEvaluation([deviceNo]), ...logged);
  },

  /** Returns `undefined` if the device has no such operation. */
  async declareEnded(
    tx: Transaction,
    {
      deviceNo,
      operationId,
      declaration,
      nowMs,
    }: OperationAddress & { readonly declaration: EndDeclaration },
  ): Promise<Committed<OperationState | undefined>> {
    const [evaluation, before] = await together([
      lockDevice(tx, deviceNo),
      findOrRebuild(tx.sql, operationId, nowMs),
    ]);
    if (evaluation === undefined || before?.deviceNo !== deviceNo) return committed(undefined);
    refuseDeclaration(before, nowMs);
    const input = { kind: 'declare_ended', declaration: { ...declaration, by: tx.actor } } as const;
    const { operation } = advanceOperation(before, input, nowMs);
    const logged = await recordJobChange(tx, evaluation, OPERATIONS, { before, after: operation, nowMs });
    return committed(operation, ...alertEvaluation([deviceNo]), ...logged);
  },

  async acknowledged(
    tx: Transaction,
    { deviceNo, ack, nowMs }: { deviceNo: number; ack: OperationAck; nowMs: number },
  ): Promise<Committed<ReplyResult>> {
    const [evaluation, before] = await together([
      lockDevice(tx, deviceNo),
      OPERATIONS.find(tx.sql, ack.operation_id),
    ]);
    if (evaluation === undefined || before === undefined)
      return unknownReference('answers to an operation that nobody started');
    if (before.deviceNo !== deviceNo) return unknownReference(OF_ANOTHER_DEVICE);
    const input = { kind: 'ack', accepted: ack.accepted, reason: ack.reason ?? null } as const;
    return await applyReply(tx, evaluation, before, advanceOperation(before, input, nowMs), nowMs);
  },

  /** Stores a report; it also registers an operation that this service did not start. */
  async progressed(
    tx: Transaction,
    { deviceNo, progress, nowMs }: { deviceNo: number; progress: OperationProgress; nowMs: number },
  ): Promise<Committed<ReplyResult>> {
    const [evaluation, before] = await together([
      lockDevice(tx, deviceNo),
      findOrRebuild(tx.sql, progress.operation_id, nowMs),
    ]);
    if (evaluation === undefined) return unknownReference(NO_SILO);
    if (before === undefined) return await registerUnsolicited(tx, evaluation, progress, nowMs);
    if (before.deviceNo !== deviceNo) return unknownReference(OF_ANOTHER_DEVICE);
    const input = { kind: 'progress', ...deviceReport(progress) } as const;
    return await applyReply(tx, evaluation, before, advanceOperation(before, input, nowMs), nowMs);
  },

  /** Applies a tick to every unfinished operation, and returns the messages to send. */
  async tick(tx: Transaction, round: TickRound): Promise<Committed<TickOutcome>> {
    return await advanceDueOperations(tx, round);
  },
};

/**
 * Finds an operation. If its row cannot be read, an operation with only its id is returned, which may be running, so that a
 * stop is still possible.
 */
async function findOrRebuild(
  sql: Sql,
  operationId: string,
  nowMs: number,
): Promise<OperationState | undefined> {
  try {
    return await OPERATIONS.find(sql, operationId);
  } catch (error) {
    if (!(error instanceof UnreadableRow)) throw error;
    const deviceNo = await deviceOfOperation(sql, operationId);
    if (deviceNo === undefined) return undefined;
    const asRunning = { operation_id: operationId, state: 'running', amount_kg: 0, ts: 0 } as const;
    return unsolicitedOperation(deviceNo, asRunning, nowMs) ?? undefined;
  }
}

const OF_ANOTHER_DEVICE = 'the operation is of another device';

const NO_SILO = 'the device has no operations';

async function applyReply(
  tx: Transaction,
  evaluation: AlertEvaluation,
  before: OperationState,
  { operation, send }: OperationTransition,
  nowMs: number,
): Promise<Committed<ReplyResult>> {
  const { deviceNo, operationId } = operation;
  const sends = await messageEffects(tx.sql, deviceNo, send && operationMessage(operationId, send));
  const others =
    isTerminal(before) && before.endedAtMs !== operation.endedAtMs ? await othersOf(tx.sql, before) : [];
  const weighed = weighedDespite(before, operation, others);
  const change = { before, after: weighed.operation, nowMs };
  const logged = await recordJobChange(tx, evaluation, OPERATIONS, change, changes(others, weighed.others));
  return appliedReply(...sends, ...evaluationAfter(OPERATIONS, before, weighed.operation), ...logged);
}

/**
 * This limit exceeds the number of operations that a device can have under way. It includes finished ones, whose weighed amount
 * may have become doubtful.
 */
const RECENT_MAX = 2 * UNSOLICITED_AT_ONCE_MAX;

async function othersOf(sql: Sql, { deviceNo, operationId }: OperationState): Promise<OperationState[]> {
  const filter = { status: null, type: null };
  const recent = await OPERATIONS.list(sql, { deviceNo, filter, beforeId: null, limit: RECENT_MAX });
  return recent.filter((other) => other.operationId !== operationId);
}

const changes = (
  before: readonly OperationState[],
  after: readonly OperationState[],
): ChangedJob<OperationState>[] =>
  before.flatMap((one, index) => ({ before: one, after: after[index] ?? one }));

async function registerUnsolicited(
  tx: Transaction,
  evaluation: AlertEvaluation,
  progress: OperationProgress,
  nowMs: number,
): Promise<Committed<ReplyResult>> {
  const { deviceNo } = evaluation;
  const operation = unsolicitedOperation(deviceNo, progress, nowMs);
  if (operation === null) return appliedReply(...alertEvaluation([deviceNo]));
  const [found] = await readDeviceFacts(tx.sql, [deviceNo]);
  if (found === undefined || !areFactsFor(found.facts, 'operations')) return unknownReference(NO_SILO);
  const unasked = found.facts.operations.filter((other) => other.plan === null && holdsDevice(other));
  if (holdsDevice(operation) && unasked.length >= UNSOLICITED_AT_ONCE_MAX) {
    return unknownReference('the device reports too many operations that nobody started');
  }
  // Another device may have reported the same id at the same time.
  if (!(await OPERATIONS.insert(tx.sql, operation, nowMs))) return unknownReference(OF_ANOTHER_DEVICE);
  const before = await othersOf(tx.sql, operation);
  const others = weighedUntilReport(before, deviceReport(progress), nowMs);
  const change = { before: null, after: operation, nowMs };
  const logged = await recordJobChange(tx, evaluation, OPERATIONS, change, changes(before, others));
  return appliedReply(...alertEvaluation([deviceNo]), ...logged);
}

/** Returns how much an operation usually moves in this silo. There is no filter, so that every silo is read equally far back. */
export async function usualOf(sql: Sql, deviceNo: number, type: OperationType): Promise<number | null> {
  const filter = { status: null, type: null };
  const newest = await OPERATIONS.list(sql, {
    deviceNo,
    filter,
    beforeId: null,
    limit: OPERATIONS_FOR_USUAL,
  });
  return usualAmountG(type, newest);
}

/** Returns the facts by which the interlocks decide. */
export function siloAtStart(
  { presence, capacityKg, configuration, latest, operations }: FactsOf<'operations'>,
  isReachable: boolean,
): SiloAtStart {
  return { presence, capacityKg, configuration, operations, weight: latest.weight, isReachable };
}

const latestWeight = ({ latest: { weight } }: FactsOf<'operations'>): Weight | null =>
  weight === undefined ? null : { valueG: weight.value, tsMs: weight.tsMs };

export function requestOf({
  type,
  request,
}: {
  readonly type: OperationType;
  readonly request: FeedRequest | DischargeRequest;
}): OperationRequest {
  if (type === 'feed') return { type, ...request };
  if ('target_container' in request) return { type, ...request };
  throw new Refusal('invalid_input', 'a discharge needs a target container');
}
