import type { FleetDevice } from '@granary/contract/fleet';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { callOptions, useConsole } from '../context/console.ts';
import { CredentialsForm } from '../devices/administration/credentials-form.tsx';
import { ConfirmId } from '../devices/administration/device-form.tsx';
import { Button } from '../kit/button.tsx';
import { ConfirmButton } from '../kit/dialog.tsx';
import { Time } from '../kit/measured.tsx';
import { PageList, Table, textColumn, titleColumn } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { useEventReload, usePages } from '../kit/use-loaded.ts';
import { texts } from '../texts/texts.ts';

const EVERY_MS = 3_000;

/** Each is one request, so that a long list is not asked for as a whole. */
const DEVICES_ASKED_MAX = 20;

/** Devices that were removed and whose records are kept, or are being removed. */
export function RemovedDevices() {
  const { client } = useConsole();
  const { deviceAdmin } = texts.value;
  const pages = usePages(
    (page, signal) => client.fleet.devices({ removed: 'true', ...page }, { signal }),
    [],
  );
  useEventReload(['device.'], pages.reload);
  const purges = usePurges(pages.items ?? []);
  // Not in the row, which goes away with the list when the device is back while its secret is still shown.
  const restored = useSignal<FleetDevice | null>(null);
  return (
    <>
      <PageList pages={pages} empty={deviceAdmin.noRemoved}>
        {(items) => (
          <Table
            label={deviceAdmin.removed}
            columns={removedColumns(purges, (device) => {
              restored.value = device;
            })}
            rows={items}
            idOf={({ device_id }) => device_id}
          />
        )}
      </PageList>
      {restored.value !== null && (
        <RestoreDevice
          device={restored.value}
          onClose={() => {
            restored.value = null;
          }}
        />
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
    {
      name: 'removed',
      title: deviceAdmin.removedAt,
      sortBy: ({ removed_at }) => removed_at ?? null,
      cell: ({ removed_at }) => removed_at !== undefined && <Time at={removed_at} />,
    },
    {
      name: 'records',
      title: deviceAdmin.records,
      kind: 'wide',
      cell: ({ device_id }) => {
        const rows = purges.removedRowsOf(device_id);
        return rows === null ? deviceAdmin.recordsKept : deviceAdmin.purgeProgress(rows);
      },
    },
    {
      name: 'actions',
      title: deviceAdmin.purgeRecords,
      kind: 'actions',
      cell: (device) =>
        purges.removedRowsOf(device.device_id) === null && (
          <>
            <Button label={deviceAdmin.restoreOf(device.name)} onPress={() => restore(device)}>
              {deviceAdmin.restore}
            </Button>
            <ConfirmButton
              text={deviceAdmin.purgeRecords}
              label={deviceAdmin.purgeOf(device.name)}
              means={deviceAdmin.purgeMeans}
              onConfirm={() => purges.purge(device)}
            >
              <ConfirmId deviceId={device.device_id} />
            </ConfirmButton>
          </>
        ),
    },
  ];
}

interface RestoreDeviceProps {
  readonly device: FleetDevice;
  readonly onClose: () => void;
}

/** Brings a removed device back, and then shows its new secret this once. */
function RestoreDevice({ device: { device_id, name, group, profile }, onClose }: RestoreDeviceProps) {
  const console = useConsole();
  const { deviceAdmin } = texts.value;
  return (
    <CredentialsForm
      title={deviceAdmin.restoreOf(name)}
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
  /** How many rows were removed so far; `null` for a device whose records are kept. */
  removedRowsOf(deviceId: string): number | null;
  /** Removes the records of a device that was removed before. */
  purge(device: FleetDevice): Promise<void>;
}

/** How far the removal of records has come, for the devices removed last. */
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
        // A device whose records are all removed is not found any more; the event of that reloads the list.
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
