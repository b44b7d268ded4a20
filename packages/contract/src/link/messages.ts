import { type Static, type TObject, type TProperties, Type } from 'typebox';
import { DEVICE_STATUSES } from '../devices/statuses.ts';
import { OperationId } from '../ids.ts';
import { checker, closed, described } from '../input/schema.ts';
import { note } from '../input/text-schemas.ts';
import { DeviceTime, Timestamp } from '../input/timestamp.ts';
import { OPERATION_TYPES, TargetContainer } from '../operations.ts';

/**
 * Only the service applies threshold rules and makes forecasts, so these fields are not sent. A device of an earlier release
 * may refuse a field that it does not know.
 */
const NOT_SENT = ['rules', 'product', 'animals', 'supply', 'withdrawals', 'time_zone'] as const;
type NotSent = (typeof NOT_SENT)[number];

const IS_NOT_SENT: ReadonlySet<string> = new Set(NOT_SENT);

/** A configuration as a device receives it. */
export type SentConfiguration<Configuration> = Omit<Configuration, NotSent>;

export const sentConfiguration = <Configuration extends object>(
  configuration: Configuration,
): SentConfiguration<Configuration> =>
  Object.fromEntries(
    Object.entries(configuration).filter(([name]) => !IS_NOT_SENT.has(name)),
  ) as SentConfiguration<Configuration>;

/** The schema of the part of a configuration that is sent. The type is given, because the library would try every order of the names. */
export const sentSchema = <Properties extends TProperties>(
  configuration: TObject<Properties>,
): TObject<Omit<Properties, NotSent>> =>
  closed(sentConfiguration(configuration.properties)) as unknown as TObject<Omit<Properties, NotSent>>;

const REASON_CHARS_MAX = 500;
/** Topics are `granary/v1/{device_id}/{subject}`; a device may only use its own. */
export const TOPIC_ROOT = 'granary/v1';
export const UP_SUBJECTS = ['telemetry', 'status', 'ack', 'progress'] as const;
export const DOWN_SUBJECTS = ['command', 'config'] as const;
/** 1,000 readings of twelve values are shorter than this. */
export const LINK_PAYLOAD_BYTES_MAX = 512 * 1024;
/** No silo holds more, and the amount stays an exact number of grams. */
const AMOUNT_KG_MAX = 1e9;
export const PROGRESS_STATES = ['running', 'completed', 'stopped', 'failed', 'unknown'] as const;

export const Reason = note(REASON_CHARS_MAX);

export type UpSubject = (typeof UP_SUBJECTS)[number];
export type DownSubject = (typeof DOWN_SUBJECTS)[number];

export const topicOf = (deviceId: string, subject: UpSubject | DownSubject): string =>
  `${TOPIC_ROOT}/${deviceId}/${subject}`;

/** The state that a device publishes on its retained status topic and leaves as its last will. */
export const DeviceState = closed({
  state: Type.Enum(DEVICE_STATUSES),
  session: Type.Optional(
    described(
      'A text that the device chooses for each connection, in its status messages and in its last will. An `offline` with another session than that of the newest `online` is the end of an older connection and is ignored where an external broker delivers it.',
      Type.String({ minLength: 1, maxLength: 64, pattern: '^[\\x20-\\x7e]*$' }),
    ),
  ),
});
export type DeviceState = Static<typeof DeviceState>;

export const checkDeviceState = checker(DeviceState);

const Positive = Type.Number({ exclusiveMinimum: 0 });

/** A start is sent once for an operation and never repeated. The device itself enforces every limit. */
export const StartCommand = closed({
  command: Type.Literal('start'),
  operation_id: OperationId,
  type: Type.Enum(OPERATION_TYPES),
  amount_kg: described('How much to move; the device ends the operation there.', Positive),
  rate_kg_per_min: Positive,
  max_amount_kg: described('The device never moves more than this.', Positive),
  max_duration_s: described('The device never runs longer than this.', Positive),
  target_container: Type.Optional(
    described(
      'Where a discharge goes to, in the words of whoever asked for it; not there for a feed.',
      TargetContainer,
    ),
  ),
  expires_at: described('A device that receives it later than this refuses it.', Timestamp),
});

/** A stop may arrive any number of times. The device answers with its progress, whose state is then an end. */
export const StopCommand = closed({ command: Type.Literal('stop'), operation_id: OperationId });

/** The device answers with its progress. */
export const ReportCommand = closed({ command: Type.Literal('report'), operation_id: OperationId });

export const SiloCommand = Type.Union([StartCommand, StopCommand, ReportCommand]);

/** A device's answer to a start. */
export const OperationAck = closed({
  operation_id: OperationId,
  accepted: Type.Boolean(),
  reason: Type.Optional(Reason),
});

/** The meaning of the time of a statement, for the references. */
export const TIME_MEANING =
  'When this was the case, by the clock of the device: milliseconds since 1970, or RFC 3339. The newest statement counts.';

export type ProgressState = (typeof PROGRESS_STATES)[number];

/** The progress of an operation: the device sends it repeatedly, at the end, and in answer to a stop or a report. */
export const OperationProgress = closed({
  operation_id: OperationId,
  type: Type.Optional(Type.Enum(OPERATION_TYPES)),
  state: described(
    '`unknown`: the device knows no such operation, so it is not carrying it out.',
    Type.Enum(PROGRESS_STATES),
  ),
  amount_kg: described('Moved since the start.', Type.Number({ minimum: 0, maximum: AMOUNT_KG_MAX })),
  reason: Type.Optional(Reason),
  ts: described(TIME_MEANING, DeviceTime),
});

export type StartCommand = Static<typeof StartCommand>;
export type SiloCommand = Static<typeof SiloCommand>;
export type OperationAck = Static<typeof OperationAck>;
export type OperationProgress = Static<typeof OperationProgress>;

export const isAboutOperation = <Reply extends object>(
  reply: Reply,
): reply is Extract<Reply, { operation_id: string }> => 'operation_id' in reply;

export const checkSiloCommand = checker(SiloCommand);
export const checkOperationAck = checker(OperationAck);
export const checkOperationProgress = checker(OperationProgress);
