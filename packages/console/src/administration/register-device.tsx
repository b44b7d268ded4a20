import type { DeviceCredentials } from '@granary/contract/devices/devices';
import { PROFILE_NAMES, PROFILES, type ProfileName } from '@granary/contract/profiles/profiles';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../context/console.ts';
import { CredentialsDialog } from '../devices/administration/credentials-dialog.tsx';
import { EMPTY_DEVICE, registrationOf } from '../devices/administration/device-draft.ts';
import { DeviceFields } from '../devices/administration/device-form.tsx';
import { FormDialog } from '../kit/dialog.tsx';
import { bound, SelectInput, TextInput } from '../kit/inputs.tsx';
import { texts } from '../texts/texts.ts';

/** Registers a device, and then shows its secret this once. */
export function RegisterDevice({ onClose }: { readonly onClose: () => void }) {
  const console = useConsole();
  const { client } = console;
  const { deviceAdmin } = texts.value;
  const profile = useSignal<ProfileName>('silo_scale');
  const deviceId = useSignal('');
  const draft = useSignal(EMPTY_DEVICE);
  const issued = useSignal<DeviceCredentials | null>(null);

  async function register(): Promise<void> {
    const { group, body } = registrationOf(profile.peek(), deviceId.peek(), draft.peek());
    const registered =
      group === 'silo'
        ? await client.devices.silo.register(body, callOptions(console))
        : await client.devices.field.register(body, callOptions(console));
    issued.value = registered.credentials;
  }

  if (issued.value !== null) {
    return (
      <CredentialsDialog
        title={deviceAdmin.registered(draft.peek().name.trim())}
        credentials={issued.value}
        profile={profile.peek()}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      title={deviceAdmin.register}
      submit={deviceAdmin.register}
      staysOpen
      onSubmit={register}
      onClose={onClose}
    >
      <div class="form-row">
        <SelectInput
          label={deviceAdmin.profile}
          value={profile.value}
          onValue={(chosen) => {
            profile.value = PROFILE_NAMES.find((name) => name === chosen) ?? 'silo_scale';
          }}
          options={PROFILE_NAMES.toReversed().map((name) => [name, deviceAdmin.profiles[name]])}
        />
        <TextInput
          label={deviceAdmin.id}
          hint={deviceAdmin.idHint}
          isRequired
          maxLength={64}
          pattern="[A-Za-z0-9_\-]+"
          {...bound(deviceId)}
        />
      </div>
      <DeviceFields isSilo={PROFILES[profile.value].group === 'silo'} {...bound(draft)} />
    </FormDialog>
  );
}
