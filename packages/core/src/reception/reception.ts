import type { RefusalCause, RefusedReadings } from '@granary/contract/devices/reception';
import type { ValidationIssue } from '@granary/contract/input/schema';
import { sentence } from '@granary/contract/sentences/codes';
import { messageOf } from '@granary/contract/sentences/english';
import type { PARTS } from '@granary/contract/sentences/parts';
import type { Sentence } from '@granary/contract/sentences/sentence';
import type { DeviceReading } from '@granary/contract/telemetry/telemetry';
import { MINUTE_MS, SECOND_MS, toIso } from '@granary/contract/time';
import { documentKind } from '../documents.ts';
import { CLOCK_AHEAD_MS_MAX } from '../jobs/polling.ts';
import { confusedUnit, type ReadingWindow, timeOf } from '../telemetry/readings.ts';

/** A person is told after this many consecutive messages with refused readings. */
export const REFUSED_MESSAGES_MIN = 3;
/** A clock that differs by less counts as right: it also takes time to send a message. */
export const CLOCK_OFFSET_MS_MAX = MINUTE_MS;
/**
 * A device that sends stored readings after an outage sends them faster than it measured them, so the difference to their
 * arrival changes from message to message. With a wrong clock the difference is the same in all messages for some time.
 */
const CLOCK_MESSAGES_MIN = 3;
const CLOCK_SPAN_MS_MIN = 20 * SECOND_MS;
const CLOCK_TOLERANCE_MS = 10 * SECOND_MS;
/** The number and the cause in the alert about refused readings are updated this often. */
const SHOWN_EVERY_MS = 10 * SECOND_MS;

/** The result of the checks of a message with readings. */
export interface MessageReception {
  readonly deviceNo: number;
  readonly atMs: number;
  /** `null` when all readings were taken. */
  readonly refusal: { readonly taken: RefusedReadings['taken']; readonly cause: RefusalCause } | null;
  /** How far the newest time in the message is ahead of its arrival; `null` when it has no time that can be read. */
  readonly clockOffsetMs: number | null;
}

/** Consecutive messages of which readings were refused. */
interface RefusedRun {
  readonly messages: number;
  readonly sinceMs: number;
  /** The last consecutive messages of which no reading was accepted. */
  readonly untaken: { readonly messages: number; readonly sinceMs: number } | null;
  readonly lastAtMs: number;
  readonly cause: RefusalCause;
  /** When the alerts were last evaluated because of this run. */
  readonly evaluatedAtMs: number;
}

/** Consecutive messages whose newest time differs from their arrival by about the same. */
interface ClockRun {
  readonly offsetMs: number;
  readonly messages: number;
  readonly sinceMs: number;
  readonly lastAtMs: number;
}

/** The irregularities of the messages of a device; stored only while there are any. */
export interface Reception {
  readonly refused: RefusedRun | null;
  readonly clock: ClockRun | null;
}

export const RECEPTION_DOCUMENT = documentKind<Reception>([]);

export const isClockRight = (offsetMs: number): boolean => Math.abs(offsetMs) <= CLOCK_OFFSET_MS_MAX;

/** The state after a message; the same object if nothing has to be stored. */
export function advanceReception(before: Reception | null, message: MessageReception): Reception | null {
  const refused = advanceRefused(before?.refused ?? null, message);
  const clock = advanceClock(before?.clock ?? null, message);
  if (refused === null && clock === null) return null;
  return refused === before?.refused && clock === before?.clock ? before : { refused, clock };
}

function advanceRefused(before: RefusedRun | null, { refusal, atMs }: MessageReception): RefusedRun | null {
  if (refusal === null) return null;
  const { taken, cause } = refusal;
  const untaken =
    taken === 'some'
      ? null
      : { messages: (before?.untaken?.messages ?? 0) + 1, sinceMs: before?.untaken?.sinceMs ?? atMs };
  const run = {
    messages: (before?.messages ?? 0) + 1,
    sinceMs: before?.sinceMs ?? atMs,
    untaken,
    lastAtMs: atMs,
    cause,
    evaluatedAtMs: before?.evaluatedAtMs ?? atMs,
  };
  return { ...run, evaluatedAtMs: changesAlert(before, run) ? atMs : run.evaluatedAtMs };
}

const changesAlert = (before: RefusedRun | null, run: RefusedRun): boolean =>
  refusedExtent(before) !== refusedExtent(run) ||
  (refusedExtent(run) !== null && run.lastAtMs - run.evaluatedAtMs >= SHOWN_EVERY_MS);

function advanceClock(before: ClockRun | null, { clockOffsetMs, atMs }: MessageReception): ClockRun | null {
  if (clockOffsetMs === null) return before;
  if (isClockRight(clockOffsetMs)) return null;
  const isSame = before !== null && Math.abs(clockOffsetMs - before.offsetMs) <= CLOCK_TOLERANCE_MS;
  if (before === null || (!isSame && !isKnown(before))) {
    return { offsetMs: clockOffsetMs, messages: 1, sinceMs: atMs, lastAtMs: atMs };
  }
  if (!isKnown(before)) return { ...before, messages: before.messages + 1, lastAtMs: atMs };
  return isSame ? before : { ...before, offsetMs: clockOffsetMs };
}

const isKnown = ({ messages, sinceMs, lastAtMs }: ClockRun): boolean =>
  messages >= CLOCK_MESSAGES_MIN && lastAtMs - sinceMs >= CLOCK_SPAN_MS_MIN;

/** Whether the alerts of the device may have changed because of its reception. */
export const changesAlerts = (before: Reception | null, after: Reception | null): boolean =>
  refusedExtent(before?.refused ?? null) !== refusedExtent(after?.refused ?? null) ||
  (before?.refused != null &&
    after?.refused != null &&
    before.refused.evaluatedAtMs !== after.refused.evaluatedAtMs) ||
  wrongClockMs(before) !== wrongClockMs(after);

/** `null` if no person has to be told that readings are refused; otherwise whether some or none of the readings are accepted. */
function refusedExtent(run: RefusedRun | null): RefusedReadings['taken'] | null {
  if (run === null || run.messages < REFUSED_MESSAGES_MIN) return null;
  return (run.untaken?.messages ?? 0) >= REFUSED_MESSAGES_MIN ? 'none' : 'some';
}

/** How far the clock of the device is ahead, negative if it is behind; `null` if it is right or nothing is known. */
export const wrongClockMs = (reception: Reception | null): number | null =>
  reception?.clock != null && isKnown(reception.clock) ? reception.clock.offsetMs : null;

/**
 * Until when old values may be explained by the way in which the messages of the device arrive; `null` if they are not. One
 * late message explains nothing: a device that sends stored readings sends many of them.
 */
export function explainsOldValuesUntilMs(reception: Reception | null, freshnessMs: number): number | null {
  const { refused = null, clock = null } = reception ?? {};
  const timesMs = [
    ...(refused?.untaken != null ? [refused.lastAtMs] : []),
    ...(clock !== null && clock.messages >= CLOCK_MESSAGES_MIN - 1 ? [clock.lastAtMs] : []),
  ];
  return timesMs.length === 0 ? null : Math.max(...timesMs) + freshnessMs;
}

/** The refused messages from the first one on; `null` if all readings of the last message were accepted. */
export function refusedReadings(reception: Reception | null): RefusedReadings | null {
  const run = reception?.refused ?? null;
  if (run === null) return null;
  const { cause, lastAtMs, untaken } = run;
  const isUntaken = refusedExtent(run) === 'none' || untaken?.messages === run.messages;
  const { messages, sinceMs } = (isUntaken ? untaken : null) ?? run;
  return {
    messages,
    taken: isUntaken ? 'none' : 'some',
    since: toIso(sinceMs),
    last_at: toIso(lastAtMs),
    cause,
    ...messageOf(refusalSentence(cause)),
  };
}

/** The irregularities as callers see them in the detail of a device; `hasReadings` says whether a reading was ever accepted. */
export const receptionRecord = (reception: Reception | null, hasReadings: boolean) => ({
  clock_offset_s: clockOffsetS(reception, hasReadings),
  refused_readings: refusedReadings(reception),
});

function clockOffsetS(reception: Reception | null, hasReadings: boolean): number | null {
  const offsetMs = wrongClockMs(reception);
  if (offsetMs !== null) return Math.round(offsetMs / SECOND_MS);
  return hasReadings && (reception?.clock ?? null) === null ? 0 : null;
}

/** The refused readings if an alert is raised about them; otherwise `null`. */
export const toldRefusedReadings = (reception: Reception | null): RefusedReadings | null =>
  refusedExtent(reception?.refused ?? null) === null ? null : refusedReadings(reception);

/** Why a reading with this fault was refused. */
export function readingRefusal(
  sent: DeviceReading,
  fault: ValidationIssue,
  window: ReadingWindow,
): RefusalCause {
  const tsMs = timeOf(sent);
  if (fault.path !== '/ts' || tsMs === null) {
    return { code: 'other', text: `${fault.path.replace(/^\/(sensors\/)?/, '')} ${fault.message}` };
  }
  const unit = confusedUnit(sent.ts, window.newestMs);
  if (unit !== null) return { code: 'time_unit', unit };
  const nowMs = window.newestMs - CLOCK_AHEAD_MS_MAX;
  return { code: 'clock', offset_s: Math.round((tsMs - nowMs) / SECOND_MS) };
}

/** The cause in words that complete "its readings are refused: …". */
export function refusalSentence(cause: RefusalCause): Sentence<keyof typeof PARTS> {
  switch (cause.code) {
    case 'clock':
      return sentence(cause.offset_s > 0 ? 'clock_ahead' : 'clock_behind', {
        offset: Math.abs(cause.offset_s),
      });
    case 'time_unit':
      return sentence('times_in_other_unit', { unit: cause.unit });
    case 'not_a_number':
      return sentence('value_not_a_number', { sensor: cause.field, found: cause.found });
    case 'undeclared_sensor':
      return sentence('sensor_not_declared', { sensor: cause.field });
    case 'other':
      return sentence('other_cause', { text: cause.text });
  }
}
