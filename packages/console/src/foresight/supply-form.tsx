import type { AnimalKind, Grain, SiloUse, SiloUsePatch } from '@granary/contract/foresight/silo-use';
import type { Weekday } from '@granary/contract/notifications';
import { ANIMAL_KINDS, GRAINS, WEEKDAYS } from '@granary/contract/outline';
import { callOptions, useConsole } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { useAction, useDraft } from '../kit/form-state.ts';
import { Choices, SelectInput, TextInput } from '../kit/inputs.tsx';
import { Failure } from '../kit/messages.tsx';
import { NumberInput } from '../kit/number-input.tsx';
import { TimeInput } from '../kit/time-input.tsx';
import { texts } from '../texts.ts';

/** What a person knows of a silo, as the texts of a form; an empty text means unknown. */
interface SupplyDraft {
  readonly product: string;
  readonly grain: string;
  readonly moisture: string;
  readonly animals: string;
  readonly heads: string;
  readonly started: string;
  readonly ends: string;
  readonly leadTime: string;
  readonly cutOff: string;
  readonly days: readonly string[];
  readonly least: string;
  readonly truck: string;
  readonly reserve: string;
  readonly withdrawals: string;
}

const shown = (value: string | number | undefined): string => (value === undefined ? '' : String(value));

const draftOf = ({ product, animals, supply, withdrawals }: SiloUse): SupplyDraft => ({
  product: shown(product?.name),
  grain: shown(product?.grain),
  moisture: shown(product?.moisture_percent),
  animals: shown(animals?.kind),
  heads: shown(animals?.heads),
  started: shown(animals?.started_on),
  ends: shown(animals?.ends_on),
  leadTime: shown(supply?.lead_time_h),
  cutOff: shown(supply?.cut_off),
  days: supply?.delivery_days ?? [],
  least: shown(supply?.min_kg),
  truck: shown(supply?.truck_kg),
  reserve: shown(supply?.reserve_percent),
  withdrawals: withdrawals ?? 'any',
});

/** The changes that are sent: an empty field is removed; the planned deliveries and everything that the form does not show stay. */
function patchOf(draft: SupplyDraft, { product, animals }: SiloUse): SiloUsePatch {
  const numberOf = (text: string): number | null => (text === '' ? null : Number(text));
  const { grain: _grain, moisture_percent: _moisture, ...keptProduct } = product ?? {};
  const { ends_on: _ends, ...keptAnimals } = animals ?? {};
  return {
    product:
      draft.product.trim() === ''
        ? null
        : {
            ...keptProduct,
            name: draft.product.trim(),
            ...(draft.grain === '' ? {} : { grain: draft.grain as Grain }),
            ...(draft.moisture === '' ? {} : { moisture_percent: Number(draft.moisture) }),
          },
    animals:
      draft.animals === ''
        ? null
        : {
            ...keptAnimals,
            kind: draft.animals as AnimalKind,
            heads: Number(draft.heads),
            started_on: draft.started,
            ...(draft.ends === '' ? {} : { ends_on: draft.ends }),
          },
    supply: {
      lead_time_h: numberOf(draft.leadTime),
      cut_off: draft.cutOff === '' ? null : draft.cutOff,
      delivery_days: draft.days.length === 0 ? null : (draft.days as Weekday[]),
      min_kg: numberOf(draft.least),
      truck_kg: numberOf(draft.truck),
      reserve_percent: numberOf(draft.reserve),
    },
    withdrawals: draft.withdrawals === 'operations_only' ? 'operations_only' : null,
  };
}

interface Props {
  readonly deviceId: string;
  readonly use: SiloUse;
  readonly reload: () => void;
}

/** Edits product, animals and supplier of a silo, which the forecast needs and no sensor measures. */
export function SupplyForm({ deviceId, use, reload }: Props) {
  const shared = useConsole();
  const words = texts.value.foresight.supply;
  const { weekdays } = texts.value.notifications;
  const { current, field } = useDraft(draftOf(use));
  const { run, isRunning, failure } = useAction();
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    const patch = patchOf(current.peek(), use);
    if (await run(() => shared.client.configuration.silo.update(deviceId, patch, callOptions(shared))))
      reload();
  };
  const hasAnimals = current.value.animals !== '';
  const none: [string, string] = ['', words.none];
  return (
    <form class="panel" aria-label={words.title} onSubmit={(event) => void save(event)}>
      <h2>{words.title}</h2>
      <p class="muted">{words.meaning}</p>
      <TextInput label={words.product} maxLength={100} {...field('product')} />
      <SelectInput
        label={words.grain}
        options={[none, ...GRAINS.map((grain): [string, string] => [grain, words.grains[grain]])]}
        {...field('grain')}
      />
      {current.value.grain !== '' && <NumberInput label={words.moisture} max={100} {...field('moisture')} />}
      <SelectInput
        label={words.animals}
        options={[none, ...ANIMAL_KINDS.map((kind): [string, string] => [kind, words.kinds[kind]])]}
        {...field('animals')}
      />
      {hasAnimals && (
        <>
          <NumberInput label={words.heads} isWhole isRequired {...field('heads')} />
          <TimeInput label={words.started} kind="date" isRequired {...field('started')} />
          <TimeInput label={words.ends} kind="date" {...field('ends')} />
        </>
      )}
      <NumberInput label={words.leadTime} placeholder="48" {...field('leadTime')} />
      <TimeInput label={words.cutOff} kind="time" {...field('cutOff')} />
      <Choices
        legend={words.days}
        hint={words.daysHint}
        options={WEEKDAYS.map((day): [string, string] => [day, weekdays[day]])}
        {...field('days')}
      />
      <NumberInput label={words.least} unit="kg" deviceId={deviceId} {...field('least')} />
      <NumberInput label={words.truck} unit="kg" deviceId={deviceId} {...field('truck')} />
      <NumberInput label={words.reserve} placeholder="5" {...field('reserve')} />
      <SelectInput
        label={words.withdrawals}
        hint={current.value.withdrawals === 'operations_only' ? words.operationsOnlyMeans : undefined}
        options={[
          ['any', words.anyWithdrawal],
          ['operations_only', words.operationsOnly],
        ]}
        {...field('withdrawals')}
      />
      <Failure of={failure} />
      <Button type="submit" isChange isBusy={isRunning}>
        {texts.value.foresight.save}
      </Button>
    </form>
  );
}
