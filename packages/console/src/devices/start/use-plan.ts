import type { OperationPlan, OperationPlanRequest } from '@granary/contract/operations';
import { useConsole } from '../../console.ts';
import { useLoaded } from '../../parts/use-loaded.ts';

/** A person who types does not need a plan for each digit. */
const AFTER_MS = 200;

export interface KnownPlan {
  /** `null` until the plan of exactly this request is known. */
  readonly plan: OperationPlan | null;
  /** Also while the plan of a changed request is awaited, so that what was refused cannot be pressed in between. */
  readonly isRefused: boolean;
  readonly failure: unknown;
}

/** What the service expects of a request, and whether it would refuse it; read again when the contents change. */
export function usePlan(
  deviceId: string,
  request: OperationPlanRequest | null,
  weightKg: number | undefined,
): KnownPlan {
  const { client, live } = useConsole();
  const wanted = request === null ? null : JSON.stringify(request);
  const { value, failure } = useLoaded(
    async (signal) => {
      if (request === null) return null;
      await new Promise((resolve) => setTimeout(resolve, AFTER_MS));
      signal.throwIfAborted();
      return { wanted, plan: await client.operations.plan(deviceId, request, { signal, timeLimitMs: 0 }) };
    },
    [
      deviceId,
      wanted,
      weightKg === undefined ? null : Math.round(weightKg),
      live.site.devices.find(deviceId)?.value.status,
      live.connection.current.value.state,
    ],
  );
  return {
    plan: value !== null && value !== undefined && value.wanted === wanted ? value.plan : null,
    isRefused: value !== null && value !== undefined && value.plan.refusal !== null,
    failure,
  };
}
