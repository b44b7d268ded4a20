import type { DeviceGroup } from '@granary/contract/devices/groups';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../../console.ts';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { bound, CheckInput, TextInput } from '../../parts/forms/inputs.tsx';
import { texts } from '../../texts/texts.ts';
import type { DeviceDetail } from './device-draft.ts';

interface Props {
  readonly group: DeviceGroup;
  readonly device: DeviceDetail;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}

/** The id has to be typed before all records are removed, because that cannot be undone. */
export function RemoveDevice({ group, device, onClose, onRemoved }: Props) {
  const console = useConsole();
  const { client, live } = console;
  const { deviceAdmin } = texts.value;
  const isPurge = useSignal(false);
  const typed = useSignal('');
  const { device_id: deviceId } = device;

  async function remove(): Promise<void> {
    const query = isPurge.peek() ? { purge: 'true' as const } : {};
    await client.devices[group].remove(deviceId, query, callOptions(console));
    live.site.devices.remove(deviceId);
    onRemoved();
  }

  return (
    <FormDialog
      title={deviceAdmin.removeOf(device.name)}
      submit={isPurge.value ? deviceAdmin.purge : deviceAdmin.remove}
      onSubmit={remove}
      onClose={onClose}
    >
      <p>{deviceAdmin.removeMeans}</p>
      <CheckInput label={deviceAdmin.purgeToo} hint={deviceAdmin.purgeMeans} {...bound(isPurge)} />
      {isPurge.value && (
        <TextInput
          label={deviceAdmin.typeId(deviceId)}
          isRequired
          maxLength={64}
          pattern={deviceId}
          {...bound(typed)}
        />
      )}
    </FormDialog>
  );
}
