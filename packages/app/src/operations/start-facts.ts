import { Refusal } from '@granary/contract/errors';
import type { DischargeRequest, FeedRequest, OperationType } from '@granary/contract/operations';
import type { OperationRequest, SiloAtStart } from '@granary/core/operations/interlocks';
import type { Weight } from '@granary/core/operations/state';
import type { FactsOf } from '../devices/device-facts.ts';

/** What the interlocks decide by. */
export function siloAtStart(
  { presence, capacityKg, configuration, latest, operations }: FactsOf<'operations'>,
  isReachable: boolean,
): SiloAtStart {
  return { presence, capacityKg, configuration, operations, weight: latest.weight, isReachable };
}

export const latestWeight = ({ latest: { weight } }: FactsOf<'operations'>): Weight | null =>
  weight === undefined ? null : { valueG: weight.value, tsMs: weight.tsMs };

export function requestOf({
  type,
  request,
}: {
  readonly type: OperationType;
  readonly request: FeedRequest | DischargeRequest;
}): OperationRequest {
  if (type === 'feed') return { type, ...request };
  if ('target_container' in request) return { type, ...request };
  throw new Refusal('invalid_input', 'a discharge needs a target container');
}
