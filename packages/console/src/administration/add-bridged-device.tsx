import type { BridgeMapping, BridgeTest } from '@granary/contract/bridges';
import { DEFAULT_PROFILES } from '@granary/contract/profiles/groups';
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { callOptions, useConsole } from '../context/console.ts';
import { EMPTY_DEVICE, hasCapacity, registerDevice } from '../devices/administration/device-draft.ts';
import { DeviceFields } from '../devices/administration/device-form.tsx';
import { Button } from '../kit/button.tsx';
import { FormDialog } from '../kit/dialog.tsx';
import { useAction, useDraft } from '../kit/form-state.ts';
import { bound, SelectInput, TextArea, TextInput } from '../kit/inputs.tsx';
import { Failure } from '../kit/messages.tsx';
import { NumberInput } from '../kit/number-input.tsx';
import { useLoaded } from '../kit/use-loaded.ts';
import { locale, texts } from '../texts.ts';
import { EMPTY_PLACE, endpointExample, placeOf } from './bridge-draft.ts';
import { TestResult } from './test-dialog.tsx';

interface AddProps {
  readonly bridgeId: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Adds a device: a model and an address are entered, then a test is made, and only a place that was read can be saved. */
export function AddDevice({ bridgeId, onDone, onClose }: AddProps) {
  const console = useConsole();
  const { client } = console;
  const { bridges, deviceAdmin } = texts.value;
  const { current: place, field } = useDraft(EMPTY_PLACE);
  const deviceId = useSignal('');
  const draft = useSignal(EMPTY_DEVICE);
  /** The device that an earlier attempt registered but could not attach. */
  const registered = useRef<string | null>(null);
  const mappings = useLoaded((signal) => client.bridges.mappings(bridgeId, { signal }), [bridgeId]);
  const mapping = mappings.value?.find(({ name }) => name === place.value.mapping);
  const entered = placeOf(place.value);
  const test = usePlaceTest(bridgeId, entered);
  const profile = mapping?.profile ?? DEFAULT_PROFILES.silo;
  const labelled = (name: keyof typeof EMPTY_PLACE) => ({ label: bridges.fields[name], ...field(name) });

  async function save(): Promise<void> {
    if (entered === null || mapping === undefined) return;
    const id = deviceId.peek().trim();
    if (registered.current !== id) {
      await registerDevice(client, profile, id, draft.peek(), callOptions(console), mapping.sensors);
      registered.current = id;
    }
    const device = { device_id: id, ...entered };
    await client.bridges.addDevice(bridgeId, device, { ...callOptions(console), timeLimitMs: 0 });
    onDone();
  }

  return (
    <FormDialog
      title={bridges.addDevice}
      submit={bridges.save}
      isIncomplete={!test.isPassed}
      onSubmit={save}
      onClose={onClose}
    >
      <Failure of={mappings.failure} />
      <SelectInput
        {...labelled('mapping')}
        hint={mapping === undefined ? bridges.modelHint : modelHint(mapping)}
        options={[['', bridges.chooseModel], ...modelChoices(mappings.value ?? [])]}
      />
      <div class="form-row">
        <TextInput isRequired maxLength={500} {...endpointWords(mapping)} {...labelled('endpoint')} />
        <NumberInput max={65_535} isWhole hint={bridges.unitHint} {...labelled('unit')} />
      </div>
      <TextArea hint={bridges.optionsHint} maxLength={2_000} {...labelled('options')} />
      <Button
        isBusy={test.isRunning}
        isChange
        isDisabled={entered === null}
        onPress={() => {
          void test.run(() => {
            if (draft.peek().model === '') draft.value = { ...draft.peek(), model: mapping?.title ?? '' };
          });
        }}
      >
        {bridges.testNow}
      </Button>
      <TestOutcome test={test} />
      {test.isPassed && (
        <>
          <TextInput
            label={deviceAdmin.id}
            hint={deviceAdmin.idHint}
            isRequired
            maxLength={64}
            pattern="[A-Za-z0-9_\-]+"
            {...bound(deviceId)}
          />
          <DeviceFields hasCapacity={hasCapacity(profile)} hasSensors={false} {...bound(draft)} />
        </>
      )}
    </FormDialog>
  );
}

const endpointWords = (mapping: BridgeMapping | undefined) => ({
  placeholder: endpointExample(mapping),
  hint: texts.value.bridges.endpointHint,
});

function TestOutcome({ test }: { readonly test: ReturnType<typeof usePlaceTest> }) {
  const { bridges } = texts.value;
  return (
    <>
      {test.isRunning && <p role="status">{bridges.testing}</p>}
      <Failure of={test.failure} />
      {test.result !== null && <TestResult result={test.result} />}
      {!test.isPassed && test.result?.failure === null && <p class="muted">{bridges.testAgain}</p>}
    </>
  );
}

/** Reads a place once. The test has passed only while exactly the tested place is still entered. */
function usePlaceTest(bridgeId: string, place: ReturnType<typeof placeOf>) {
  const console = useConsole();
  const { run, isRunning, failure } = useAction();
  const tested = useSignal<{ readonly place: string; readonly result: BridgeTest } | null>(null);
  const { value } = tested;
  return {
    isRunning,
    failure,
    result: value?.result ?? null,
    isPassed: value !== null && value.place === JSON.stringify(place) && value.result.failure === null,
    run: (then: () => void) =>
      run(async () => {
        if (place === null) return;
        tested.value = null;
        const options = { ...callOptions(console), timeLimitMs: 0 };
        const result = await console.client.bridges.test(bridgeId, place, options);
        tested.value = { place: JSON.stringify(place), result };
        then();
      }),
  };
}

const modelChoices = (mappings: readonly BridgeMapping[]): (readonly [string, string])[] =>
  mappings
    .toSorted((one, other) => one.title.localeCompare(other.title, locale.value))
    .map(({ name, title, protocol }) => [name, `${title} · ${protocol}`]);

/** Tells from which documents the mapping was made and with what it was tested. */
function modelHint({ evidence, source }: BridgeMapping): string {
  const words: Readonly<Record<string, string>> = texts.value.bridges.evidence;
  return [words[evidence] ?? evidence, source].filter((text) => text !== '').join(' ');
}
