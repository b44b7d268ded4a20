import { MASS_UNITS, OPERATION_TYPES } from '@granary/contract/outline';
import '../../kit/segments.css';
import { newIdempotencyKey } from '@granary/client';
import type { SiloConfiguration } from '@granary/contract/configuration/silo-configuration';
import type { FleetDevice } from '@granary/contract/fleet';
import type { OperationPlan, OperationPlanRequest, OperationType } from '@granary/contract/operations';
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { confirmed } from '../../context/confirmed.ts';
import { useConsole, useIsLost } from '../../context/console.ts';
import { bushels, type EnteredUnit, fieldNumber, shownAs } from '../../context/units.ts';
import { Button } from '../../kit/button.tsx';
import { useAction } from '../../kit/form-state.ts';
import {
  formatBoth,
  formatDuration,
  formatMass,
  formatQuantity,
  formatValue,
  unitSymbol,
} from '../../kit/format.ts';
import { SelectInput, TextInput } from '../../kit/inputs.tsx';
import { Failure, WouldRefuse } from '../../kit/messages.tsx';
import { numberText } from '../../kit/number-entry.ts';
import { NumberInput } from '../../kit/number-input.tsx';
import { SecondPress } from '../../kit/second-press.tsx';
import { type Refused, withinSentence } from '../../kit/sentences.ts';
import { SeverityMark } from '../../kit/severity-mark.tsx';
import { useLoaded } from '../../kit/use-loaded.ts';
import { lookTwice, unusualReasons } from '../../operations/look-twice.ts';
import { PlanFacts } from '../../operations/plan-facts.tsx';
import { locale, texts } from '../../texts.ts';
import type { DeviceFacts } from '../facts/device-facts.ts';
import { type NamedThreshold, nextThreshold, thresholdsOf } from '../facts/thresholds.ts';
import {
  availableKg,
  EMPTY_START,
  planRequestOf,
  requestOf,
  type StartInput,
  type StartRequest,
} from './start-input.ts';

/** A plan is requested this long after the last key, because a person who types does not need one for each digit. */
const AFTER_MS = 200;

/** The statuses that refuse every start, whatever the amount; the form says so before anything is entered. */
const BLOCKED_BY: Readonly<Partial<Record<FleetDevice['status'], Refused>>> = {
  offline: { code: 'device_offline', message: '', message_code: 'device_is_offline' },
  maintenance: { code: 'device_in_maintenance', message: '', message_code: 'device_is_maintained' },
};

interface Props {
  readonly device: FleetDevice;
  readonly facts: DeviceFacts;
  /** The direction of the last operation, so that a person who continues it does not move material the other way by mistake. */
  readonly lastType: OperationType | null;
  /** Set to the level after the operation of the form, as long as it would not be refused. */
  readonly target: Signal<number | null>;
}

/** Starts a feed or a discharge. The effect is shown above the button, and the button names the operation again. */
export function StartForm({ device, facts, lastType, target }: Props) {
  const shared = useConsole();
  const { client, live, navigation } = shared;
  const { operations, devices } = texts.value;
  const input = useSignal<StartInput>(EMPTY_START);
  const action = useAction();
  /** The idempotency key of the form: sent again unchanged, it is carried out once, even if the first answer was lost. */
  const sentKey = useRef<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  /** The plan whose warnings the person has been asked to confirm. */
  const asked = useSignal<OperationPlan | null>(null);
  const { amount, rate, container } = input.value;
  const own = shownAs('kg', device.device_id).unit as EnteredUnit;
  const unit = input.value.unit ?? own;
  const bushelKg = bushels.value.get(device.device_id) ?? null;
  const named = OPERATION_TYPES.find((one) => one === navigation.route.value.query.get('start'));
  const type = input.value.type ?? named ?? lastType ?? 'feed';
  const silo = siloNow(device, facts);
  const change = (changes: Partial<StartInput>): void => {
    input.value = { ...input.peek(), type, unit, ...changes };
    sentKey.current = null;
    asked.value = null;
    action.forget();
  };
  const entered = { ...input.value, type, unit, bushelKg };
  const request = requestOf(entered);
  const planned = planRequestOf(entered);
  const plan = usePlan(device.device_id, planned, device.readings?.['weight']?.value);
  const levelAfter = plan.plan?.refusal === null ? plan.plan.level_after : null;
  // If the address asks for the form, the person goes on with the amount.
  useEffect(() => {
    if (named !== undefined) form.current?.querySelector<HTMLElement>('input')?.focus();
  }, [named]);
  useEffect(() => {
    target.value = levelAfter;
    return () => {
      target.value = null;
    };
  }, [levelAfter]);
  if (silo === null) return null;
  const { isRefused } = plan;
  const question =
    asked.value === null || request === null || isRefused || hasOtherWarnings(asked.value, plan.plan)
      ? null
      : questionOf(request, asked.value);
  const blocked = BLOCKED_BY[device.status];
  const limit = type === 'feed' ? silo.limits.max_feed_rate : silo.limits.max_discharge_rate;
  const mostKg = availableKg(type, silo);

  async function start({ type: wanted, body }: StartRequest, known: OperationPlan): Promise<void> {
    sentKey.current ??= newIdempotencyKey();
    const { device_id } = device;
    const idempotencyKey = sentKey.current;
    const intoWhat = 'target_container' in body ? body.target_container : null;
    const amountTitle = titleOf({ type: wanted, body } as StartRequest, device_id);
    const what = {
      title: intoWhat === null ? amountTitle : `${amountTitle} ${operations.into({ target: intoWhat })}`,
      plan: <PlanFacts deviceId={device_id} plan={known} container={intoWhat} />,
      device_id,
      body,
    };
    const { operation_id } =
      wanted === 'feed'
        ? await confirmed(shared, { ...what, action: 'operations.feed' }, (options) =>
            client.operations.feed(device_id, body, { ...options, idempotencyKey }),
          )
        : await confirmed(shared, { ...what, action: 'operations.discharge' }, (options) =>
            client.operations.discharge(device_id, body, { ...options, idempotencyKey }),
          );
    const answer = client.operations.get(device_id, operation_id);
    await live.site.operations.putAnswer(answer.then((record) => [{ device_id, ...record }]));
  }

  function questionOf(wanted: StartRequest, about: OperationPlan) {
    const { device_id: deviceId } = device;
    return lookTwice({ type: wanted.type, title: titleOf(wanted, deviceId), plan: about, deviceId });
  }

  /** One press is enough if the plan has no warnings; a press that comes before the plan waits for it. */
  async function press(wanted: StartRequest, planning: OperationPlanRequest): Promise<void> {
    const known = plan.plan ?? (await client.operations.plan(device.device_id, planning));
    if (known.refusal === null && known.warnings.length > 0) asked.value = known;
    else await start(wanted, known);
  }

  return (
    <form
      ref={form}
      class="panel device-start"
      aria-label={devices.start}
      onSubmit={(event) => {
        event.preventDefault();
        if (request === null || planned === null || isRefused || question !== null) return;
        void action.run(() => press(request, planned));
      }}
    >
      <fieldset class="segments device-start-types" aria-label={devices.start}>
        {OPERATION_TYPES.map((one) => (
          <button key={one} type="button" aria-pressed={one === type} onClick={() => change({ type: one })}>
            {operations.types[one]}
          </button>
        ))}
      </fieldset>
      <div class="device-start-amount">
        <NumberInput
          label={devices.amount}
          unit={unit}
          isExact
          hint={
            Number.isFinite(mostKg)
              ? devices.available[type]({ mass: formatMass(mostKg, locale.value, device.device_id) })
              : undefined
          }
          isRequired
          value={amount}
          onValue={(value) => change({ amount: value })}
        />
        <SelectInput
          label={devices.unit}
          value={unit}
          onValue={(value) => change({ unit: value as EnteredUnit })}
          options={[...new Set([own, unit, ...MASS_UNITS])].map((one) => [one, unitSymbol(one)])}
        />
      </div>
      <NumberInput
        label={devices.rate}
        unit="kg/min"
        deviceId={device.device_id}
        hint={devices.rateHint({ limit: formatQuantity(limit, 'kg/min', locale.value, device.device_id, 1) })}
        placeholder={numberText(
          fieldNumber(shownAs('kg/min', device.device_id).toShown(limit)),
          locale.value,
        )}
        value={rate}
        onValue={(value) => change({ rate: value })}
      />
      {type === 'discharge' && (
        <TextInput
          label={devices.container}
          hint={devices.containerHint}
          isRequired
          value={container}
          onValue={(value) => change({ container: value })}
        />
      )}
      <div class="device-start-plan" role="status">
        {request === null && !isRefused && blocked === undefined && (
          <p class="muted">{devices.fillIn[type]}</p>
        )}
        {planned === null && blocked !== undefined && (
          <WouldRefuse title={devices.wouldRefuse} refusal={blocked} deviceId={device.device_id} />
        )}
        {planned !== null && plan.plan !== null && (
          <PlanSentence
            request={planned}
            plan={plan.plan}
            thresholds={silo.thresholds}
            deviceId={device.device_id}
          />
        )}
        {planned !== null && plan.plan === null && <Failure of={plan.failure} />}
      </div>
      <Failure of={action.failure} />
      <Button
        kind="primary"
        type="submit"
        isBusy={action.isRunning}
        isOver={question !== null}
        isChange
        isDisabled={request === null || isRefused}
      >
        <span class="free-text">
          {request === null ? operations.types[type] : titleOf(request, device.device_id)}
        </span>
      </Button>
      {question !== null && request !== null && (
        <SecondPress
          {...question}
          isBusy={action.isRunning}
          onPress={() => {
            const about = asked.peek();
            if (about !== null) void action.run(() => start(request, about));
          }}
          onLeave={() => {
            asked.value = null;
          }}
        />
      )}
    </form>
  );
}

/** True when the silo has changed since the person was asked, so that the answer would belong to another question. */
const hasOtherWarnings = (asked: OperationPlan, now: OperationPlan | null): boolean =>
  now !== null &&
  JSON.stringify([asked.crosses, asked.warnings]) !== JSON.stringify([now.crosses, now.warnings]);

/** The title names kilograms beside another unit, because a wrong unit moves real material. */
const titleOf = ({ type, body }: Pick<StartRequest, 'type'> & { readonly body: Amount }, deviceId: string) =>
  `${texts.value.operations.types[type]} ${formatBoth(body.amount, body.unit ?? 'kg', locale.value, deviceId)}`;

type Amount = Pick<OperationPlanRequest, 'amount' | 'unit'>;

interface SiloNow {
  /** `null` when no plausible weight is known. */
  readonly weightKg: number | null;
  readonly capacityKg: number;
  readonly limits: SiloConfiguration['operation_limits'];
  readonly thresholds: readonly NamedThreshold[];
}

function siloNow({ readings = {} }: FleetDevice, { detail, configuration }: DeviceFacts): SiloNow | null {
  if (!('capacity' in detail) || !('operation_limits' in configuration)) return null;
  const { weight } = readings;
  return {
    weightKg: weight === undefined || weight.quality === 'bad' ? null : weight.value,
    capacityKg: detail.capacity.max,
    limits: configuration.operation_limits,
    thresholds: thresholdsOf(configuration, 'level', texts.value.devices.thresholds),
  };
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

interface KnownPlan {
  /** `null` until the plan of exactly this request is known. */
  readonly plan: OperationPlan | null;
  /** True also while the plan of a changed request is awaited, so that a refused start cannot be pressed in between. */
  readonly isRefused: boolean;
  readonly failure: unknown;
}

/** Reads the plan of a request, and whether the service would refuse it; reads again when the contents change. */
function usePlan(
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
      useIsLost(),
    ],
  );
  return {
    plan: value !== null && value !== undefined && value.wanted === wanted ? value.plan : null,
    isRefused: value !== null && value !== undefined && value.plan.refusal !== null,
    failure,
  };
}
