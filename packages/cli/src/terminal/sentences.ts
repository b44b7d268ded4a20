import { ENGLISH } from '@granary/contract/sentences/english';
import { type Reader, written } from '@granary/contract/sentences/sentence';

type Values = Readonly<Record<string, unknown>>;

/** The English of the service, with times in the zone of the terminal. */
const READER: Reader = {
  ...ENGLISH,
  // Swedish writes dates and times as ISO 8601 does.
  time: (timestamp) => new Date(timestamp).toLocaleString('sv-SE'),
};

/** A newer service can have codes that are not known here; then its own text is shown. */
const textOf = (code: string | undefined, values: Values | undefined, text: string): string =>
  (code === undefined ? null : written({ code, values: values ?? {} }, READER)) ?? text;

export interface WithMessage {
  readonly message: string;
  readonly message_code?: string;
  readonly message_values?: Values;
}

/** The message of an alert or a refusal, or why a job ended. */
export const messageText = ({ message, message_code, message_values }: WithMessage): string =>
  textOf(message_code, message_values, message);

export interface WithStatus {
  readonly status_detail: string;
  readonly status_code?: string;
  readonly status_values?: Values;
}

/** What is known of a job. */
export const statusText = ({ status_detail, status_code, status_values }: WithStatus): string =>
  textOf(status_code, status_values, status_detail);
