import type { DeviceGroup } from '@granary/contract/devices/groups';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../../console.ts';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { bound, TextInput } from '../../parts/forms/inputs.tsx';
import { texts } from '../../texts/texts.ts';
import type { DeviceDetail } from './device-draft.ts';

interface Props {
  readonly group: DeviceGroup;
  readonly device: DeviceDetail;
  readonly onClose: () => void;
}

/** Begins or ends the maintenance of a device, and says before what that means. */
export function Maintenance({ group, device, onClose }: Props) {
  const console = useConsole();
  const { deviceAdmin } = texts.value;
  const reason = useSignal('');
  const until = useSignal('');
  // What is asked stays the same while the dialog is open, also when another person begins or ends the maintenance.
  const isBeginning = useSignal(device.maintenance === undefined).peek();

  async function send(): Promise<void> {
    const endsAt = until.peek();
    const request = isBeginning
      ? {
          on: true,
          reason: reason.peek().trim(),
          ...(endsAt === '' ? {} : { until: new Date(endsAt).toISOString() }),
        }
      : { on: false };
    await console.client.devices[group].maintenance(device.device_id, request, callOptions(console));
  }

  return (
    <FormDialog
      title={`${isBeginning ? deviceAdmin.beginMaintenance : deviceAdmin.endMaintenance}: ${device.name}`}
      submit={isBeginning ? deviceAdmin.beginMaintenance : deviceAdmin.endMaintenance}
      onSubmit={send}
      onClose={onClose}
    >
      <p>{isBeginning ? deviceAdmin.maintenanceMeans : deviceAdmin.maintenanceEndMeans}</p>
      {isBeginning && (
        <>
          <TextInput label={deviceAdmin.reason} isRequired {...bound(reason)} />
          <TextInput
            label={deviceAdmin.untilTime}
            hint={deviceAdmin.untilHint}
            type="datetime-local"
            {...bound(until)}
          />
        </>
      )}
    </FormDialog>
  );
}
