import { Refusal } from '@granary/contract/errors';
import type { DischargeRequest, FeedRequest, OperationType } from '@granary/contract/operations';
import { OPEN_PROPOSALS_MAX, type ProposalStatus } from '@granary/contract/proposals';
import { previewOperation } from '@granary/core/alerts/plan-preview';
import type { Limits } from '@granary/core/keys';
import { planOperation } from '@granary/core/operations/interlocks';
import {
  endsOf,
  PROPOSAL_DOCUMENT,
  PROPOSAL_MS,
  type ProposalDecision,
  type ProposedOperation,
  proposalRecord,
  refuseDecided,
  type StoredProposal,
  startedBy,
} from '@granary/core/proposals';
import { type Expiry, expireRows } from '@granary/store/expiry';
import { insertRows, updateRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { lockDevice } from '../alerts/evaluation-rows.ts';
import { limitConditions, Parameters, where } from '../conditions.ts';
import { lockDeviceFor } from '../device-facts.ts';
import { type Committed, committed, type Effect, eventsLogged } from '../effects.ts';
import { logEvents } from '../events/event-rows.ts';
import { keptFor } from '../slice.ts';
import { longWrite, type Transaction } from '../transaction.ts';
import { writes as operations, requestOf, siloAtStart, usualOf } from './operations.ts';

interface Row extends Omit<StoredProposal, keyof ProposedOperation | 'decidedBy'> {
  readonly body: string;
  /** The actor as JSON. */
  readonly decidedBy: string | null;
}

const SELECT = `
  SELECT proposal_id, proposals.device_no, device_id, facility, proposals.created_at_ms, expires_at_ms, decided_at_ms, decided_by,
    operation_id, refusal_reason, body
  FROM proposals JOIN devices ON devices.device_no = proposals.device_no`;

const toProposal = ({ body, decidedBy, ...row }: Row): StoredProposal => ({
  ...row,
  ...PROPOSAL_DOCUMENT.read(body),
  decidedBy: decidedBy === null ? null : JSON.parse(decidedBy),
});

async function find(sql: Sql, deviceNo: number, proposalId: string): Promise<StoredProposal | undefined> {
  const [row] = await sql.query<Row>(`${SELECT} WHERE proposal_id = $1 AND proposals.device_no = $2`, [
    proposalId,
    deviceNo,
  ]);
  return row && toProposal(row);
}

export interface ProposalPage {
  readonly limits: Limits;
  readonly status: ProposalStatus | null;
  readonly deviceId: string | null;
  readonly nowMs: number;
  readonly beforeId: string | null;
  readonly limit: number;
}

export interface NewProposal {
  readonly proposalId: string;
  readonly deviceNo: number;
  readonly type: OperationType;
  readonly request: FeedRequest | DischargeRequest;
  readonly reason: string | null;
  readonly isReachable: boolean;
  /** How long a shift is. */
  readonly shiftMs: number;
  readonly nowMs: number;
}

const UNDECIDED: ProposalDecision = {
  decidedAtMs: null,
  decidedBy: null,
  operationId: null,
  refusalReason: null,
};

export interface Decision {
  readonly deviceNo: number;
  readonly proposalId: string;
  readonly nowMs: number;
}

/** The conditions for the status of a proposal; `$now` stands for the time. */
const IS: Readonly<Record<ProposalStatus, string>> = {
  open: 'decided_at_ms IS NULL AND expires_at_ms > $now',
  expired: 'decided_at_ms IS NULL AND expires_at_ms <= $now',
  confirmed: 'operation_id IS NOT NULL',
  refused: 'decided_at_ms IS NOT NULL AND operation_id IS NULL',
};

export const reads = {
  find,

  /** Lists the proposals, newest first. */
  async list(sql: Sql, page: ProposalPage): Promise<StoredProposal[]> {
    const parameters = new Parameters();
    const { bind } = parameters;
    const { status, deviceId, beforeId, nowMs } = page;
    const conditions = limitConditions(sql, page.limits, parameters);
    if (deviceId !== null) conditions.push(`device_id = ${bind(deviceId)}`);
    if (status !== null) conditions.push(IS[status].replace('$now', () => bind(nowMs)));
    if (beforeId !== null) conditions.push(`proposal_id < ${bind(beforeId)}`);
    const rows = await sql.query<Row>(
      `${SELECT} ${where(conditions)} ORDER BY proposal_id DESC LIMIT ${bind(page.limit)}`,
      parameters.values,
    );
    return rows.map(toProposal);
  },
};

export const expiry = keptFor('jobRetentionDays');

export const writes = {
  /** Locks the device, so that two proposals at once do not exceed the limit of open proposals. */
  async create(tx: Transaction, wanted: NewProposal): Promise<Committed<StoredProposal>> {
    const { deviceNo, proposalId, type, request, nowMs } = wanted;
    if (tx.actor === null) throw new Error('a proposal has a caller');
    const { device, facts } = await lockDeviceFor(tx, deviceNo, 'operations');
    const [open] = await tx.sql.query<{ count: number }>(
      'SELECT COUNT(*) AS count FROM proposals WHERE device_no = $1 AND decided_at_ms IS NULL AND expires_at_ms > $2',
      [deviceNo, nowMs],
    );
    if ((open?.count ?? 0) >= OPEN_PROPOSALS_MAX) {
      throw new Refusal(
        'too_many_proposals',
        `${OPEN_PROPOSALS_MAX} proposals wait for a decision at this device`,
      );
    }
    const silo = siloAtStart(facts, wanted.isReachable);
    const plan = planOperation(requestOf(wanted), silo, nowMs);
    const usual = { amountG: await usualOf(tx.sql, deviceNo, type), shiftMs: wanted.shiftMs };
    const proposed: ProposedOperation = {
      type,
      request,
      plan: previewOperation({ type, ...request }, silo, usual, nowMs),
      ends: endsOf(plan),
      reason: wanted.reason,
      proposedBy: tx.actor,
    };
    const times = { createdAtMs: nowMs, expiresAtMs: nowMs + PROPOSAL_MS };
    const body = PROPOSAL_DOCUMENT.write(proposed);
    await insertRows(tx.sql, { table: 'proposals' }, [{ proposalId, deviceNo, ...times, body }]);
    const { deviceId, facility } = device;
    const place = { proposalId, deviceNo, deviceId, facility };
    const stored = { ...place, ...proposed, ...times, ...UNDECIDED };
    return committed(stored, ...(await log(tx, 'proposal.created', stored, nowMs)));
  },

  /** Stores the decision and starts the operation in one transaction, so that of two decisions only one counts, on any node. */
  async confirm(
    tx: Transaction,
    wanted: Decision & { readonly operationId: string; readonly isReachable: boolean },
  ): Promise<Committed<StoredProposal | undefined>> {
    const { operationId, isReachable, nowMs } = wanted;
    const decided = await decide(tx, wanted, { operationId, refusalReason: null });
    if (decided === undefined) return committed(undefined);
    const { deviceNo, type, request } = decided;
    const start = { deviceNo, operationId, type, request, isReachable, nowMs };
    const { effects } = await operations.start({ ...tx, actor: startedBy(tx.actor, decided) }, start);
    return committed(decided, ...effects, ...(await log(tx, 'proposal.decided', decided, nowMs)));
  },

  async refuse(
    tx: Transaction,
    wanted: Decision & { readonly reason: string | null },
  ): Promise<Committed<StoredProposal | undefined>> {
    const { reason: refusalReason } = wanted;
    const decided = await decide(tx, wanted, { operationId: null, refusalReason });
    if (decided === undefined) return committed(undefined);
    return committed(decided, ...(await log(tx, 'proposal.decided', decided, wanted.nowMs)));
  },

  expire: longWrite(async (tx, expiry: Expiry) =>
    committed(
      await expireRows(tx.sql, { table: 'proposals', key: 'proposal_no', time: 'expires_at_ms' }, expiry),
    ),
  ),
};

/**
 * Stores the decision; returns `undefined` if the device has no such proposal. The device is locked first, as in every other
 * write about it.
 */
async function decide(
  tx: Transaction,
  { deviceNo, proposalId, nowMs }: Decision,
  outcome: Pick<ProposalDecision, 'operationId' | 'refusalReason'>,
): Promise<StoredProposal | undefined> {
  const { sql, actor } = tx;
  await lockDevice(tx, deviceNo);
  const proposal = await find(sql, deviceNo, proposalId);
  if (proposal === undefined) return undefined;
  refuseDecided(proposal, nowMs);
  const changes = { decidedAtMs: nowMs, ...outcome };
  const decidedBy = actor === null ? null : JSON.stringify(actor);
  await updateRows(sql, 'proposals', { proposalId }, { ...changes, decidedBy });
  return { ...proposal, ...changes, decidedBy: actor };
}

async function log(
  tx: Transaction,
  type: 'proposal.created' | 'proposal.decided',
  proposal: StoredProposal,
  atMs: number,
): Promise<Effect[]> {
  const data = proposalRecord(proposal, atMs);
  const events = [{ type, deviceNo: proposal.deviceNo, atMs, data }];
  await logEvents(tx, events);
  return eventsLogged(events);
}
