import { MASS_UNITS, OPERATION_TYPES } from '@granary/contract/outline';
import { set } from '../../kit/set.ts';
import '../../kit/segments.css';
import { newIdempotencyKey } from '@granary/client';
import type { SiloConfiguration } from '@granary/contract/configuration/silo-configuration';
import type { FleetDevice } from '@granary/contract/fleet';
import type { OperationPlan, OperationPlanRequest, OperationType } from '@granary/contract/operations';
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { confirmed } from '../../context/confirmed.ts';
import { useConsole } from '../../context/console.ts';
import { bushels, type EnteredUnit, fieldNumber, shownAs } from '../../context/units.ts';
import { Button } from '../../kit/button.tsx';
import { useAction } from '../../kit/form-state.ts';
import { formatMass, formatQuantity, unitSymbol } from '../../kit/format.ts';
import { SelectInput, TextInput } from '../../kit/inputs.tsx';
import { Failure } from '../../kit/messages.tsx';
import { numberText } from '../../kit/number-entry.ts';
import { NumberInput } from '../../kit/number-input.tsx';
import { SecondPress } from '../../kit/second-press.tsx';
import { lookTwice } from '../../operations/look-twice.ts';
import { PlanFacts } from '../../operations/plan-facts.tsx';
import { locale, texts } from '../../texts.ts';
import type { DeviceFacts } from '../facts/device-facts.ts';
import { type NamedThreshold, thresholdsOf } from '../facts/thresholds.ts';
import {
  availableKg,
  type DirectedInput,
  EMPTY_START,
  planRequestOf,
  requestOf,
  type StartInput,
  type StartRequest,
} from './start-input.ts';
import { type KnownPlan, StartPlan, titleOf, usePlan } from './start-plan.tsx';

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
  const { navigation } = useConsole();
  const { operations, devices } = texts.value;
  const { device_id: deviceId } = device;
  const input = useSignal<StartInput>(EMPTY_START);
  const form = useRef<HTMLFormElement>(null);
  const named = OPERATION_TYPES.find((type) => type === navigation.route.value.query.get('start'));
  const type = input.value.type ?? named ?? lastType ?? 'feed';
  const unit = input.value.unit ?? ownUnit(deviceId);
  const silo = siloNow(device, facts);
  const entered = { ...input.value, type, unit, bushelKg: bushels.value.get(deviceId) ?? null };
  const request = requestOf(entered);
  const planned = planRequestOf(entered);
  const plan = usePlan(deviceId, planned, device.readings?.['weight']?.value);
  const start = useStart(deviceId, request, planned, plan);
  const levelAfter = plan.plan?.refusal === null ? plan.plan.level_after : null;
  // If the address asks for the form, the person goes on with the amount.
  useEffect(() => {
    if (named !== undefined) form.current?.querySelector<HTMLElement>('input')?.focus();
  }, [named]);
  useEffect(() => {
    target.value = levelAfter;
    return () => set(target, null);
  }, [levelAfter]);
  if (silo === null) return null;
  return (
    <form
      ref={form}
      class="panel device-start"
      aria-label={devices.start}
      onSubmit={(event) => {
        event.preventDefault();
        start.press();
      }}
    >
      <StartFields
        input={entered}
        silo={silo}
        deviceId={deviceId}
        onChange={(changes) => {
          input.value = { ...input.peek(), type, unit, ...changes };
          start.forget();
        }}
      />
      <StartPlan
        type={type}
        isComplete={request !== null}
        request={planned}
        plan={plan}
        thresholds={silo.thresholds}
        device={device}
      />
      <Failure of={start.failure} />
      <Button
        kind="primary"
        type="submit"
        isBusy={start.isRunning}
        isOver={start.question !== null}
        isChange
        isDisabled={request === null || plan.isRefused}
      >
        <span class="free-text">
          {request === null ? operations.types[type] : titleOf(request, deviceId)}
        </span>
      </Button>
      {start.question !== null && (
        <SecondPress
          {...start.question}
          isBusy={start.isRunning}
          onPress={start.pressAgain}
          onLeave={start.leaveQuestion}
        />
      )}
    </form>
  );
}

const ownUnit = (deviceId: string): EnteredUnit => shownAs('kg', deviceId).unit as EnteredUnit;

/** Sends the request of the form. One press is enough if its plan has no warnings; otherwise a second press is asked for. */
function useStart(
  deviceId: string,
  request: StartRequest | null,
  planned: OperationPlanRequest | null,
  { plan, isRefused }: KnownPlan,
) {
  const shared = useConsole();
  const { client, live } = shared;
  const { operations } = texts.value;
  const { run, forget, isRunning, failure } = useAction();
  /** The idempotency key of the form: sent again unchanged, it is carried out once, even if the first answer was lost. */
  const sentKey = useRef<string | null>(null);
  /** The plan whose warnings the person has been asked to confirm. */
  const asked = useSignal<OperationPlan | null>(null);
  const about = asked.value;
  const question =
    about === null || request === null || isRefused || hasOtherWarnings(about, plan)
      ? null
      : lookTwice({ type: request.type, title: titleOf(request, deviceId), plan: about, deviceId });

  async function send(request: StartRequest, known: OperationPlan): Promise<void> {
    const { type, body } = request;
    sentKey.current ??= newIdempotencyKey();
    const idempotencyKey = sentKey.current;
    const container = 'target_container' in body ? body.target_container : null;
    const title = titleOf(request, deviceId);
    const what = {
      title: container === null ? title : `${title} ${operations.into({ target: container })}`,
      plan: <PlanFacts deviceId={deviceId} plan={known} container={container} />,
      device_id: deviceId,
      body,
    };
    const { operation_id } = await confirmed(shared, { ...what, action: `operations.${type}` }, (options) => {
      const keyed = { ...options, idempotencyKey };
      return request.type === 'feed'
        ? client.operations.feed(deviceId, request.body, keyed)
        : client.operations.discharge(deviceId, request.body, keyed);
    });
    const answer = client.operations.get(deviceId, operation_id);
    await live.site.operations.putAnswer(answer.then((record) => [{ device_id: deviceId, ...record }]));
  }

  return {
    isRunning,
    failure,
    question,
    forget: () => {
      sentKey.current = null;
      asked.value = null;
      forget();
    },
    /** A press that comes before the plan waits for it. */
    press: () => {
      if (request === null || planned === null || isRefused || question !== null) return;
      void run(async () => {
        const known = plan ?? (await client.operations.plan(deviceId, planned));
        if (known.refusal === null && known.warnings.length > 0) asked.value = known;
        else await send(request, known);
      });
    },
    pressAgain: () => {
      if (request !== null && about !== null) void run(() => send(request, about));
    },
    leaveQuestion: () => set(asked, null),
  };
}

interface StartFieldsProps {
  readonly input: DirectedInput;
  readonly silo: SiloNow;
  readonly deviceId: string;
  readonly onChange: (changes: Partial<StartInput>) => void;
}

function StartFields({ input, silo, deviceId, onChange }: StartFieldsProps) {
  const { operations, devices } = texts.value;
  const { type, unit } = input;
  const limit = type === 'feed' ? silo.limits.max_feed_rate : silo.limits.max_discharge_rate;
  const mostKg = availableKg(type, silo);
  return (
    <>
      <fieldset class="segments device-start-types" aria-label={devices.start}>
        {OPERATION_TYPES.map((offered) => (
          <button
            key={offered}
            type="button"
            aria-pressed={offered === type}
            onClick={() => onChange({ type: offered })}
          >
            {operations.types[offered]}
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
              ? devices.available[type]({ mass: formatMass(mostKg, locale.value, deviceId) })
              : undefined
          }
          isRequired
          value={input.amount}
          onValue={(amount) => onChange({ amount })}
        />
        <SelectInput
          label={devices.unit}
          value={unit}
          onValue={(value) => onChange({ unit: value as EnteredUnit })}
          options={[...new Set([ownUnit(deviceId), unit, ...MASS_UNITS])].map((offered) => [
            offered,
            unitSymbol(offered),
          ])}
        />
      </div>
      <NumberInput
        label={devices.rate}
        unit="kg/min"
        deviceId={deviceId}
        hint={devices.rateHint({ limit: formatQuantity(limit, 'kg/min', locale.value, deviceId, 1) })}
        placeholder={numberText(fieldNumber(shownAs('kg/min', deviceId).toShown(limit)), locale.value)}
        value={input.rate}
        onValue={(rate) => onChange({ rate })}
      />
      {type === 'discharge' && (
        <TextInput
          label={devices.container}
          hint={devices.containerHint}
          isRequired
          value={input.container}
          onValue={(container) => onChange({ container })}
        />
      )}
    </>
  );
}

/** True when the silo has changed since the person was asked, so that the answer would belong to another question. */
const hasOtherWarnings = (asked: OperationPlan, now: OperationPlan | null): boolean =>
  now !== null &&
  JSON.stringify([asked.crosses, asked.warnings]) !== JSON.stringify([now.crosses, now.warnings]);

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
