import { isUtf8 } from 'node:buffer';
import type { FoundType, RefusalCause } from '@granary/contract/devices/reception';
import { Refusal } from '@granary/contract/errors';
import { readJson } from '@granary/contract/input/json';
import type { Checker, ValidationIssue } from '@granary/contract/input/schema';
import { shouldBeNumber } from '@granary/contract/input/validation-issues';
import { checkDeviceState, type UpSubject } from '@granary/contract/link/messages';
import { PROFILES, type ProfileName } from '@granary/contract/profiles/profiles';
import { REASON_CHARACTERS_MAX } from './limits.ts';
import type { UplinkMessage } from './port.ts';

export interface Undecodable {
  readonly reason: string;
  /** The reason for programs; only telemetry has one. */
  readonly cause?: RefusalCause;
}

export function decode(
  profile: ProfileName,
  subject: UpSubject,
  payload: Buffer,
): UplinkMessage | Undecodable {
  if (!isUtf8(payload)) return unreadable(subject, 'payload is not valid UTF-8');
  let value: unknown;
  try {
    value = readJson(payload.toString());
  } catch (error) {
    if (error instanceof Refusal) return unreadable(subject, error.message);
    throw error;
  }
  const { checkTelemetry, replies } = PROFILES[profile];
  switch (subject) {
    case 'telemetry':
      return checkTelemetry.accepts(value)
        ? { subject, telemetry: value }
        : refusedTelemetry(checkTelemetry.faults(value), value);
    case 'status':
      return checked(checkDeviceState, value, (state) => ({ subject, state }));
    case 'ack':
      return replies === null
        ? unexpected(profile, subject)
        : checked(replies.ack, value, (ack) => ({ subject, ack }));
    case 'progress':
      return replies === null
        ? unexpected(profile, subject)
        : checked(replies.progress, value, (progress) => ({ subject, progress }));
  }
}

const unreadable = (subject: UpSubject, reason: string): Undecodable =>
  subject === 'telemetry' ? { reason, cause: { code: 'other', text: reason } } : { reason };

const refusedTelemetry = (faults: readonly ValidationIssue[], value: unknown): Undecodable => ({
  reason: reasonOf(faults),
  cause: causeOf(faults, value),
});

/** Returns a path in words: without the place in a list of readings, and without the object of declared sensors. */
const fieldOf = (path: string): string =>
  printable(path.replace(/^\/\d+(?=\/|$)/, '').replace(/^\/(sensors\/)?/, ''), REASON_CHARACTERS_MAX);

/** Returns the cause of the first fault, because usually all faults have the same cause. */
function causeOf([first]: readonly ValidationIssue[], value: unknown): RefusalCause {
  if (first === undefined) return { code: 'other', text: 'is not valid' };
  const field = fieldOf(first.path);
  const found = valueAt(value, first.path);
  if (shouldBeNumber(first) && found !== undefined) {
    return { code: 'not_a_number', field, found: foundType(found) };
  }
  const text = field === '' ? `the message ${first.message}` : `${field} ${first.message}`;
  return { code: 'other', text: printable(text, REASON_CHARACTERS_MAX) };
}

/** Finds the value at a path. Names in these paths are not escaped, so names with a slash or a tilde are not found. */
const valueAt = (value: unknown, path: string): unknown =>
  path
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (found, name) =>
        typeof found === 'object' && found !== null && Object.hasOwn(found, name)
          ? (found as Readonly<Record<string, unknown>>)[name]
          : undefined,
      value,
    );

function foundType(value: unknown): FoundType {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : 'object';
}

const unexpected = (profile: ProfileName, subject: UpSubject): Undecodable => ({
  reason: `devices of profile ${profile} are asked to do nothing, so they send no ${subject}`,
});

function checked<Value>(
  checker: Checker<Value>,
  value: unknown,
  message: (value: Value) => UplinkMessage,
): UplinkMessage | Undecodable {
  return checker.accepts(value) ? message(value) : { reason: reasonOf(checker.faults(value)) };
}

function reasonOf(faults: readonly ValidationIssue[]): string {
  const text = faults.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
  return printable(text, REASON_CHARACTERS_MAX);
}

/** Returns the beginning of a payload, safe to store and to show: control characters and incomplete characters become `�`. */
export function printable(text: string, charactersMax: number): string {
  return text
    .slice(0, charactersMax)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu, '\uFFFD');
}

/** Decodes only the bytes that the excerpt can contain, four per character. */
export function payloadExcerpt(payload: Buffer, charactersMax: number): string {
  return printable(payload.toString('utf8', 0, charactersMax * 4), charactersMax);
}
