import { isUtf8 } from 'node:buffer';
import { Refusal } from '@granary/contract/errors';
import { readJson } from '@granary/contract/input/json';
import type { Checker, ValidationIssue } from '@granary/contract/input/schema';
import { checkDeviceState, type UpSubject } from '@granary/contract/link/messages';
import { PROFILES, type ProfileName } from '@granary/contract/profiles/profiles';
import { REASON_CHARACTERS_MAX } from './limits.ts';
import type { UplinkMessage } from './port.ts';

export interface Undecodable {
  readonly reason: string;
}

export function decode(
  profile: ProfileName,
  subject: UpSubject,
  payload: Buffer,
): UplinkMessage | Undecodable {
  if (!isUtf8(payload)) return { reason: 'payload is not valid UTF-8' };
  let value: unknown;
  try {
    value = readJson(payload.toString());
  } catch (error) {
    if (error instanceof Refusal) return { reason: error.message };
    throw error;
  }
  const { checkTelemetry, replies } = PROFILES[profile];
  switch (subject) {
    case 'telemetry':
      return checked(checkTelemetry, value, (telemetry) => ({ subject, telemetry }));
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

/** The beginning of a payload, safe to store and to show: control characters and incomplete characters become `�`. */
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
