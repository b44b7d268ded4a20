import { type Static, Type } from 'typebox';
import { Actor, OptionalActor } from './audit.ts';
import { PageQuery } from './envelope.ts';
import { DeviceId, OperationId } from './ids.ts';
import { checker, closed, described } from './input/schema.ts';
import { line } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import {
  DischargeRequest,
  FeedRequest,
  OPERATION_TYPES,
  OperationPlan,
  TargetContainer,
} from './operations.ts';

/** `expired` means that nobody decided in time. */
export const PROPOSAL_STATUSES = ['open', 'confirmed', 'refused', 'expired'] as const;
/** How long a person has to decide. */
export const PROPOSAL_MINUTES = 15;
/** Further proposals have to wait until a person has decided. */
export const OPEN_PROPOSALS_MAX = 3;

const Reason = line(500);
const reason = Type.Optional(described('Why, for the person who decides.', Reason));

export const FeedProposal = closed({ ...FeedRequest.properties, reason });
export const DischargeProposal = closed({ ...DischargeRequest.properties, reason });
const ProposalRefusal = closed({ reason: Type.Optional(described('Why not.', Reason)) });

const OptionalReason = Type.Union([Reason, Type.Null()]);

/** A proposed operation; it starts only when a person confirms it. */
export const Proposal = closed({
  proposal_id: Type.String(),
  device_id: DeviceId,
  facility: Type.String(),
  type: Type.Enum(OPERATION_TYPES),
  status: Type.Enum(PROPOSAL_STATUSES),
  amount: Type.Number(),
  target_container: Type.Union([TargetContainer, Type.Null()]),
  plan: described(
    'What it would do, when it was proposed: every check of a start had passed. The start is decided again when it is confirmed.',
    OperationPlan,
  ),
  ends: described(
    'What ends it beside its amount and a stop: the device stops by itself at this amount, or after this time.',
    closed({ amount_max: Type.Number(), minutes_max: Type.Number() }),
  ),
  reason: OptionalReason,
  proposed_by: Actor,
  created_at: Timestamp,
  expires_at: Timestamp,
  decided_at: Type.Union([Timestamp, Type.Null()]),
  decided_by: OptionalActor,
  refusal_reason: OptionalReason,
  operation_id: described('Of the operation that was started.', Type.Union([OperationId, Type.Null()])),
});

const ProposalQuery = closed({
  ...PageQuery.properties,
  status: Type.Optional(Type.Enum(PROPOSAL_STATUSES)),
  device_id: Type.Optional(DeviceId),
});

export type FeedProposal = Static<typeof FeedProposal>;
export type DischargeProposal = Static<typeof DischargeProposal>;
export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number];
export type Proposal = Static<typeof Proposal>;

export const checkFeedProposal = checker(FeedProposal);
export const checkDischargeProposal = checker(DischargeProposal);
export const checkProposalRefusal = checker(ProposalRefusal);
export const checkProposalQuery = checker(ProposalQuery);
