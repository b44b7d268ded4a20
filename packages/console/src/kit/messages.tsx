import './messages.css';
import { ApiError, UnreachableError } from '@granary/client';
import type { ComponentChildren } from 'preact';
import { texts } from '../texts/texts.ts';

/** What happened, whether anything was changed, and what to do, for a person. */
export function failureText(failure: unknown): string {
  const { failures } = texts.value.common;
  if (failure instanceof ApiError) {
    const details = failure.details.map(({ path, message }) => `${path.replace(/^\//, '')} ${message}`);
    const said = [
      `${capitalised(failure.message)}${details.length === 0 ? '.' : `: ${details.join('; ')}.`}`,
    ];
    return [...said, ...(failure.mayBeDone ? [failures.mayBeDone] : [])].join(' ');
  }
  if (failure instanceof UnreachableError) {
    return [failures.unreachable, failure.mayBeDone ? failures.mayBeDone : failures.notDone].join(' ');
  }
  return failures.unexpected;
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

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
