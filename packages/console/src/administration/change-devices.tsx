import type { ChangedDevices, DeviceChange } from '@granary/contract/bulk';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../context/console.ts';
import { labelChanges } from '../devices/administration/label-text.ts';
import { FormDialog } from '../kit/dialog.tsx';
import { useDraft } from '../kit/form-state.ts';
import { TextInput } from '../kit/inputs.tsx';
import { NumberInput } from '../kit/number-input.tsx';
import { texts } from '../texts.ts';

/** More differences than this are too many to read; the sentence above them counts all. */
const SHOWN_MAX = 100;

const EMPTY = {
  facility: '',
  zone: '',
  model: '',
  firmware: '',
  labels: '',
  low: '',
  high: '',
  critical: '',
};

interface Props {
  readonly deviceIds: readonly string[];
  readonly onClose: () => void;
}

/** Makes the same change to several devices; the person sees every difference before the change is made. */
export function ChangeDevices({ deviceIds, onClose }: Props) {
  const console = useConsole();
  const { deviceAdmin, devices } = texts.value;
  const draft = useDraft(EMPTY);
  const preview = useSignal<ChangedDevices | null>(null);
  const set = settingsOf(draft.current.value);
  const isEmpty = Object.keys(set).length === 0;
  const planned = preview.value;

  async function send(): Promise<void> {
    const change = { devices: { device_ids: [...deviceIds] }, set };
    if (planned === null) {
      preview.value = await console.client.bulk.change(change, { dry_run: 'true' }, callOptions(console));
      return;
    }
    await console.client.bulk.change(change, {}, callOptions(console));
    onClose();
  }

  /** After another input, the differences that were shown are not those that would be made. */
  const field = (name: keyof typeof EMPTY) => ({
    value: draft.current.value[name],
    onValue: (text: string) => {
      preview.value = null;
      draft.field(name).onValue(text);
    },
  });
  const { fields: names } = devices.configuration;
  return (
    <FormDialog
      title={deviceAdmin.changeOf({ count: deviceIds.length })}
      submit={planned === null ? deviceAdmin.preview : deviceAdmin.changeOf({ count: planned.updated })}
      isIncomplete={isEmpty || planned?.updated === 0}
      onSubmit={send}
      onClose={onClose}
      staysOpen
    >
      <p class="muted">{deviceAdmin.changeMeans}</p>
      <div class="form-row">
        <TextInput label={deviceAdmin.fields.facility} {...field('facility')} />
        <TextInput label={deviceAdmin.fields.zone} {...field('zone')} />
      </div>
      <div class="form-row">
        <TextInput label={deviceAdmin.fields.model} {...field('model')} />
        <TextInput label={deviceAdmin.fields.firmware_version} maxLength={100} {...field('firmware')} />
      </div>
      <TextInput
        label={deviceAdmin.fields.labels}
        hint={deviceAdmin.changeLabelsHint}
        maxLength={2_000}
        {...field('labels')}
      />
      <div class="form-row">
        <NumberInput label={names['thresholds.low_level'] ?? ''} {...field('low')} />
        <NumberInput label={names['thresholds.high_level'] ?? ''} {...field('high')} />
        <NumberInput label={names['thresholds.critical_level'] ?? ''} {...field('critical')} />
      </div>
      {planned !== null && <Differences planned={planned} />}
    </FormDialog>
  );
}

function Differences({ planned: { updated, unchanged, changes } }: { readonly planned: ChangedDevices }) {
  const { deviceAdmin } = texts.value;
  const differing = changes.filter(({ differences }) => differences.length > 0);
  const shown = differing.slice(0, SHOWN_MAX);
  return (
    <section aria-label={deviceAdmin.changes}>
      <p role="status">
        <strong>{deviceAdmin.wouldChange({ updated, all: updated + unchanged })}</strong>
      </p>
      <ul>
        {shown.map(({ device_id, name, differences }) => (
          <li key={device_id} class="free-text">
            <strong>{name}</strong>
            {differences.map(({ path, before, after }) => (
              <span key={path}>
                {' '}
                {path.split('/').at(-1)}: {valueText(before)} → {valueText(after)}
              </span>
            ))}
          </li>
        ))}
      </ul>
      {differing.length > shown.length && (
        <p class="muted">{texts.value.common.andOthers({ count: differing.length - shown.length })}</p>
      )}
    </section>
  );
}

const valueText = (value: unknown): string => {
  if (value === null) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

function settingsOf(draft: typeof EMPTY): DeviceChange['set'] {
  const text = (name: keyof typeof EMPTY): string => draft[name].trim();
  const filled = <Name extends string>(fields: Readonly<Record<Name, string>>) =>
    Object.fromEntries(Object.entries<string>(fields).filter(([, value]) => value !== ''));
  const location = filled({ facility: text('facility'), zone: text('zone') });
  const labels = labelChanges(draft.labels);
  const levels = filled({
    low_level: text('low'),
    high_level: text('high'),
    critical_level: text('critical'),
  });
  const thresholds = Object.fromEntries(Object.entries(levels).map(([name, value]) => [name, Number(value)]));
  const isGiven = (part: object): boolean => Object.keys(part).length > 0;
  return {
    ...filled({ model: text('model'), firmware_version: text('firmware') }),
    ...(isGiven(location) ? { location } : {}),
    ...(isGiven(labels) ? { labels } : {}),
    ...(isGiven(thresholds) ? { configuration: { thresholds } } : {}),
  };
}
