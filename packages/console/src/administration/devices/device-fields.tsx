import { useConsole } from '../../console.ts';
import type { Bound } from '../../parts/forms/inputs.tsx';
import { TextInput } from '../../parts/forms/inputs.tsx';
import { texts } from '../../texts/texts.ts';
import type { DeviceDraft } from './device-draft.ts';
import { SensorsEditor } from './sensors-editor.tsx';

type TextField = Exclude<keyof DeviceDraft, 'sensors'>;

interface Props extends Bound<DeviceDraft> {
  readonly isSilo: boolean;
}

/** What a person can say of a device, at its registration and later. */
export function DeviceFields({ value: draft, onValue, isSilo }: Props) {
  const { site } = useConsole().live;
  const { deviceAdmin } = texts.value;
  const places = [...site.devices.all.value.values()].map((device) => device.peek().location);
  const field = (name: TextField) => ({
    value: draft[name],
    onValue: (text: string) => onValue({ ...draft, [name]: text }),
  });
  return (
    <>
      <div class="form-row">
        <TextInput label={deviceAdmin.name} isRequired {...field('name')} />
        <TextInput label={deviceAdmin.model} isRequired {...field('model')} />
      </div>
      <div class="form-row">
        <TextInput
          label={deviceAdmin.facility}
          isRequired
          offered={[...new Set(places.map(({ facility }) => facility))]}
          {...field('facility')}
        />
        <TextInput
          label={deviceAdmin.zone}
          isRequired
          offered={[...new Set(places.map(({ zone }) => zone))]}
          {...field('zone')}
        />
      </div>
      <div class="form-row">
        {isSilo && (
          <TextInput
            label={deviceAdmin.capacity}
            type="number"
            step="any"
            isRequired
            {...field('capacity')}
          />
        )}
        <TextInput label={deviceAdmin.firmware} maxLength={100} {...field('firmware_version')} />
      </div>
      <SensorsEditor value={draft.sensors} onValue={(sensors) => onValue({ ...draft, sensors })} />
    </>
  );
}
