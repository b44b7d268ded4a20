import { OPERATION_STATUSES } from '@granary/contract/operations';
import { jobContent } from '../devices/job-content.ts';
import { type DocumentContent, documentKind } from '../documents/versioned.ts';
import type { OperationState } from './state.ts';

/** The stored form of an operation. */
export const OPERATION_DOCUMENT = documentKind<OperationState>(
  [addOutcome, addDeclaration, addActors, addWeighing],
  (content) => jobContent<OperationState>(content, OPERATION_STATUSES),
);

const ABSENT_IN_VERSION_0 = {
  amountCompletedG: 0,
  acknowledgedAtMs: null,
  lastHeardAtMs: null,
  lastProgressTsMs: null,
  reportAskedAtMs: null,
  stopRequestedAtMs: null,
  stopSentAtMs: null,
  endedAtMs: null,
  isOutcomeUnknown: false,
  reopenedAtMs: null,
  undelivered: null,
  failure: null,
  weightAtStartG: null,
  measuredG: null,
  measuredAtMs: null,
  movedWeightG: null,
  movedAtMs: null,
};

/** These reasons were stored although the outcome was unknown. */
const OUTCOME_UNKNOWN_REASONS: ReadonlySet<unknown> = new Set(['not_started', 'forgotten']);

/** Version 1 distinguishes the last reported amount from the largest one, and an unknown outcome from a failure. */
function addOutcome(content: DocumentContent): DocumentContent {
  const largestReportedG = content['largestReportedG'] ?? content['amountCompletedG'] ?? 0;
  const operation: DocumentContent = { ...ABSENT_IN_VERSION_0, ...content, largestReportedG };
  if (!OUTCOME_UNKNOWN_REASONS.has(reasonOf(operation['failure']))) return operation;
  const message =
    operation['acknowledgedAtMs'] === null
      ? 'the device does not know this operation, and whether it began was not reported'
      : 'the device no longer knows this operation, and how much it moved was not reported';
  return { ...operation, isOutcomeUnknown: true, failure: { reason: 'outcome_unknown', message } };
}

/** Version 2: a person may declare an operation ended. */
function addDeclaration(content: DocumentContent): DocumentContent {
  return { declared: null, ...content };
}

/** Version 3: who asked for it. */
function addActors(content: DocumentContent): DocumentContent {
  return { requestedBy: null, stoppedBy: null, ...content };
}

/** Version 4: the weighed amount ends where the next operation begins. */
function addWeighing(content: DocumentContent): DocumentContent {
  const { endedAtMs = null, measuredAtMs = null } = content;
  const isWeighedAfterEnd =
    typeof endedAtMs === 'number' && typeof measuredAtMs === 'number' && measuredAtMs >= endedAtMs;
  return { endTsMs: endedAtMs, isWeighedAfterEnd, isWeighable: true, ...content };
}

const reasonOf = (failure: unknown): unknown =>
  typeof failure === 'object' && failure !== null && 'reason' in failure ? failure.reason : undefined;
