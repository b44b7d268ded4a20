import type { DeviceCredentials } from '@granary/contract/devices/devices';
import type { DeviceGroup } from '@granary/contract/devices/groups';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../../console.ts';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { texts } from '../../texts/texts.ts';
import { CredentialsDialog } from './credentials-dialog.tsx';
import type { DeviceDetail } from './device-draft.ts';

interface Props {
  readonly group: DeviceGroup;
  readonly device: DeviceDetail;
  readonly onClose: () => void;
}

/** Replaces the secret of a device. */
export function RenewCredentials({ group, device, onClose }: Props) {
  const console = useConsole();
  const { deviceAdmin } = texts.value;
  const issued = useSignal<DeviceCredentials | null>(null);
  const title = `${deviceAdmin.renewCredentials}: ${device.name}`;
  if (issued.value !== null) {
    return (
      <CredentialsDialog
        title={title}
        credentials={issued.value}
        profile={device.profile}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      title={title}
      submit={deviceAdmin.renewCredentials}
      staysOpen
      onSubmit={async () => {
        issued.value = await console.client.devices[group].renewCredentials(
          device.device_id,
          callOptions(console),
        );
      }}
      onClose={onClose}
    >
      <p>{deviceAdmin.renewMeans}</p>
    </FormDialog>
  );
}
