import type { FleetAlert } from '@granary/contract/fleet/records';
import { useSignal } from '@preact/signals';
import { useConsole } from '../console.ts';
import { useIsLost } from '../parts/last-known.tsx';
import { PageList } from '../parts/lists/page-list.tsx';
import { useEventReload } from '../parts/lists/use-event-reload.ts';
import { usePages } from '../parts/lists/use-pages.ts';
import { Notice } from '../parts/notice.tsx';
import { texts } from '../texts/texts.ts';
import { type AlertFilter, chosenAlerts, queryOf } from './alert-filter.ts';
import { AlertTable } from './alert-table.tsx';
import { SelectionBar } from './selection-bar.tsx';

interface Props {
  readonly filter: AlertFilter;
  readonly onOpen: (alert: FleetAlert) => void;
  readonly onShelve: (alert: FleetAlert) => void;
}

/** The open alerts, which the page always knows. */
export function LiveAlerts({ filter, ...opening }: Props) {
  const { site } = useConsole().live;
  const { alerts: words } = texts.value;
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const isLost = useIsLost();
  const alerts = chosenAlerts(
    [...site.alerts.all.value.values()],
    filter,
    (deviceId) => site.devices.find(deviceId)?.peek().location.facility,
  );
  if (alerts.length === 0 && isLost) return null;
  if (alerts.length === 0) return <Notice>{words.empty[filter.list]}</Notice>;
  return (
    <>
      <SelectionBar alerts={alerts} selected={selected} />
      <AlertTable alerts={alerts} isSortable selected={selected} {...opening} />
    </>
  );
}

/** Alerts that are read from the service, newest first. */
export function StoredAlerts({ filter, ...opening }: Props) {
  const { client } = useConsole();
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const query = queryOf(filter);
  const pages = usePages(
    (request, signal) => client.fleet.alerts({ ...query, ...request }, { signal }),
    [client, JSON.stringify(query)],
  );
  useEventReload(['alert.'], pages.reload);
  return (
    <PageList pages={pages} empty={texts.value.alerts.empty[filter.list]}>
      {(alerts) => (
        <>
          <SelectionBar alerts={alerts} selected={selected} />
          <AlertTable alerts={alerts} isSortable={false} selected={selected} {...opening} />
        </>
      )}
    </PageList>
  );
}
