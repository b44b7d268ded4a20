import { ApiError } from '@granary/client';
import type { DeviceGroup } from '@granary/contract/devices/groups';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../../context/console.ts';
import { FormDialog } from '../../kit/dialog.tsx';
import { bound } from '../../kit/inputs.tsx';
import { texts } from '../../texts/texts.ts';
import {
  changedFields,
  type DeviceDetail,
  type DeviceDraft,
  draftOfDevice,
  mergedDraft,
  patchOf,
} from './device-draft.ts';
import { DeviceFields } from './device-form.tsx';

interface Props {
  readonly group: DeviceGroup;
  readonly device: DeviceDetail;
  readonly etag: string | null;
  readonly onClose: () => void;
}

interface Base {
  readonly draft: DeviceDraft;
  readonly etag: string | null;
}

/** Changes of another person since the form was opened are shown, and never overwritten unseen. */
export function EditDevice({ group, device, etag, onClose }: Props) {
  const console = useConsole();
  const { client } = console;
  const { deviceAdmin, common, forms } = texts.value;
  const { device_id: deviceId } = device;
  const base = useSignal<Base>({ draft: draftOfDevice(device), etag });
  const draft = useSignal(base.peek().draft);
  const conflict = useSignal<readonly string[]>([]);

  async function readAgain(): Promise<void> {
    const fresh = await client.devices[group].getVersioned(deviceId);
    const now = draftOfDevice(fresh.device);
    const before = base.peek().draft;
    conflict.value = changedFields(before, now).map((field) =>
      forms.changedTo(
        deviceAdmin.fields[field],
        field === 'sensors' ? String(now.sensors.length) : now[field],
      ),
    );
    draft.value = mergedDraft(draft.peek(), before, now);
    base.value = { draft: now, etag: fresh.etag };
  }

  async function save(): Promise<void> {
    const patch = patchOf(draft.peek(), base.peek().draft);
    const version = base.peek().etag;
    const options = { ...callOptions(console), ...(version === null ? {} : { ifMatch: version }) };
    try {
      if (Object.keys(patch).length > 0) await client.devices[group].update(deviceId, patch, options);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'stale_version') await readAgain();
      throw error;
    }
  }

  return (
    <FormDialog
      title={deviceAdmin.editOf(device.name)}
      submit={common.save}
      onSubmit={save}
      onClose={onClose}
    >
      {conflict.value.length > 0 && (
        <p class="refusal" role="alert">
          {forms.conflict(conflict.value.join(', '))}
        </p>
      )}
      <DeviceFields isSilo={group === 'silo'} {...bound(draft)} />
    </FormDialog>
  );
}
