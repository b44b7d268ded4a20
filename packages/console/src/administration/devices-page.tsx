import type { FleetDevice } from '@granary/contract/fleet';
import { DEFAULT_PROFILES, PROFILE_NAMES, type ProfileName } from '@granary/contract/profiles/profiles';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { CredentialsForm } from '../devices/administration/credentials-form.tsx';
import { EMPTY_DEVICE, hasCapacity, registerDevice } from '../devices/administration/device-draft.ts';
import { DeviceFields } from '../devices/administration/device-form.tsx';
import { DialogButton } from '../kit/dialog.tsx';
import { FilterBar, SelectFilter, TextFilter } from '../kit/filter-bar.tsx';
import { bound, SelectInput, TextInput } from '../kit/inputs.tsx';
import { Age, LastKnown } from '../kit/measured.tsx';
import { Notice } from '../kit/messages.tsx';
import { Table, textColumn } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { profileNames } from '../profiles/profiles.ts';
import { texts } from '../texts/texts.ts';
import { RemovedDevices } from './removed-devices.tsx';

/** Every device that there is, each with the way to its own administration; a new one is registered here. */
export function DevicesPage() {
  const { navigation } = useConsole();
  const { deviceAdmin } = texts.value;
  const { query } = navigation.route.value;
  const showsRemoved = query.get('show') === 'removed';
  return (
    <>
      <div class="administration-head">
        <FilterBar names={['q', 'profile', 'show']}>
          <SelectFilter
            name="show"
            label={deviceAdmin.show}
            any={deviceAdmin.present}
            options={[['removed', deviceAdmin.removed]]}
          />
          <TextFilter name="q" label={deviceAdmin.search} />
          <SelectFilter
            name="profile"
            label={deviceAdmin.profile}
            any={deviceAdmin.anyProfile}
            options={PROFILE_NAMES.map((name) => [name, profileNames(name).one])}
          />
        </FilterBar>
        <DialogButton kind="primary" text={deviceAdmin.register}>
          {(close) => <RegisterDevice onClose={close} />}
        </DialogButton>
      </div>
      {showsRemoved ? <RemovedDevices /> : <PresentDevices />}
    </>
  );
}

function PresentDevices() {
  const { live, navigation } = useConsole();
  const { deviceAdmin, table } = texts.value;
  const { query } = navigation.route.value;
  const devices = [...live.site.devices.all.value.values()].map((device) => device.value);
  const shown = devices.filter((device) => matches(device, query));
  if (shown.length === 0) {
    return <Notice>{devices.length === 0 ? deviceAdmin.noDevices : table.nothing}</Notice>;
  }
  return (
    <Table
      label={deviceAdmin.title}
      columns={deviceColumns()}
      rows={shown}
      idOf={({ device_id }) => device_id}
      onOpen={({ device_id }) => navigation.open(administrationOf(device_id))}
    />
  );
}

/** A device is administered on its own page. */
const administrationOf = (deviceId: string): string =>
  addressOf('devices', deviceId, { tab: 'administration' });

function matches(
  { device_id, name, model, profile, location }: FleetDevice,
  query: URLSearchParams,
): boolean {
  const wanted = (query.get('q') ?? '').toLowerCase();
  const texts = [device_id, name, model, location.facility, location.zone];
  return (
    (query.get('profile') ?? profile) === profile && texts.some((text) => text.toLowerCase().includes(wanted))
  );
}

function deviceColumns(): readonly Column<FleetDevice>[] {
  const { deviceAdmin, common } = texts.value;
  return [
    {
      name: 'name',
      title: deviceAdmin.fields.name,
      kind: 'title',
      sortBy: ({ name }) => name,
      cell: ({ device_id, name }) => (
        <a class="free-text" href={administrationOf(device_id)}>
          {name}
        </a>
      ),
    },
    textColumn('id', deviceAdmin.id, ({ device_id }) => device_id),
    textColumn('profile', deviceAdmin.profile, ({ profile }) => profileNames(profile).one),
    textColumn('model', deviceAdmin.fields.model, ({ model }) => model),
    textColumn('facility', deviceAdmin.fields.facility, ({ location }) => location.facility),
    textColumn('zone', deviceAdmin.fields.zone, ({ location }) => location.zone),
    {
      name: 'status',
      title: deviceAdmin.status,
      sortBy: ({ status }) => status,
      cell: ({ status }) => (
        <span class={status === 'online' ? '' : 'muted'}>
          <LastKnown>{common.deviceStatuses[status]}</LastKnown>
        </span>
      ),
    },
    {
      name: 'seen',
      title: deviceAdmin.lastSeen,
      kind: 'number',
      sortBy: ({ last_seen }) => last_seen,
      cell: ({ last_seen }) =>
        last_seen === null ? <span class="muted">{common.neverReported}</span> : <Age since={last_seen} />,
    },
  ];
}

/** Registers a device, and then shows its secret this once. */
function RegisterDevice({ onClose }: { readonly onClose: () => void }) {
  const console = useConsole();
  const { deviceAdmin } = texts.value;
  const profile = useSignal<ProfileName>(DEFAULT_PROFILES.silo);
  const deviceId = useSignal('');
  const draft = useSignal(EMPTY_DEVICE);
  return (
    <CredentialsForm
      title={deviceAdmin.register}
      submit={deviceAdmin.register}
      issuedTitle={deviceAdmin.registered(draft.value.name.trim())}
      profile={profile.value}
      issue={() =>
        registerDevice(console.client, profile.peek(), deviceId.peek(), draft.peek(), callOptions(console))
      }
      onClose={onClose}
    >
      <div class="form-row">
        <SelectInput
          label={deviceAdmin.profile}
          value={profile.value}
          onValue={(chosen) => {
            profile.value = PROFILE_NAMES.find((name) => name === chosen) ?? DEFAULT_PROFILES.silo;
          }}
          options={PROFILE_NAMES.toReversed().map((name) => [name, profileNames(name).one])}
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
      <DeviceFields hasCapacity={hasCapacity(profile.value)} {...bound(draft)} />
    </CredentialsForm>
  );
}
