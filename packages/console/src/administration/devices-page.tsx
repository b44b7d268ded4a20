import type { FleetDevice } from '@granary/contract/fleet/devices';
import { PROFILE_NAMES } from '@granary/contract/profiles/profiles';
import { useConsole } from '../context/console.ts';
import { DevicePanel } from '../devices/administration/device-administration.tsx';
import { Button } from '../kit/button.tsx';
import { DialogButton } from '../kit/dialog.tsx';
import { FilterBar, SelectFilter, TextFilter } from '../kit/filter-bar.tsx';
import { Age, LastKnown } from '../kit/measured.tsx';
import { Notice } from '../kit/messages.tsx';
import { Table } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { texts } from '../texts/texts.ts';
import { RegisterDevice } from './register-device.tsx';
import { RemovedDevices } from './removed-devices.tsx';
import '../devices/administration/device-form.css';

/** Every device that there is; one of them can be opened, and a new one registered. */
export function DevicesPage() {
  const { navigation } = useConsole();
  const { deviceAdmin } = texts.value;
  const { query } = navigation.route.value;
  const showsRemoved = query.get('show') === 'removed';
  const opened = query.get('device');
  const open = (deviceId: string | undefined): void => navigation.filter({ device: deviceId });
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
            options={PROFILE_NAMES.map((name) => [name, deviceAdmin.profiles[name]])}
          />
        </FilterBar>
        <DialogButton kind="primary" text={deviceAdmin.register}>
          {(close) => <RegisterDevice onClose={close} />}
        </DialogButton>
      </div>
      {showsRemoved ? <RemovedDevices /> : <PresentDevices open={open} />}
      {opened !== null && <DevicePanel key={opened} deviceId={opened} onClose={() => open(undefined)} />}
    </>
  );
}

function PresentDevices({ open }: { readonly open: (deviceId: string) => void }) {
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
      columns={deviceColumns(open)}
      rows={shown}
      idOf={({ device_id }) => device_id}
      onOpen={({ device_id }) => open(device_id)}
    />
  );
}

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

function deviceColumns(open: (deviceId: string) => void): readonly Column<FleetDevice>[] {
  const { deviceAdmin, common } = texts.value;
  return [
    {
      name: 'name',
      title: deviceAdmin.name,
      kind: 'title',
      sortBy: ({ name }) => name,
      cell: ({ name }) => <strong class="free-text">{name}</strong>,
    },
    {
      name: 'id',
      title: deviceAdmin.id,
      sortBy: ({ device_id }) => device_id,
      cell: ({ device_id }) => device_id,
    },
    {
      name: 'profile',
      title: deviceAdmin.profile,
      sortBy: ({ profile }) => deviceAdmin.profiles[profile],
      cell: ({ profile }) => deviceAdmin.profiles[profile],
    },
    {
      name: 'model',
      title: deviceAdmin.model,
      sortBy: ({ model }) => model,
      cell: ({ model }) => <span class="free-text">{model}</span>,
    },
    {
      name: 'facility',
      title: deviceAdmin.facility,
      sortBy: ({ location }) => location.facility,
      cell: ({ location }) => <span class="free-text">{location.facility}</span>,
    },
    {
      name: 'zone',
      title: deviceAdmin.zone,
      sortBy: ({ location }) => location.zone,
      cell: ({ location }) => <span class="free-text">{location.zone}</span>,
    },
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
    {
      name: 'actions',
      title: deviceAdmin.manage,
      kind: 'actions',
      cell: ({ device_id, name }) => (
        <Button label={deviceAdmin.manageOf(name)} onPress={() => open(device_id)}>
          {deviceAdmin.manage}
        </Button>
      ),
    },
  ];
}
