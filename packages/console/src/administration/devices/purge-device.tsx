import type { FleetDevice } from '@granary/contract/fleet/devices';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../../console.ts';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { bound, TextInput } from '../../parts/forms/inputs.tsx';
import { texts } from '../../texts/texts.ts';

interface Props {
  readonly device: FleetDevice;
  readonly onPurging: () => void;
  readonly onClose: () => void;
}

/** Removes the records of a device that was removed before. */
export function PurgeDevice({ device: { device_id, name, group }, onPurging, onClose }: Props) {
  const console = useConsole();
  const { deviceAdmin } = texts.value;
  const typed = useSignal('');
  return (
    <FormDialog
      title={deviceAdmin.purgeOf(name)}
      submit={deviceAdmin.purgeRecords}
      onSubmit={async () => {
        await console.client.devices[group].remove(device_id, { purge: 'true' }, callOptions(console));
        onPurging();
      }}
      onClose={onClose}
    >
      <p>{deviceAdmin.purgeMeans}</p>
      <TextInput
        label={deviceAdmin.typeId(device_id)}
        isRequired
        maxLength={64}
        pattern={device_id}
        {...bound(typed)}
      />
    </FormDialog>
  );
}
