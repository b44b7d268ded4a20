import type {
  DischargeRequest,
  FeedRequest,
  OperationPlanRequest,
  OperationType,
} from '@granary/contract/operations';

import { type EnteredUnit, requestedMass } from '../../context/units.ts';

/** The form as it was filled in. */
export interface StartInput {
  /** `null` until the person has chosen or entered something; until then it is the direction of the last operation. */
  readonly type: OperationType | null;
  readonly amount: string;
  /** `null` until the person has entered something; until then it is the unit of the person. */
  readonly unit: EnteredUnit | null;
  /** The rate in kg/min; empty for the limit of the device. */
  readonly rate: string;
  readonly container: string;
}

export const EMPTY_START: StartInput = { type: null, amount: '', unit: null, rate: '', container: '' };

export type StartRequest =
  | { readonly type: 'feed'; readonly body: FeedRequest }
  | { readonly type: 'discharge'; readonly body: DischargeRequest };

/** A form whose direction and unit are known. */
export interface DirectedInput extends StartInput {
  readonly type: OperationType;
  readonly unit: EnteredUnit;
  /** The weight of a bushel of the product; `null` when it is not known. */
  readonly bushelKg?: number | null;
}

/** The request for a plan, for which the container need not be known; `null` while the amount is missing or a value is not a positive number. */
export function planRequestOf({
  type,
  amount,
  unit,
  rate,
  container,
  bushelKg = null,
}: DirectedInput): OperationPlanRequest | null {
  const wanted = positive(amount);
  const wantedRate = rate.trim() === '' ? undefined : positive(rate);
  if (wanted === null || wantedRate === null || (unit === 'bushel' && bushelKg === null)) return null;
  const target_container = container.trim();
  return {
    type,
    ...requestedMass(wanted, unit, bushelKg ?? 0),
    ...(wantedRate === undefined ? {} : { rate: wantedRate, rate_unit: 'kg/min' }),
    ...(type === 'feed' || target_container === '' ? {} : { target_container }),
  };
}

/** The request of a form that is complete. */
export function requestOf(input: DirectedInput): StartRequest | null {
  const planned = planRequestOf(input);
  if (planned === null) return null;
  const { type, target_container, ...body } = planned;
  if (type === 'feed') return { type, body };
  return target_container === undefined ? null : { type, body: { ...body, target_container } };
}

function positive(text: string): number | null {
  const value = Number(text);
  return text.trim() !== '' && Number.isFinite(value) && value > 0 ? value : null;
}

/** The room for a feed, or the contents for a discharge; without a known weight the page has no limit to show. */
export function availableKg(
  type: OperationType,
  { weightKg, capacityKg }: { readonly weightKg: number | null; readonly capacityKg: number },
): number {
  if (weightKg === null) return Number.POSITIVE_INFINITY;
  const insideKg = Math.max(0, weightKg);
  return type === 'feed' ? Math.max(0, capacityKg - insideKg) : insideKg;
}
