import type { Reconfirmation } from '@granary/contract/confirmations';
import { SECOND_MS } from '@granary/contract/time';

export const CONFIRMATION_MS = 60 * SECOND_MS;

export type HowToConfirm = Reconfirmation['how'];

/** How the policy requires requests in a facility to be confirmed. */
export function howToConfirm(policy: readonly Reconfirmation[], facility: string): HowToConfirm {
  const named = policy.find((one) => one.facility === facility);
  return (named ?? policy.find((one) => one.facility === null))?.how ?? 'none';
}

/** The request that a person confirms. */
export interface ConfirmedRequest {
  readonly action: string;
  readonly deviceId: string;
  /** The operation, command or mission in the path; `null` for a start. */
  readonly resourceId: string | null;
  readonly body: unknown;
}

/** Whether the request must be confirmed. A hold and an emergency stop end a movement, so they never need a confirmation. */
export const isConfirmed = ({ action, body }: Pick<ConfirmedRequest, 'action' | 'body'>): boolean =>
  action !== 'commands.give' || !['hold', 'emergency_stop'].includes(commandOf(body));

const commandOf = (body: unknown): string =>
  typeof body === 'object' && body !== null && 'command' in body ? String(body.command) : '';

/** The same text for the same request, in whatever order the fields of its body are. */
export const confirmedText = ({ action, deviceId, resourceId, body }: ConfirmedRequest): string =>
  JSON.stringify([action, deviceId, resourceId, ordered(body ?? null)]);

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, field]) => [name, ordered(field)] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** A confirmation as it is stored. */
export interface StoredConfirmation {
  readonly hash: string;
  /** The key of the caller who makes the request. */
  readonly keyId: string;
  readonly digest: string;
  readonly confirmedBy: { readonly key_id: string; readonly name: string };
  readonly expiresAtMs: number;
}

/** Whether the confirmation is valid for this request. Whether it was used already is checked when it is used. */
export const fits = (
  { keyId, digest, confirmedBy }: StoredConfirmation,
  wanted: Pick<StoredConfirmation, 'keyId' | 'digest'>,
  how: HowToConfirm,
): boolean =>
  keyId === wanted.keyId &&
  digest === wanted.digest &&
  (how !== 'second_person' || confirmedBy.key_id !== keyId);
