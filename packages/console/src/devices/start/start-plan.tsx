import type { FleetDevice } from '@granary/contract/fleet';
import type { OperationPlan, OperationPlanRequest, OperationType } from '@granary/contract/operations';
import { useConsole, useIsLost } from '../../context/console.ts';
import { formatBoth, formatDuration, formatValue } from '../../kit/format.ts';
import { Failure, WouldRefuse } from '../../kit/messages.tsx';
import { type Refused, withinSentence } from '../../kit/sentences.ts';
import { SeverityMark } from '../../kit/severity-mark.tsx';
import { useLoaded } from '../../kit/use-loaded.ts';
import { unusualReasons } from '../../operations/look-twice.ts';
import { locale, texts } from '../../texts.ts';
import { type NamedThreshold, nextThreshold } from '../facts/thresholds.ts';
import type { StartRequest } from './start-input.ts';

/** A plan is requested this long after the last key, because a person who types does not need one for each digit. */
const AFTER_MS = 200;

/** The statuses that refuse every start, whatever the amount; the form says so before anything is entered. */
const BLOCKED_BY: Readonly<Partial<Record<FleetDevice['status'], Refused>>> = {
  offline: { code: 'device_offline', message: '', message_code: 'device_is_offline' },
  maintenance: { code: 'device_in_maintenance', message: '', message_code: 'device_is_maintained' },
};

/** The title names kilograms beside another unit, because a wrong unit moves real material. */
export const titleOf = (
  { type, body }: Pick<StartRequest, 'type'> & { readonly body: Amount },
  deviceId: string,
) =>
  `${texts.value.operations.types[type]} ${formatBoth(body.amount, body.unit ?? 'kg', locale.value, deviceId)}`;

type Amount = Pick<OperationPlanRequest, 'amount' | 'unit'>;

interface StartPlanProps {
  readonly type: OperationType;
  readonly isComplete: boolean;
  readonly request: OperationPlanRequest | null;
  readonly plan: KnownPlan;
  readonly thresholds: readonly NamedThreshold[];
  readonly device: FleetDevice;
}

/** Says what the start would do, or what is still missing for it. */
export function StartPlan({ type, isComplete, request, plan, thresholds, device }: StartPlanProps) {
  const { devices } = texts.value;
  const { device_id: deviceId } = device;
  const blocked = BLOCKED_BY[device.status];
  return (
    <div class="device-start-plan" role="status">
      {!isComplete && !plan.isRefused && blocked === undefined && <p class="muted">{devices.fillIn[type]}</p>}
      {request === null && blocked !== undefined && (
        <WouldRefuse title={devices.wouldRefuse} refusal={blocked} deviceId={deviceId} />
      )}
      {request !== null && plan.plan !== null && (
        <PlanSentence request={request} plan={plan.plan} thresholds={thresholds} deviceId={deviceId} />
      )}
      {request !== null && plan.plan === null && <Failure of={plan.failure} />}
    </div>
  );
}

interface PlanSentenceProps {
  readonly request: OperationPlanRequest;
  readonly plan: OperationPlan;
  readonly thresholds: readonly NamedThreshold[];
  readonly deviceId: string;
}

/** Says in one sentence what will happen, with what the person should know before. */
function PlanSentence({ request, plan, thresholds, deviceId }: PlanSentenceProps) {
  const { devices } = texts.value;
  const { type, target_container } = request;
  const { level_before: before, level_after: after, crosses, estimated_duration: minutes, refusal } = plan;
  const percent = (value: number): string => formatValue(value, 'percent', locale.value);
  const next = after === null || crosses.length > 0 ? null : nextThreshold(type, after, thresholds);
  const into =
    target_container === undefined ? '' : ` ${texts.value.operations.into({ target: target_container })}`;
  const title = `${titleOf({ type, body: request }, deviceId)}${into}`;
  const rate = formatBoth(plan.rate, plan.rate_unit, locale.value, deviceId);
  const parts = [
    devices.about({ duration: formatDuration(Math.max(1, Math.round(minutes * 60)) * 1_000) }),
    before === null || after === null
      ? devices.levelUnknown
      : devices.levelChange({ before: percent(before), after: percent(after) }),
    ...(next === null
      ? []
      : [devices.stays[type]({ threshold: withinSentence(next.name), value: percent(next.value) })]),
  ];
  return (
    <>
      {refusal === null ? (
        <p>
          <strong class="free-text">{title}</strong> {devices.atRate({ rate })}: {parts.join(', ')}.
        </p>
      ) : (
        <WouldRefuse title={devices.wouldRefuse} refusal={refusal} deviceId={deviceId} />
      )}
      {refusal === null &&
        thresholds
          .filter(({ key }) => crosses.some((crossed) => crossed === key))
          .map(({ key, name, value }) => (
            <p key={key} class="device-start-warning">
              <SeverityMark severity="warning" text="" />{' '}
              {devices.passes[type]({ threshold: withinSentence(name), value: percent(value) })}
            </p>
          ))}
      {refusal === null &&
        unusualReasons(plan, deviceId).map((reason) => (
          <p key={reason} class="device-start-warning">
            <SeverityMark severity="warning" text="" /> {reason}
          </p>
        ))}
    </>
  );
}

export interface KnownPlan {
  /** `null` until the plan of exactly this request is known. */
  readonly plan: OperationPlan | null;
  /** True also while the plan of a changed request is awaited, so that a refused start cannot be pressed in between. */
  readonly isRefused: boolean;
  readonly failure: unknown;
}

/** Reads the plan of a request, and whether the service would refuse it; reads again when the contents change. */
export function usePlan(
  deviceId: string,
  request: OperationPlanRequest | null,
  weightKg: number | undefined,
): KnownPlan {
  const { client, live } = useConsole();
  const asked = request === null ? null : JSON.stringify(request);
  const { value, failure } = useLoaded(
    async (signal) => {
      if (request === null) return null;
      await new Promise((resolve) => setTimeout(resolve, AFTER_MS));
      signal.throwIfAborted();
      return { asked, plan: await client.operations.plan(deviceId, request, { signal, timeLimitMs: 0 }) };
    },
    [
      deviceId,
      asked,
      weightKg === undefined ? null : Math.round(weightKg),
      live.site.devices.find(deviceId)?.value.status,
      useIsLost(),
    ],
  );
  return {
    plan: value !== null && value !== undefined && value.asked === asked ? value.plan : null,
    isRefused: value !== null && value !== undefined && value.plan.refusal !== null,
    failure,
  };
}
