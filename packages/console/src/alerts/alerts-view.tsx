import { ALERT_SEVERITIES } from '@granary/contract/alerts';
import type { FleetAlert } from '@granary/contract/fleet/records';
import { useSignal } from '@preact/signals';
import { useConsole } from '../console.ts';
import { useIsLost } from '../parts/last-known.tsx';
import { FilterBar, SelectFilter } from '../parts/lists/filter-bar.tsx';
import { PLACE_FILTERS, PlaceFilters } from '../parts/lists/place-filters.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { addressOf } from '../routes.ts';
import { texts } from '../texts/texts.ts';
import { AlertDialog } from './alert-dialog.tsx';
import { ALERT_LISTS, alertFilterOf } from './alert-filter.ts';
import { LiveAlerts, StoredAlerts } from './alert-lists.tsx';
import { ShelveDialog } from './shelve-dialog.tsx';
import { SoundSwitch } from './sound-switch.tsx';
import { isUnacknowledged } from './summary.ts';
import './alerts.css';

/** One list over all devices. */
export function AlertsView() {
  const { live, navigation } = useConsole();
  const { alerts: words, common } = texts.value;
  const { query } = navigation.route.value;
  const filter = alertFilterOf(query);
  const opened = useSignal<FleetAlert | null>(null);
  const open = [...live.site.alerts.all.value.values()];
  const counts = { open: open.length, unacknowledged: open.filter(isUnacknowledged).length };
  const { list: _, order: __, ...kept } = Object.fromEntries(query);
  const shelving = useSignal<FleetAlert | null>(null);
  const opening = {
    onOpen: (alert: FleetAlert) => {
      opened.value = alert;
    },
    onShelve: (alert: FleetAlert) => {
      opened.value = null;
      shelving.value = alert;
    },
  };
  const closeShelving = (): void => {
    shelving.value = null;
  };
  const isLost = useIsLost();
  const isLive = filter.list === 'open' || filter.list === 'unacknowledged';
  return (
    <div class="alerts">
      <header>
        <h1>{words.title}</h1>
        <SoundSwitch />
      </header>
      <Tabs
        label={words.lists}
        current={filter.list}
        tabs={ALERT_LISTS.map((list) => ({
          name: list,
          title:
            list in counts
              ? words.countedList(words.listNames[list], counts[list as 'open'])
              : words.listNames[list],
          address: addressOf('alerts', null, { ...kept, list: list === 'open' ? undefined : list }),
        }))}
      />
      <FilterBar names={['severity', ...PLACE_FILTERS]}>
        <SelectFilter
          name="severity"
          label={words.severity}
          any={words.anySeverity}
          options={ALERT_SEVERITIES.toReversed().map((severity) => [severity, common.severities[severity]])}
        />
        <PlaceFilters />
      </FilterBar>
      {isLost && (
        <p class="alerts-lost" role="status">
          {words.notLive}
        </p>
      )}
      {isLive ? (
        <LiveAlerts filter={filter} {...opening} />
      ) : (
        <StoredAlerts key={filter.list} filter={filter} {...opening} />
      )}
      {opened.value !== null && (
        <AlertDialog
          alert={opened.value}
          onShelve={opening.onShelve}
          onClose={() => {
            opened.value = null;
          }}
        />
      )}
      {shelving.value !== null && (
        <ShelveDialog alerts={[shelving.value]} onClose={closeShelving} onDone={closeShelving} />
      )}
    </div>
  );
}
