import type { DeviceCredentials } from '@granary/contract/devices/devices';
import type { FleetDevice } from '@granary/contract/fleet/devices';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../../console.ts';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { texts } from '../../texts/texts.ts';
import { CredentialsDialog } from './credentials-dialog.tsx';

interface Props {
  readonly device: FleetDevice;
  readonly onClose: () => void;
}

/** Brings a removed device back, and then shows its new secret this once. */
export function RestoreDevice({ device: { device_id, name, group, profile }, onClose }: Props) {
  const console = useConsole();
  const { deviceAdmin } = texts.value;
  const issued = useSignal<DeviceCredentials | null>(null);
  const title = deviceAdmin.restoreOf(name);
  if (issued.value !== null) {
    return <CredentialsDialog title={title} credentials={issued.value} profile={profile} onClose={onClose} />;
  }
  return (
    <FormDialog
      title={title}
      submit={deviceAdmin.restore}
      staysOpen
      onSubmit={async () => {
        const { credentials } = await console.client.devices[group].restore(device_id, callOptions(console));
        issued.value = credentials;
      }}
      onClose={onClose}
    >
      <p>{deviceAdmin.restoreMeans}</p>
    </FormDialog>
  );
}
