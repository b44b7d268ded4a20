import type { Actor } from '@granary/contract/audit';
import { Refusal } from '@granary/contract/errors';
import type {
  DischargeRequest,
  FeedRequest,
  OperationPlan as OperationPreview,
  OperationType,
} from '@granary/contract/operations';
import { PROPOSAL_MINUTES, type Proposal, type ProposalStatus } from '@granary/contract/proposals';
import { MINUTE_MS, toIso, toIsoOrNull } from '@granary/contract/time';
import { documentKind } from './documents.ts';
import type { StoredCaller } from './keys.ts';
import type { OperationPlan } from './operations/state.ts';
import { fromGrams, roundTo6 } from './units.ts';

/** The proposed operation; it never changes. */
export interface ProposedOperation {
  readonly type: OperationType;
  readonly request: FeedRequest | DischargeRequest;
  readonly plan: OperationPreview;
  readonly ends: Proposal['ends'];
  readonly reason: string | null;
  readonly proposedBy: Actor;
}

/** The decision of a person; all fields are `null` before it. */
export interface ProposalDecision {
  readonly decidedAtMs: number | null;
  readonly decidedBy: Actor | null;
  /** `null` if the proposal was refused. */
  readonly operationId: string | null;
  readonly refusalReason: string | null;
}

export interface StoredProposal extends ProposedOperation, ProposalDecision {
  readonly proposalId: string;
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly facility: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

export const PROPOSAL_DOCUMENT = documentKind<ProposedOperation>([]);

export const PROPOSAL_MS = PROPOSAL_MINUTES * MINUTE_MS;

/** The limits at which the device ends the operation by itself, in the unit of the request. */
export const endsOf = ({ maxAmountG, maxDurationMs, unit }: OperationPlan): Proposal['ends'] => ({
  amount_max: fromGrams(maxAmountG, unit),
  minutes_max: roundTo6(maxDurationMs / MINUTE_MS),
});

function proposalStatus(
  { decidedAtMs, operationId, expiresAtMs }: Pick<StoredProposal, keyof ProposalDecision | 'expiresAtMs'>,
  nowMs: number,
): ProposalStatus {
  if (decidedAtMs !== null) return operationId === null ? 'refused' : 'confirmed';
  return nowMs < expiresAtMs ? 'open' : 'expired';
}

export const proposalRecord = (proposal: StoredProposal, nowMs: number): Proposal => ({
  proposal_id: proposal.proposalId,
  device_id: proposal.deviceId,
  facility: proposal.facility,
  type: proposal.type,
  status: proposalStatus(proposal, nowMs),
  amount: proposal.request.amount,
  target_container: 'target_container' in proposal.request ? proposal.request.target_container : null,
  plan: proposal.plan,
  ends: proposal.ends,
  reason: proposal.reason,
  proposed_by: proposal.proposedBy,
  created_at: toIso(proposal.createdAtMs),
  expires_at: toIso(proposal.expiresAtMs),
  decided_at: toIsoOrNull(proposal.decidedAtMs),
  decided_by: proposal.decidedBy,
  refusal_reason: proposal.refusalReason,
  operation_id: proposal.operationId,
});

/** If two people decide at the same time, the second one is told what the first one decided. */
export function refuseDecided(proposal: StoredProposal, nowMs: number): void {
  const status = proposalStatus(proposal, nowMs);
  if (status === 'open') return;
  const { decidedBy: by } = proposal;
  const who = by === null ? '' : ` by ${by.actor ?? by.key_name}`;
  throw new Refusal('proposal_not_open', `the proposal is ${status}${who}`);
}

/** A key cannot confirm its own proposal; a signed-in person may confirm a proposal that an agent made with a key of this person. */
export function refuseProposer(
  { proposedBy }: StoredProposal,
  { keyId, kind, personalKeyId }: Pick<StoredCaller, 'keyId' | 'kind' | 'personalKeyId'>,
): void {
  const hasSignedIn = kind === 'person' && personalKeyId === null;
  if (proposedBy.key_id !== keyId || hasSignedIn) return;
  throw new Refusal(
    'forbidden',
    'a proposal is not confirmed with the key that made it; give the agent a key of its own',
  );
}

/** The caller of a confirmed start, with the key that proposed it. */
export const startedBy = (actor: Actor | null, { proposedBy }: StoredProposal): Actor | null =>
  actor && {
    ...actor,
    proposed_by: {
      key_id: proposedBy.key_id,
      name: proposedBy.key_name,
      ...(proposedBy.agent === undefined ? {} : { agent: proposedBy.agent }),
    },
  };
