import type { CommandName } from '@granary/contract/commands';
import { toIso } from '@granary/contract/time';
import { inWords, reasonText, withReason } from '../words.ts';
import {
  ASKED_AFTER_END_MS_MAX,
  COMMAND_TIMEOUT_MS,
  type CommandState,
  isEmergencyStop,
  isEndDeclared,
} from './state.ts';

const COMMAND_WORDS: Readonly<Record<CommandName, string>> = {
  move_to_coordinates: 'move to a position',
  hold: 'hold',
  resume: 'go on',
  return_to_base: 'return to base',
  scan: 'scan',
  collect_sample: 'collect a sample',
  emergency_stop: 'emergency stop',
  release_emergency_stop: 'release of the emergency stop',
};

/** A command and how far it is, such as `the command "return to base" (sent)`. */
export const commandName = ({ command, status }: CommandState): string =>
  `the command "${COMMAND_WORDS[command]}" (${inWords(status)})`;

export const STOP_IN_FORCE = 'an emergency stop is in force: nothing may move until a person releases it';

export const STOP_UNCONFIRMED =
  'the device has not confirmed the emergency stop yet, so it may still move; it can be released once the stop is confirmed';

/** The text of the alert about an emergency stop that the device has not confirmed. */
export const unconfirmedStopText = ({ lastAnswer }: CommandState): string =>
  `The device has not confirmed the emergency stop, so it may still move; the stop is repeated until it does${lastAnswer === null ? '' : `; its last answer: ${lastAnswer}`}`;

/** One sentence for a person: what is known, what the service waits for, and until when. */
export function commandStatusDetail(command: CommandState): string {
  if (isEndDeclared(command)) return declaredDetail(command);
  if (isEmergencyStop(command)) return emergencyStopDetail(command);
  const { status, result, expiresAtMs, sentAtMs, lastHeardAtMs, endedAtMs, createdAtMs } = command;
  const timeoutAt = (sinceMs: number | null): string => toIso((sinceMs ?? createdAtMs) + COMMAND_TIMEOUT_MS);
  switch (status) {
    case 'queued':
      return `It waits for the device to connect${expiresAtMs === null ? '' : `, until ${toIso(expiresAtMs)}`}.`;
    case 'sent':
      return `It was sent; the device has not answered yet and is asked until ${timeoutAt(sentAtMs)}.`;
    case 'executing':
      return `The device carries it out; its next report is awaited until ${timeoutAt(lastHeardAtMs)}.`;
    case 'succeeded':
      return 'The device reported that it has carried it out.';
    case 'timed_out':
      return `Its outcome is unknown: the device has not answered and is asked until ${toIso((endedAtMs ?? createdAtMs) + ASKED_AFTER_END_MS_MAX)}.`;
    default:
      return `${withReason(`It ${OUTCOMES[status]}`, result?.message)}.`;
  }
}

const OUTCOMES = {
  failed: 'failed',
  rejected: 'was rejected by the device',
  cancelled: 'was cancelled',
  expired: 'was not carried out',
} as const;

function declaredDetail({ command, result, latchedSinceMs }: CommandState): string {
  const what = `It was ${result?.message ?? 'declared ended'}`;
  if (command !== 'emergency_stop') return `${what}.`;
  return latchedSinceMs === null
    ? `${what}; this emergency stop is no longer in force.`
    : `${what}; it is not repeated any more and stays in force until a person releases it.`;
}

function emergencyStopDetail({ status, lastAnswer, latchedSinceMs, result }: CommandState): string {
  switch (status) {
    case 'queued':
      return 'The device is not connected; the emergency stop is sent as soon as it is, and until then nobody knows whether the device stands still.';
    case 'sent':
    case 'executing':
      return `It is repeated every second until the device confirms that it stands still${lastAnswer === null ? '' : `; its last answer: ${lastAnswer}`}.`;
    case 'succeeded':
      return latchedSinceMs === null
        ? 'The device confirmed that it stands still; this emergency stop is no longer in force.'
        : 'The device confirmed that it stands still; it accepts no movement until a person releases the emergency stop.';
    default:
      return `${withReason('It ended without a confirmation', result?.message)}.`;
  }
}

/** What a device answered to an emergency stop, with its reason in brackets. */
export const stopAnswerText = (what: string, reason: string | null): string => {
  const text = reasonText(reason);
  return text === null ? what : `${what} (${text})`;
};

/** What became of a command, as the end of a sentence. */
export const RESULTS = {
  expiredUnsent: 'it expired before it could be sent',
  notConnected: 'the device is not connected, so nothing was sent',
  stoppedBefore: 'an emergency stop came first',
  forgotten: 'the device no longer knows it; its outcome is unknown',
  notArrived: 'the device does not know it: it did not arrive in time, or its memory was lost',
  neverConnected: 'the device did not connect in time',
  superseded: 'the device cancelled it for another',
  noAnswer: 'the device does not say what became of it',
} as const;
