import { hasLabels, wantedLabels } from '@granary/contract/devices/label-match';
import type { FleetDevice } from '@granary/contract/fleet';
import { PROFILE_NAMES } from '@granary/contract/outline';
import { DEFAULT_PROFILES } from '@granary/contract/profiles/groups';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { callOptions, useConsole } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { CredentialsForm } from '../devices/administration/credentials-form.tsx';
import { EMPTY_DEVICE, hasCapacity, registerDevice } from '../devices/administration/device-draft.ts';
import { ConfirmId, DeviceFields } from '../devices/administration/device-form.tsx';
import { labelText } from '../devices/administration/label-text.ts';
import { Button } from '../kit/button.tsx';
import { ConfirmButton, DialogButton } from '../kit/dialog.tsx';
import { FilterBar, LabelFilter, SelectFilter, TextFilter } from '../kit/filter-bar.tsx';
import { bound, CheckInput, SelectInput, TextInput } from '../kit/inputs.tsx';
import { Age, LastKnown, Time } from '../kit/measured.tsx';
import { Notice } from '../kit/messages.tsx';
import { set } from '../kit/set.ts';
import { column, PageList, Table, textColumn, titleColumn } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { useEventReload, usePages } from '../kit/use-loaded.ts';
import { profileNames } from '../profiles/profiles.ts';
import { texts } from '../texts.ts';
import { ChangeDevices } from './change-devices.tsx';
import { ImportDevices } from './import-devices.tsx';

const EVERY_MS = 3_000;
/** The number of removed devices whose details are read; each is one request, so a long list is not read as a whole. */
const DEVICES_ASKED_MAX = 20;

/** Shows devices that were removed, and whose records are kept or are being removed. */
function RemovedDevices() {
  const { client } = useConsole();
  const { deviceAdmin } = texts.value;
  const pages = usePages(
    (page, signal) => client.fleet.devices({ removed: 'true', ...page }, { signal }),
    [],
  );
  useEventReload(['device.'], pages.reload);
  const purges = usePurges(pages.items ?? []);
  // This state is not in the row: the row disappears when the device is restored, while its secret is still shown.
  const restored = useSignal<FleetDevice | null>(null);
  return (
    <>
      <PageList pages={pages} empty={deviceAdmin.noRemoved}>
        {(items) => (
          <Table
            label={deviceAdmin.removed}
            columns={removedColumns(purges, (device) => set(restored, device))}
            rows={items}
            idOf={({ device_id }) => device_id}
          />
        )}
      </PageList>
      {restored.value !== null && (
        <RestoreDevice device={restored.value} onClose={() => set(restored, null)} />
      )}
    </>
  );
}

function removedColumns(
  purges: Purges,
  restore: (device: FleetDevice) => void,
): readonly Column<FleetDevice>[] {
  const { deviceAdmin } = texts.value;
  return [
    titleColumn('name', deviceAdmin.fields.name, ({ name }) => name),
    textColumn('id', deviceAdmin.id, ({ device_id }) => device_id),
    column(
      'removed',
      deviceAdmin.removedAt,
      { sortBy: ({ removed_at }) => removed_at ?? null },
      ({ removed_at }) => removed_at !== undefined && <Time at={removed_at} />,
    ),
    column('records', deviceAdmin.records, { kind: 'wide' }, ({ device_id }) => {
      const rows = purges.removedRowsOf(device_id);
      return rows === null ? deviceAdmin.recordsKept : deviceAdmin.purgeProgress({ rows });
    }),
    column(
      'actions',
      deviceAdmin.purgeRecords,
      { kind: 'actions' },
      (device) =>
        purges.removedRowsOf(device.device_id) === null && (
          <>
            <Button label={deviceAdmin.restoreOf({ name: device.name })} onPress={() => restore(device)}>
              {deviceAdmin.restore}
            </Button>
            <ConfirmButton
              text={deviceAdmin.purgeRecords}
              label={deviceAdmin.purgeOf({ name: device.name })}
              means={deviceAdmin.purgeMeans}
              onConfirm={() => purges.purge(device)}
            >
              <ConfirmId deviceId={device.device_id} />
            </ConfirmButton>
          </>
        ),
    ),
  ];
}

interface RestoreDeviceProps {
  readonly device: FleetDevice;
  readonly onClose: () => void;
}

/** Restores a removed device, and then shows its new secret this once. */
function RestoreDevice({ device: { device_id, name, group, profile }, onClose }: RestoreDeviceProps) {
  const console = useConsole();
  const { deviceAdmin } = texts.value;
  return (
    <CredentialsForm
      title={deviceAdmin.restoreOf({ name })}
      submit={deviceAdmin.restore}
      profile={profile}
      issue={async () =>
        (await console.client.devices[group].restore(device_id, callOptions(console))).credentials
      }
      onClose={onClose}
    >
      <p>{deviceAdmin.restoreMeans}</p>
    </CredentialsForm>
  );
}

interface Purges {
  /** The number of rows that were removed so far; `null` for a device whose records are kept. */
  removedRowsOf(deviceId: string): number | null;
  /** Removes the records of a device that was removed before. */
  purge(device: FleetDevice): Promise<void>;
}

/** Follows how far the removal of records has come, for the devices that were removed last. */
function usePurges(devices: readonly Pick<FleetDevice, 'device_id' | 'group' | 'removed_at'>[]): Purges {
  const console = useConsole();
  const { client } = console;
  const progress = useSignal<ReadonlyMap<string, number>>(new Map());
  const newest = [...devices]
    .sort((one, other) => (other.removed_at ?? '').localeCompare(one.removed_at ?? ''))
    .slice(0, DEVICES_ASKED_MAX);

  async function look(): Promise<void> {
    const found = await Promise.all(
      newest.map(async ({ device_id, group }) => {
        // A device whose records are all removed is not found any more; the event of its purge reloads the list.
        const detail = await client.devices[group].get(device_id).catch(() => null);
        return [device_id, detail?.purge?.rows_removed ?? null] as const;
      }),
    );
    progress.value = new Map(found.filter((entry): entry is [string, number] => entry[1] !== null));
  }

  useEffect(() => {
    void look();
    const timer = setInterval(() => {
      if (progress.peek().size > 0) void look();
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [newest.map(({ device_id }) => device_id).join()]);

  return {
    removedRowsOf: (deviceId) => progress.value.get(deviceId) ?? null,
    purge: async ({ device_id, group }) => {
      await client.devices[group].remove(device_id, { purge: 'true' }, callOptions(console));
      void look();
    },
  };
}

/** Shows every device, each with a link to its own administration; a new device is registered here. */
export function DevicesPage() {
  const { navigation } = useConsole();
  const { deviceAdmin } = texts.value;
  const { query } = navigation.route.value;
  const showsRemoved = query.get('show') === 'removed';
  return (
    <>
      <div class="administration-head">
        <FilterBar names={['q', 'profile', 'label', 'show']}>
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
          <LabelFilter />
        </FilterBar>
        <DialogButton text={deviceAdmin.import}>{(close) => <ImportDevices onClose={close} />}</DialogButton>
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
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const devices = [...live.site.devices.all.value.values()].map((device) => device.value);
  const shown = devices.filter((device) => matches(device, query));
  if (shown.length === 0) {
    return <Notice>{devices.length === 0 ? deviceAdmin.noDevices : table.nothing}</Notice>;
  }
  return (
    <>
      <ChosenDevices shown={shown} chosen={chosen} />
      <Table
        label={deviceAdmin.title}
        columns={[choiceColumn(chosen), ...deviceColumns()]}
        rows={shown}
        idOf={({ device_id }) => device_id}
        onOpen={({ device_id }) => navigation.open(administrationOf(device_id))}
      />
    </>
  );
}

type Chosen = Signal<ReadonlySet<string>>;

interface ChosenProps {
  readonly shown: readonly FleetDevice[];
  readonly chosen: Chosen;
}

/** Actions apply to chosen devices that are shown, so that no device that a filter hides is changed unseen. */
function ChosenDevices({ shown, chosen }: ChosenProps) {
  const { deviceAdmin } = texts.value;
  const ids = shown.map(({ device_id }) => device_id);
  const wanted = ids.filter((id) => chosen.value.has(id));
  return (
    <div class="administration-head">
      <CheckInput
        label={deviceAdmin.chooseAll}
        value={wanted.length === ids.length}
        onValue={(isAll) => set(chosen, new Set(isAll ? ids : []))}
      />
      {wanted.length > 0 && (
        <DialogButton text={deviceAdmin.change} label={deviceAdmin.changeOf({ count: wanted.length })}>
          {(close) => <ChangeDevices deviceIds={wanted} onClose={close} />}
        </DialogButton>
      )}
    </div>
  );
}

const choiceColumn = (chosen: Chosen): Column<FleetDevice> => ({
  name: 'choose',
  title: texts.value.deviceAdmin.choose,
  cell: ({ device_id, name }) => (
    <input
      type="checkbox"
      aria-label={texts.value.deviceAdmin.chooseOf({ name })}
      checked={chosen.value.has(device_id)}
      onChange={() => set(chosen, chosen.peek().symmetricDifference(new Set([device_id])))}
    />
  ),
});

/** The address of the page of a device, where the device is administered. */
const administrationOf = (deviceId: string): string =>
  addressOf('devices', deviceId, { tab: 'administration' });

function matches(
  { device_id, name, model, profile, location, labels = {} }: FleetDevice,
  query: URLSearchParams,
): boolean {
  const wanted = (query.get('q') ?? '').toLowerCase();
  const texts = [device_id, name, model, location.facility, location.zone];
  return (
    hasLabels(labels, wantedLabels(query.get('label') || undefined)) &&
    (query.get('profile') ?? profile) === profile &&
    texts.some((text) => text.toLowerCase().includes(wanted))
  );
}

function deviceColumns(): readonly Column<FleetDevice>[] {
  const { deviceAdmin, common } = texts.value;
  return [
    column(
      'name',
      deviceAdmin.fields.name,
      { kind: 'title', sortBy: ({ name }) => name },
      ({ device_id, name }) => (
        <a class="free-text" href={administrationOf(device_id)}>
          {name}
        </a>
      ),
    ),
    textColumn('id', deviceAdmin.id, ({ device_id }) => device_id),
    textColumn('profile', deviceAdmin.profile, ({ profile }) => profileNames(profile).one),
    textColumn('model', deviceAdmin.fields.model, ({ model }) => model),
    textColumn('facility', deviceAdmin.fields.facility, ({ location }) => location.facility),
    textColumn('zone', deviceAdmin.fields.zone, ({ location }) => location.zone),
    textColumn('labels', deviceAdmin.fields.labels, ({ labels }) => labelText(labels)),
    column('status', deviceAdmin.status, { sortBy: ({ status }) => status }, ({ status }) => (
      <span class={status === 'online' ? '' : 'muted'}>
        <LastKnown>{common.deviceStatuses[status]}</LastKnown>
      </span>
    )),
    column(
      'seen',
      deviceAdmin.lastSeen,
      { kind: 'number', sortBy: ({ last_seen }) => last_seen },
      ({ last_seen }) =>
        last_seen === null ? <span class="muted">{common.neverReported}</span> : <Age since={last_seen} />,
    ),
  ];
}

/** Registers a device, and then shows its secret this once. */
export function RegisterDevice({ onClose }: { readonly onClose: () => void }) {
  const console = useConsole();
  const { deviceAdmin } = texts.value;
  const profile = useSignal<ProfileName>(DEFAULT_PROFILES.silo);
  const deviceId = useSignal('');
  const draft = useSignal(EMPTY_DEVICE);
  return (
    <CredentialsForm
      title={deviceAdmin.register}
      submit={deviceAdmin.register}
      issuedTitle={deviceAdmin.registered({ name: draft.value.name.trim() })}
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
          onValue={(chosen) =>
            set(profile, PROFILE_NAMES.find((name) => name === chosen) ?? DEFAULT_PROFILES.silo)
          }
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
