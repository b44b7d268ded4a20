import { ApiError } from '@granary/client';
import type { FleetDevice } from '@granary/contract/fleet';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../../context/console.ts';
import { addressOf } from '../../context/routes.ts';
import { DialogButton, FormDialog } from '../../kit/dialog.tsx';
import { FactList } from '../../kit/fact-list.tsx';
import { bound, CheckInput } from '../../kit/inputs.tsx';
import { profileNames } from '../../profiles/profiles.ts';
import { texts } from '../../texts.ts';
import type { DeviceFacts } from '../facts/device-facts.ts';
import { CredentialsForm } from './credentials-form.tsx';
import { changedFields, type DeviceDraft, draftOfDevice, mergedDraft, patchOf } from './device-draft.ts';
import { ConfirmId, DeviceFields } from './device-form.tsx';
import { labelText } from './label-text.ts';

interface Props {
  readonly device: FleetDevice;
  readonly facts: DeviceFacts;
}

interface DialogProps extends Props {
  readonly onClose: () => void;
}

/** Shows what a key with the scope `admin` can change of a device: its description, its secret, and whether it is registered. */
export function DeviceAdministration({ device, facts }: Props) {
  const { deviceAdmin, devices } = texts.value;
  const { device_id, profile, model, location, labels } = device;
  const { detail } = facts;
  const declared = (detail.sensors ?? []).filter((sensor) => 'unit' in sensor);
  return (
    <section class="panel device-administration" aria-label={devices.tabs.administration}>
      <FactList
        facts={[
          { title: deviceAdmin.id, value: device_id },
          { title: deviceAdmin.profile, value: profileNames(profile).one },
          { title: deviceAdmin.fields.model, value: model },
          { title: deviceAdmin.place, value: `${location.facility} · ${location.zone}` },
          { title: deviceAdmin.fields.firmware_version, value: detail.firmware_version || '–' },
          { title: deviceAdmin.fields.labels, value: labelText(labels) || '–' },
          {
            title: deviceAdmin.declaredSensors,
            value: declared.map(({ sensor_id }) => sensor_id).join(', ') || '–',
          },
        ]}
      />
      <div class="buttons">
        <DialogButton text={deviceAdmin.edit}>
          {(close) => <EditDevice device={device} facts={facts} onClose={close} />}
        </DialogButton>
        <DialogButton text={deviceAdmin.renewCredentials}>
          {(close) => <RenewCredentials device={device} onClose={close} />}
        </DialogButton>
        <a class="button plain" href={addressOf('administration', 'audit', { device: device_id })}>
          {deviceAdmin.whoDidWhat}
        </a>
        <DialogButton text={deviceAdmin.remove}>
          {(close) => <RemoveDevice device={device} onClose={close} />}
        </DialogButton>
      </div>
    </section>
  );
}

interface Base {
  readonly draft: DeviceDraft;
  readonly etag: string | null;
}

/** Edits a device. Changes of another person since the form was opened are shown, and never overwritten unseen. */
function EditDevice({ device: { device_id: deviceId, name, group }, facts, onClose }: DialogProps) {
  const console = useConsole();
  const { client } = console;
  const { deviceAdmin, common, forms } = texts.value;
  const base = useSignal<Base>({ draft: draftOfDevice(facts.detail), etag: facts.detailEtag });
  const draft = useSignal(base.peek().draft);
  const conflict = useSignal<readonly string[]>([]);

  async function readAgain(): Promise<void> {
    const fresh = await client.devices[group].getVersioned(deviceId);
    const now = draftOfDevice(fresh.device);
    const before = base.peek().draft;
    conflict.value = changedFields(before, now).map((field) =>
      forms.changedTo({
        label: deviceAdmin.fields[field],
        value: field === 'sensors' ? String(now.sensors.length) : now[field],
      }),
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
    <FormDialog title={deviceAdmin.editOf({ name })} submit={common.save} onSubmit={save} onClose={onClose}>
      {conflict.value.length > 0 && (
        <p class="refusal" role="alert">
          {forms.conflict({ changes: conflict.value.join(', ') })}
        </p>
      )}
      <DeviceFields hasCapacity={'capacity' in facts.detail} {...bound(draft)} />
    </FormDialog>
  );
}

function RenewCredentials({ device, onClose }: Omit<DialogProps, 'facts'>) {
  const console = useConsole();
  const { deviceAdmin } = texts.value;
  const { device_id: deviceId, name, group, profile } = device;
  return (
    <CredentialsForm
      title={`${deviceAdmin.renewCredentials}: ${name}`}
      submit={deviceAdmin.renewCredentials}
      profile={profile}
      issue={() => console.client.devices[group].renewCredentials(deviceId, callOptions(console))}
      onClose={onClose}
    >
      <p>{deviceAdmin.renewMeans}</p>
    </CredentialsForm>
  );
}

/** Removes a device. Before all records are removed the person has to type the id, because that cannot be undone. */
function RemoveDevice({ device, onClose }: Omit<DialogProps, 'facts'>) {
  const console = useConsole();
  const { client, live, navigation } = console;
  const { deviceAdmin } = texts.value;
  const isPurge = useSignal(false);
  const { device_id: deviceId, name, group } = device;

  async function remove(): Promise<void> {
    const query = isPurge.peek() ? { purge: 'true' as const } : {};
    await client.devices[group].remove(deviceId, query, callOptions(console));
    navigation.open(addressOf('administration', 'devices'));
    live.site.devices.remove(deviceId);
  }

  return (
    <FormDialog
      title={deviceAdmin.removeOf({ name })}
      submit={isPurge.value ? deviceAdmin.purge : deviceAdmin.remove}
      onSubmit={remove}
      onClose={onClose}
    >
      <p>{deviceAdmin.removeMeans}</p>
      <CheckInput label={deviceAdmin.purgeToo} hint={deviceAdmin.purgeMeans} {...bound(isPurge)} />
      {isPurge.value && <ConfirmId deviceId={deviceId} />}
    </FormDialog>
  );
}
