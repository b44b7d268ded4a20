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

/** What is proposed; it never changes. */
export interface ProposedOperation {
  readonly type: OperationType;
  readonly request: FeedRequest | DischargeRequest;
  readonly plan: OperationPreview;
  readonly ends: Proposal['ends'];
  readonly reason: string | null;
  readonly proposedBy: Actor;
}

/** What a person decided; everything is `null` before. */
export interface ProposalDecision {
  readonly decidedAtMs: number | null;
  readonly decidedBy: Actor | null;
  /** `null` where it was refused. */
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

/** When the device ends it by itself, in the unit of the request. */
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

/** Of two who decide at once the second is told what the first decided. */
export function refuseDecided(proposal: StoredProposal, nowMs: number): void {
  const status = proposalStatus(proposal, nowMs);
  if (status === 'open') return;
  const { decidedBy: by } = proposal;
  const who = by === null ? '' : ` by ${by.actor ?? by.key_name}`;
  throw new Refusal('proposal_not_open', `the proposal is ${status}${who}`);
}

/** A key does not confirm what it proposed; a person who has signed in may confirm what an agent proposed with a key of theirs. */
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

/** The caller of a confirmed start, with who proposed it. */
export const startedBy = (actor: Actor | null, { proposedBy }: StoredProposal): Actor | null =>
  actor && {
    ...actor,
    proposed_by: {
      key_id: proposedBy.key_id,
      name: proposedBy.key_name,
      ...(proposedBy.agent === undefined ? {} : { agent: proposedBy.agent }),
    },
  };
