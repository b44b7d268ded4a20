import './messages.css';
import { ApiError, UnreachableError } from '@granary/client';
import type { ComponentChildren } from 'preact';
import { texts } from '../texts/texts.ts';
import { refusalText } from './sentences.ts';

/** What happened, whether anything was changed, and what to do, for a person. */
export function failureText(failure: unknown): string {
  const { failures } = texts.value.common;
  if (failure instanceof ApiError) {
    const { code, message, details, messageCode, messageValues } = failure;
    const said = refusalText({
      code,
      message,
      details,
      message_code: messageCode,
      message_values: messageValues,
    });
    return failure.mayBeDone ? `${said} ${failures.mayBeDone}` : said;
  }
  if (failure instanceof UnreachableError) {
    return [failures.unreachable, failure.mayBeDone ? failures.mayBeDone : failures.notDone].join(' ');
  }
  return failures.unexpected;
}

export function Failure({ of }: { readonly of: unknown }) {
  if (of === null || of === undefined) return null;
  const request = of instanceof ApiError ? of.requestId : undefined;
  return (
    <p
      class="refusal"
      role="alert"
      title={request === undefined ? '' : texts.value.common.failures.request(request)}
    >
      {failureText(of)}
    </p>
  );
}

/** A state of a whole view: loading, empty, or a failure that says what to do. */
export const Notice = ({ children }: { readonly children: ComponentChildren }) => (
  <p class="notice">{children}</p>
);
