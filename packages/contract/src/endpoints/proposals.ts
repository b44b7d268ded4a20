import type { ErrorCode } from '../errors.ts';
import { id } from '../input/text-schemas.ts';
import {
  checkDischargeProposal,
  checkFeedProposal,
  checkProposalQuery,
  checkProposalRefusal,
  DischargeProposal,
  FeedProposal,
  Proposal,
} from '../proposals.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, endpointsWith, optionalBody } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';
import { START_REFUSALS } from './operations.ts';

const endpoint = endpointsWith({
  proposal_id: {
    schema: id(),
    description: 'the id of a proposed operation',
    notFound: 'proposal_not_found',
    example: 'pr_019a86c5f3c07b2a',
  },
});

/** A start with one of these refusals is not even proposed. */
const PROPOSAL_REFUSALS: readonly ErrorCode[] = [
  ...START_REFUSALS.filter((code) => code !== 'confirmation_required' && code !== 'start_expired'),
  'too_many_proposals',
];

/** Agents and other programs propose operations, and people decide about them. */
const endpoints = {
  feed: endpoint('silo', 'POST', '/devices/{device_id}/proposals/feed', {
    scope: 'propose',
    summary: 'Proposes to put material into a silo. Nothing starts before a person confirms it.',
    body: body(checkFeedProposal, 'proposal'),
    answers: { 200: one(Proposal) },
    errors: [...PROPOSAL_REFUSALS, 'insufficient_capacity'],
    examples: [
      { summary: 'in kilograms', body: { amount: 100, unit: 'kg', reason: 'The silo is at its low level.' } },
      {
        summary: 'more than there is room for',
        body: { amount: 900, unit: 't' },
        refusal: 'insufficient_capacity',
      },
    ],
  }),
  discharge: endpoint('silo', 'POST', '/devices/{device_id}/proposals/discharge', {
    scope: 'propose',
    summary: 'Proposes to take material out of a silo. Nothing starts before a person confirms it.',
    body: body(checkDischargeProposal, 'proposal'),
    answers: { 200: one(Proposal) },
    errors: [...PROPOSAL_REFUSALS, 'insufficient_stock'],
    examples: [{ summary: 'into a truck', body: { amount: 100, target_container: 'truck 12' } }],
  }),
  /** The newest proposals come first. */
  list: endpoint('api', 'GET', '/proposals', {
    scope: 'read',
    summary: 'Lists the proposed operations of all silos, newest first.',
    query: checkProposalQuery,
    answers: { 200: pageOf(Proposal) },
    examples: [
      { summary: 'every proposal' },
      { summary: 'those that wait for a person', query: { status: 'open' } },
    ],
  }),
  get: endpoint('silo', 'GET', '/devices/{device_id}/proposals/{proposal_id}', {
    scope: 'read',
    summary: 'Shows a proposed operation, and what a person decided.',
    answers: { 200: one(Proposal) },
    examples: [
      { summary: 'a proposal' },
      {
        summary: 'an unknown proposal',
        parameters: { proposal_id: 'pr_none' },
        refusal: 'proposal_not_found',
      },
    ],
  }),
  /** The interlocks decide again, by the facts at the confirmation. */
  confirm: endpoint('silo', 'POST', '/devices/{device_id}/proposals/{proposal_id}/confirm', {
    scope: 'operate',
    summary: 'Starts a proposed operation, once. Not with the key that proposed it.',
    answers: { 200: one(Proposal) },
    errors: [...START_REFUSALS, 'insufficient_capacity', 'insufficient_stock', 'proposal_not_open'],
    examples: [{ summary: 'a proposal' }],
  }),
  refuse: endpoint('silo', 'POST', '/devices/{device_id}/proposals/{proposal_id}/refuse', {
    scope: 'operate',
    summary: 'Refuses a proposed operation.',
    body: optionalBody(checkProposalRefusal, 'refusal'),
    answers: { 200: one(Proposal) },
    errors: ['proposal_not_open'],
    examples: [{ summary: 'with the reason', body: { reason: 'The truck is not here yet.' } }],
  }),
};

export const proposals = {
  description: 'Operations that programs propose, and that people confirm or refuse.',
  endpoints,
  schemas: { Proposal, FeedProposal, DischargeProposal },
  events: {
    'proposal.created': Proposal,
    'proposal.decided': Proposal,
  },
} satisfies Slice;
