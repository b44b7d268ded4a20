import type { FleetAlert } from '@granary/contract/fleet/records';
import type { Signal } from '@preact/signals';
import { useConsole, useScope } from '../console.ts';
import { Age } from '../parts/age.tsx';
import { Button } from '../parts/button.tsx';
import { DeviceLink } from '../parts/device-link.tsx';
import { Table } from '../parts/lists/table.tsx';
import type { Column } from '../parts/lists/table-column.ts';
import { SeverityMark } from '../parts/severity-mark.tsx';
import { locale, texts } from '../texts/texts.ts';
import { AlertActions } from './alert-actions.tsx';
import { urgencyOf } from './alert-filter.ts';
import { AlertState } from './alert-state.tsx';
import { valueAgainstThreshold } from './alert-value.ts';
import { isUnacknowledged } from './summary.ts';

interface Props {
  readonly alerts: readonly FleetAlert[];
  /** Whether the order is of the view; a list that is read by pages keeps the one of the service. */
  readonly isSortable: boolean;
  readonly selected: Signal<ReadonlySet<string>>;
  readonly onOpen: (alert: FleetAlert) => void;
  readonly onShelve: (alert: FleetAlert) => void;
}

export function AlertTable({ alerts, isSortable, selected, onOpen, onShelve }: Props) {
  const { site } = useConsole().live;
  const mayOperate = useScope('operate');
  const { alerts: words } = texts.value;
  const nameOf = (deviceId: string): string => site.devices.nameOf(deviceId);
  const columns: Column<FleetAlert>[] = [
    {
      name: 'severity',
      title: words.severity,
      cell: (alert) => <SeverityMark severity={alert.severity} isOutlined={!isUnacknowledged(alert)} />,
      sortBy: (alert) => -urgencyOf(alert),
    },
    {
      name: 'device',
      title: words.device,
      kind: 'title',
      cell: ({ device_id }) => <DeviceLink deviceId={device_id} />,
      sortBy: ({ device_id }) => nameOf(device_id),
    },
    {
      name: 'message',
      title: words.message,
      cell: (alert) => (
        <Button kind="quiet" onPress={() => onOpen(alert)}>
          <span class="free-text">{alert.message}</span>
        </Button>
      ),
    },
    {
      name: 'value',
      title: words.value,
      kind: 'number',
      cell: (alert) =>
        valueAgainstThreshold(alert, site.devices.find(alert.device_id)?.peek().readings, locale.value),
    },
    {
      name: 'age',
      title: words.age,
      kind: 'number',
      cell: ({ created_at }) => <Age since={created_at} />,
      sortBy: ({ created_at }) => -Date.parse(created_at),
    },
    {
      name: 'state',
      title: words.state,
      cell: (alert) => <AlertState alert={alert} />,
      sortBy: ({ status }) => words.statuses[status],
    },
    {
      name: 'actions',
      title: words.actions,
      kind: 'actions',
      cell: (alert) => <AlertActions alert={alert} onShelve={onShelve} />,
    },
  ];
  const select: Column<FleetAlert> = {
    name: 'select',
    title: words.select,
    cell: (alert) => <SelectBox alert={alert} name={nameOf(alert.device_id)} selected={selected} />,
  };
  const shown = mayOperate ? [select, ...columns] : columns;
  return (
    <Table
      label={words.title}
      columns={isSortable ? shown : shown.map(({ sortBy: _, ...column }) => column)}
      rows={alerts}
      idOf={({ alert_id }) => alert_id}
      onOpen={onOpen}
    />
  );
}

interface SelectProps {
  readonly alert: FleetAlert;
  readonly name: string;
  readonly selected: Signal<ReadonlySet<string>>;
}

function SelectBox({ alert: { alert_id, message, status }, name, selected }: SelectProps) {
  if (status === 'resolved') return null;
  return (
    <input
      type="checkbox"
      aria-label={texts.value.alerts.selectOf(name, message)}
      checked={selected.value.has(alert_id)}
      onChange={({ currentTarget }) => {
        const next = new Set(selected.peek());
        if (currentTarget.checked) next.add(alert_id);
        else next.delete(alert_id);
        selected.value = next;
      }}
    />
  );
}
