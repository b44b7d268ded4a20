import { type Static, Type } from 'typebox';
import { OptionalActor } from './audit.ts';
import { DeclaredEndOrNull } from './declared-end.ts';
import { PageQuery } from './envelope.ts';
import { ERROR_CODES } from './errors.ts';
import { OperationId } from './ids.ts';
import { checker, closed, described } from './input/schema.ts';
import { line } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import { codeField, messageFields, REFUSAL_FIELDS, statusFields, VALUES } from './sentence-fields.ts';
import { OPERATION_DETAILS, TRACE } from './sentences/jobs.ts';
import { PARTS } from './sentences/parts.ts';

export const OPERATION_TYPES = ['feed', 'discharge'] as const;
export const OPERATION_STATUSES = [
  'started',
  'in_progress',
  'stopping',
  'unconfirmed',
  'completed',
  'stopped',
  'failed',
] as const;
/** Where the operation was started: through this service, or at the device. */
export const OPERATION_ORIGINS = ['service', 'device'] as const;
export const MASS_UNITS = ['kg', 't', 'lb', 'g'] as const;
export const RATE_UNITS = ['kg/min', 't/h', 'kg/h', 'lb/min'] as const;

/**
 * Why an operation failed: the start was never written to the device's connection; the device refused it; the device does
 * not know it, so its outcome was not reported; the device reported a fault; the weight did not move; it ran longer than
 * allowed; a person declared it ended, because the device did not report its end. Only the first two mean that nothing moved.
 */
export const FAILURE_REASONS = [
  'not_sent',
  'refused',
  'outcome_unknown',
  'device_fault',
  'no_movement',
  'overrun',
  'declared_ended',
] as const;

export type OperationType = (typeof OPERATION_TYPES)[number];
export type OperationStatus = (typeof OPERATION_STATUSES)[number];
export type MassUnit = (typeof MASS_UNITS)[number];
export type RateUnit = (typeof RATE_UNITS)[number];
export type FailureReason = (typeof FAILURE_REASONS)[number];

const Positive = Type.Number({ exclusiveMinimum: 0 });
export const TargetContainer = line(200);

export const FeedRequest = closed({
  amount: Positive,
  unit: Type.Optional(described('`kg` when not given.', Type.Enum(MASS_UNITS))),
  rate: Type.Optional(described("The device's limit when not given.", Positive)),
  rate_unit: Type.Optional(described('`kg/min` when not given.', Type.Enum(RATE_UNITS))),
});

export const DischargeRequest = closed({ ...FeedRequest.properties, target_container: TargetContainer });

export const OperationStarted = closed({
  operation_id: OperationId,
  status: Type.Enum(OPERATION_STATUSES),
  estimated_duration: Type.Number(),
  duration_unit: Type.Literal('minutes'),
});

const NumberOrNull = Type.Union([Type.Number(), Type.Null()]);
const TimestampOrNull = Type.Union([Timestamp, Type.Null()]);

export const OperationFailure = closed({ reason: Type.Enum(FAILURE_REASONS), ...messageFields(PARTS) });

/** Amounts and rates are in the units of the request; unknown fields of an operation started at the device are `null`. */
export const OperationRecord = closed({
  operation_id: OperationId,
  type: Type.Union([Type.Enum(OPERATION_TYPES), Type.Null()]),
  status: Type.Enum(OPERATION_STATUSES),
  ...statusFields(OPERATION_DETAILS),
  origin: Type.Enum(OPERATION_ORIGINS),
  progress: described(
    'In percent of `amount_target`; `null` where it or `amount_completed` is not known.',
    NumberOrNull,
  ),
  amount_target: NumberOrNull,
  amount_completed: described(
    "The amount in the latest report by the device's clock, 0 before the first one; `null` if the operation has ended and the device did not report how much it moved.",
    NumberOrNull,
  ),
  measured_amount: described(
    'The change of weight in the requested direction: while it runs up to the latest weight, afterwards up to the first weight after its end. `null` while it is not known, and for good if another operation began before that weight was read.',
    NumberOrNull,
  ),
  unit: Type.Enum(MASS_UNITS),
  rate: NumberOrNull,
  rate_unit: Type.Enum(RATE_UNITS),
  target_container: Type.Union([TargetContainer, Type.Null()]),
  started_at: Timestamp,
  estimated_completion: TimestampOrNull,
  stop_requested_at: TimestampOrNull,
  ended_at: TimestampOrNull,
  failure: described(
    'Set as soon as the failure is known, also while the device has not confirmed that it stopped.',
    Type.Union([OperationFailure, Type.Null()]),
  ),
  declared: described('`null` unless a person declared the operation ended.', DeclaredEndOrNull),
  requested_by: described(
    'Who asked for it; `null` where the device itself began it, and before there was an audit log.',
    OptionalActor,
  ),
  stopped_by: described('The first caller who asked to stop it.', OptionalActor),
});

/** The thresholds of the level that an operation can pass. */
export const LEVEL_THRESHOLDS = ['low_level', 'high_level', 'critical_level'] as const;

/** The reasons why a person should check a start again. */
export const START_WARNINGS = ['passes_threshold', 'far_above_usual', 'longer_than_shift'] as const;

/** An operation that is only planned; the container of a discharge need not be known yet. */
export const OperationPlanRequest = closed({
  type: Type.Enum(OPERATION_TYPES),
  ...FeedRequest.properties,
  target_container: Type.Optional(TargetContainer),
});

/** Amounts and rates are in the units of the request; `null` if no usable weight is known. */
export const OperationPlan = closed({
  estimated_duration: Type.Number(),
  duration_unit: Type.Literal('minutes'),
  unit: Type.Enum(MASS_UNITS),
  rate: described('The rate of the request, or the limit.', Type.Number()),
  rate_limit: Type.Number(),
  rate_unit: Type.Enum(RATE_UNITS),
  room: described('How much more the silo can hold.', NumberOrNull),
  stock: described('How much is inside.', NumberOrNull),
  level_before: described('In percent.', NumberOrNull),
  level_after: described('In percent.', NumberOrNull),
  crosses: described(
    'The thresholds that the level would pass, each of which raises an alert.',
    Type.Array(Type.Enum(LEVEL_THRESHOLDS)),
  ),
  usual_amount: described(
    'The median of what the completed operations of this type moved among the last 50 of the silo; `null` where there are fewer than 5.',
    NumberOrNull,
  ),
  warnings: described(
    'Why a person should look twice before it is started: a threshold is passed, the amount is more than ten times `usual_amount`, it takes longer than a shift.',
    Type.Array(Type.Enum(START_WARNINGS)),
  ),
  refusal: described(
    'Why a start would be refused now; `null` where it would be accepted.',
    Type.Union([closed({ code: Type.Enum([...ERROR_CODES]), ...REFUSAL_FIELDS }), Type.Null()]),
  ),
});

/** The steps of an operation, in the order in which they can happen. */
export const OPERATION_STEPS = [
  'requested',
  'checked',
  'sent',
  'not_sent',
  'begun_at_device',
  'acknowledged',
  'moved',
  'reported',
  'report_requested',
  'stop_requested',
  'stop_sent',
  'completed',
  'stopped',
  'failed',
  'measured',
  'declared_ended',
] as const;

const TraceStep = closed({
  at: Timestamp,
  step: Type.Enum(OPERATION_STEPS),
  by: described('The caller; `null` where the service or the device did it.', OptionalActor),
  detail: described('One sentence for a person.', Type.String()),
  detail_code: codeField({ ...TRACE, ...OPERATION_DETAILS }),
  detail_values: VALUES,
});

export const OperationTrace = closed({
  operation_id: OperationId,
  status: Type.Enum(OPERATION_STATUSES),
  steps: described('In the order of their times.', Type.Array(TraceStep)),
});

export const OperationQuery = closed({
  ...PageQuery.properties,
  status: Type.Optional(Type.Enum(OPERATION_STATUSES)),
  type: Type.Optional(Type.Enum(OPERATION_TYPES)),
});

export type FeedRequest = Static<typeof FeedRequest>;
export type DischargeRequest = Static<typeof DischargeRequest>;
export type OperationStarted = Static<typeof OperationStarted>;
export type OperationFailure = Static<typeof OperationFailure>;
export type OperationRecord = Static<typeof OperationRecord>;
export type LevelThreshold = (typeof LEVEL_THRESHOLDS)[number];
export type StartWarning = (typeof START_WARNINGS)[number];
export type OperationPlanRequest = Static<typeof OperationPlanRequest>;
export type OperationPlan = Static<typeof OperationPlan>;
export type OperationStep = (typeof OPERATION_STEPS)[number];
export type TraceStep = Static<typeof TraceStep>;
export type OperationTrace = Static<typeof OperationTrace>;
export type OperationQuery = Static<typeof OperationQuery>;

export const checkFeedRequest = checker(FeedRequest);
export const checkDischargeRequest = checker(DischargeRequest);
export const checkOperationPlanRequest = checker(OperationPlanRequest);
export const checkOperationQuery = checker(OperationQuery);
