import { areOtherClocks, numericTime, ownZone } from '@granary/common/time-text';
import { ENGLISH } from '@granary/contract/sentences/english';
import { type Reader, written } from '@granary/contract/sentences/writing';

type Values = Readonly<Record<string, unknown>>;

/** A time to the minute, such as 2026-11-15 08:30, in the zone of a silo. */
export const localTime = (time: string, timeZone: string): string => numericTime(Date.parse(time), timeZone);

/** Whether the clocks of a zone show another time than that of the terminal. */
export const isOtherZone = (timeZone: string, nowMs: number = Date.now()): boolean =>
  areOtherClocks(timeZone, ownZone(), nowMs);

/** The English sentences of the service, with times in a zone. */
const readerIn = (timeZone: string): Reader => ({ ...ENGLISH, time: (time) => localTime(time, timeZone) });
const READER = readerIn(ownZone());

/** The same sentences for a list with times of several zones: the zone is named if its clocks differ from that of the terminal. */
const namedIn = (timeZone: string): Reader => ({
  ...ENGLISH,
  time: (time) =>
    isOtherZone(timeZone, Date.parse(time))
      ? `${localTime(time, timeZone)} (${timeZone})`
      : localTime(time, timeZone),
});

/** A reason of a forecast, with times of the silo's zone. */
export const reasonText = (
  { code, values, text }: { readonly code: string; readonly values: Values; readonly text: string },
  timeZone: string,
): string => written({ code, values }, readerIn(timeZone)) ?? text;

/** The text of a code. A newer service can have unknown codes; then its own text is shown. */
const textOf = (
  code: string | undefined,
  values: Values | undefined,
  text: string,
  timeZone?: string,
): string => {
  if (code === undefined) return text;
  const reader = timeZone === undefined ? READER : namedIn(timeZone);
  return written({ code, values: values ?? {} }, reader) ?? text;
};

export interface WithMessage {
  readonly message: string;
  readonly message_code?: string;
  readonly message_values?: Values;
}

/** The message of an alert or a refusal, or why a job ended; in the zone of the terminal if none is given. */
export const messageText = (
  { message, message_code, message_values }: WithMessage,
  timeZone?: string,
): string => textOf(message_code, message_values, message, timeZone);

export interface WithStatus {
  readonly status_detail: string;
  readonly status_code?: string;
  readonly status_values?: Values;
}

/** The status of a job in words, in the same way. */
export const statusText = (
  { status_detail, status_code, status_values }: WithStatus,
  timeZone?: string,
): string => textOf(status_code, status_values, status_detail, timeZone);
