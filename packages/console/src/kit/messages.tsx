import './messages.css';
import { ApiError, UnreachableError } from '@granary/client';
import type { ComponentChildren } from 'preact';
import { addressOf } from '../context/routes.ts';
import { texts } from '../texts.ts';
import { cureText, type Refused, refusalText } from './sentences.ts';
import { SeverityMark } from './severity-mark.tsx';

/** Says for a person what happened, whether anything was changed, and what to do. */
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
    const cure = failure.mayBeDone ? failures.mayBeDone : cureText({ code, message_code: messageCode });
    return cure === null ? said : `${said} ${cure}`;
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
      title={request === undefined ? '' : texts.value.common.failures.request({ id: request })}
    >
      {failureText(of)}
    </p>
  );
}

/** The tab on the page of the device where a person can remove the cause of a refusal. */
const CURED_IN: Readonly<Record<string, 'connection' | 'configuration'>> = {
  device_is_offline: 'connection',
  device_is_silent: 'connection',
  device_not_listening: 'connection',
  weight_never_reported: 'connection',
  weight_is_old: 'connection',
  device_is_maintained: 'configuration',
  rate_too_high: 'configuration',
};

interface RefusedProps {
  /** The title of the action that would be refused. */
  readonly title: string;
  readonly refusal: Refused;
  readonly deviceId: string;
}

/** Says that an action would be refused now, why, and what to do about it. */
export function WouldRefuse({ title, refusal, deviceId }: RefusedProps) {
  const cure = cureText(refusal);
  const tab = CURED_IN[refusal.message_code ?? ''];
  return (
    <div class="would-refuse" role="alert">
      <SeverityMark severity="warning" text={title} />
      <p>{refusalText(refusal)}</p>
      {cure !== null && (
        <p>
          {cure}{' '}
          {tab !== undefined && (
            <a href={addressOf('devices', deviceId, { tab })}>{texts.value.devices.tabs[tab]}</a>
          )}
        </p>
      )}
    </div>
  );
}

/** The state of a whole view: loading, empty, or a failure that says what to do. */
export const Notice = ({ children }: { readonly children: ComponentChildren }) => (
  <p class="notice">{children}</p>
);
