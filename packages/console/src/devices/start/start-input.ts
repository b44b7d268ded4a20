import type { DischargeRequest, FeedRequest, MassUnit, OperationType } from '@granary/contract/operations';

/** The form as it was filled in. */
export interface StartInput {
  readonly type: OperationType;
  readonly amount: string;
  readonly unit: MassUnit;
  /** In kg/min; empty for the limit of the device. */
  readonly rate: string;
  readonly container: string;
}

export const EMPTY_START: StartInput = { type: 'feed', amount: '', unit: 'kg', rate: '', container: '' };

export type StartRequest =
  | { readonly type: 'feed'; readonly body: FeedRequest }
  | { readonly type: 'discharge'; readonly body: DischargeRequest };

/** The request of a form that is complete; `null` while something is missing or is no positive number. */
export function requestOf({ type, amount, unit, rate, container }: StartInput): StartRequest | null {
  const wanted = positive(amount);
  const wantedRate = rate.trim() === '' ? undefined : positive(rate);
  if (wanted === null || wantedRate === null) return null;
  const body: FeedRequest = {
    amount: wanted,
    unit,
    ...(wantedRate === undefined ? {} : { rate: wantedRate, rate_unit: 'kg/min' }),
  };
  if (type === 'feed') return { type, body };
  const target_container = container.trim();
  return target_container === '' ? null : { type, body: { ...body, target_container } };
}

function positive(text: string): number | null {
  const value = Number(text);
  return text.trim() !== '' && Number.isFinite(value) && value > 0 ? value : null;
}

/** The room for a feed, the contents for a discharge; without a known weight there is no limit that the page could show. */
export function availableKg(
  type: OperationType,
  { weightKg, capacityKg }: { readonly weightKg: number | null; readonly capacityKg: number },
): number {
  if (weightKg === null) return Number.POSITIVE_INFINITY;
  const insideKg = Math.max(0, weightKg);
  return type === 'feed' ? Math.max(0, capacityKg - insideKg) : insideKg;
}
