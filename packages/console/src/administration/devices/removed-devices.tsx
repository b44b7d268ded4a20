import type { FleetDevice } from '@granary/contract/fleet/devices';
import { useSignal } from '@preact/signals';
import { useConsole } from '../../console.ts';
import { Time } from '../../parts/age.tsx';
import { Button } from '../../parts/button.tsx';
import { DialogButton } from '../../parts/forms/dialog-button.tsx';
import { PageList } from '../../parts/lists/page-list.tsx';
import { Table } from '../../parts/lists/table.tsx';
import type { Column } from '../../parts/lists/table-column.ts';
import { useEventReload } from '../../parts/lists/use-event-reload.ts';
import { usePages } from '../../parts/lists/use-pages.ts';
import { texts } from '../../texts/texts.ts';
import { PurgeDevice } from './purge-device.tsx';
import { RestoreDevice } from './restore-device.tsx';
import { type Purges, usePurges } from './use-purges.ts';

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
            <DialogButton text={deviceAdmin.purgeRecords} label={deviceAdmin.purgeOf(device.name)}>
              {(close) => <PurgeDevice device={device} onPurging={purges.look} onClose={close} />}
            </DialogButton>
          </>
        ),
    },
  ];
}
