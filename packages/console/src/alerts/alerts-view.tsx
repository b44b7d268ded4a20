import { ALERT_SEVERITIES, ALERT_TYPES } from '@granary/contract/outline';
import { set } from '../kit/set.ts';
import './alerts-view.css';
import type { Page } from '@granary/client';
import type { FleetAlert } from '@granary/contract/fleet';
import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useConsole, useIsLost, useScope } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { Button } from '../kit/button.tsx';
import { DeviceName } from '../kit/device-name.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { EmptyState } from '../kit/empty-state.tsx';
import { FacilityFilter, FilterBar, PLACE_FILTERS, PlaceFilters, SelectFilter } from '../kit/filter-bar.tsx';
import { useAction } from '../kit/form-state.ts';
import { Failure } from '../kit/messages.tsx';
import { messageText } from '../kit/sentences.ts';
import { SeverityMark } from '../kit/severity-mark.tsx';
import { PageList } from '../kit/table.tsx';
import { Tabs } from '../kit/tabs.tsx';
import { useHeight } from '../kit/use-height.ts';
import { useEventReload, useLoaded, usePages } from '../kit/use-loaded.ts';
import { texts } from '../texts.ts';
import { SavedViews } from '../views/saved-views.tsx';
import { useAcknowledge } from './acknowledge.ts';
import { AcknowledgeDialog, ShelveDialog } from './alert-dialogs.tsx';
import { AlertStatisticsPart } from './alert-statistics.tsx';
import { AlertActions, AlertFacts, AlertTable } from './alert-table.tsx';
import {
  ALERT_LISTS,
  type AlertFilter,
  alertFilterOf,
  chosenAlerts,
  isUnacknowledged,
  queryOf,
} from './alerts.ts';
import { SoundSwitch } from './sound-switch.tsx';

/** Shows one list of alerts of all devices. */
export function AlertsView() {
  const { alerts: words } = texts.value;
  const { query } = useConsole().navigation.route.value;
  const filter = alertFilterOf(query);
  const opened = useSignal<FleetAlert | null>(null);
  const shelving = useSignal<FleetAlert | null>(null);
  const opening = {
    onOpen: (alert: FleetAlert) => set(opened, alert),
    onShelve: (alert: FleetAlert) => {
      opened.value = null;
      shelving.value = alert;
    },
  };
  const closeShelving = (): void => set(shelving, null);
  const isStatistics = query.get('list') === 'statistics';
  const isLost = useIsLost();
  const isLive = filter.list === 'open' || filter.list === 'unacknowledged';
  return (
    <div class="alerts">
      <header>
        <h1>{words.title}</h1>
        <SoundSwitch />
      </header>
      <AlertTabs current={isStatistics ? 'statistics' : filter.list} />
      <details class="alerts-tools" open={!matchMedia('(max-width: 700px)').matches}>
        <summary>{words.filter}</summary>
        {isStatistics ? (
          <FilterBar names={['facility']}>
            <FacilityFilter />
            <SavedViews />
          </FilterBar>
        ) : (
          <AlertFilters />
        )}
      </details>
      {isLost && !isStatistics && (
        <p class="alerts-lost" role="status">
          {words.notLive}
        </p>
      )}
      {isStatistics && <AlertStatisticsPart />}
      {!isStatistics && isLive && <LiveAlerts filter={filter} {...opening} />}
      {!isStatistics && !isLive && <StoredAlerts key={filter.list} filter={filter} {...opening} />}
      {opened.value !== null && (
        <AlertDialog alert={opened.value} onShelve={opening.onShelve} onClose={() => set(opened, null)} />
      )}
      {shelving.value !== null && (
        <ShelveDialog alerts={[shelving.value]} onClose={closeShelving} onDone={closeShelving} />
      )}
    </div>
  );
}

/** The lists of alerts with the number of alerts in them; a change of the list keeps the filter. */
function AlertTabs({ current }: { readonly current: string }) {
  const { client, live, navigation } = useConsole();
  const { alerts: words } = texts.value;
  const open = [...live.site.alerts.all.value.values()];
  const shelved = useLoaded(
    (signal) => client.fleet.alerts({ status: 'shelved', limit: 1_000 }, { signal }),
    [],
  );
  useEventReload(['alert.'], shelved.reload);
  const counts: Readonly<Partial<Record<string, number | string>>> = {
    open: open.length,
    unacknowledged: open.filter(isUnacknowledged).length,
    shelved: countOf(shelved.value),
  };
  const { list: _, order: __, ...kept } = Object.fromEntries(navigation.route.value.query);
  return (
    <Tabs
      label={words.lists}
      current={current}
      tabs={[...ALERT_LISTS, 'statistics' as const].map((list) => ({
        name: list,
        title: countedName(words.listNames[list], counts[list]),
        address: addressOf('alerts', null, { ...kept, list: list === 'open' ? undefined : list }),
      }))}
    />
  );
}

const countOf = (page: Page<FleetAlert> | undefined): number | string | undefined =>
  page === undefined || page.page.next_cursor === null ? page?.data.length : `${page.data.length}+`;

const countedName = (name: string, count: number | string | undefined): string =>
  count === undefined ? name : texts.value.alerts.countedList({ name, count });

function AlertFilters() {
  const { alerts: words, common, alarmHelp } = texts.value;
  return (
    <FilterBar names={['severity', 'type', ...PLACE_FILTERS]}>
      <SelectFilter
        name="severity"
        label={words.severity}
        any={words.anySeverity}
        options={ALERT_SEVERITIES.toReversed().map((severity) => [severity, common.severities[severity]])}
      />
      <SelectFilter
        name="type"
        label={words.type}
        any={words.anyType}
        options={ALERT_TYPES.map((type) => [type, alarmHelp.types[type].name])}
      />
      <PlaceFilters />
      <SavedViews />
    </FilterBar>
  );
}

interface Props {
  /** The alert as it was when the dialog was opened. */
  readonly alert: FleetAlert;
  readonly onClose: () => void;
  readonly onShelve: (alert: FleetAlert) => void;
}

/** Shows everything about one alert, as it is now. */
function AlertDialog({ alert: opened, onClose, onShelve }: Props) {
  const { site } = useConsole().live;
  const alert = site.alerts.all.value.get(opened.alert_id) ?? opened;
  return (
    <Dialog title={texts.value.alerts.one} onClose={onClose}>
      <p>
        <SeverityMark severity={alert.severity} isOutlined={!isUnacknowledged(alert)} />{' '}
        <DeviceName deviceId={alert.device_id} />
      </p>
      <p class="free-text">{messageText(alert)}</p>
      <AlertFacts alert={alert} />
      <AlertActions alert={alert} onShelve={onShelve} />
    </Dialog>
  );
}

interface LiveAlertsProps {
  readonly filter: AlertFilter;
  readonly onOpen: (alert: FleetAlert) => void;
  readonly onShelve: (alert: FleetAlert) => void;
}

/** Shows the open alerts, which the page always knows. */
function LiveAlerts({ filter, ...opening }: LiveAlertsProps) {
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
  if (alerts.length === 0) return <EmptyState drawing="quiet" title={words.empty[filter.list]} />;
  return (
    <>
      <SelectionBar alerts={alerts} selected={selected} />
      <AlertTable alerts={alerts} isSortable selected={selected} {...opening} />
    </>
  );
}

/** Shows alerts that are read from the service, the newest first. */
function StoredAlerts({ filter, ...opening }: LiveAlertsProps) {
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

interface SelectionBarProps {
  /** The alerts that the list shows. */
  readonly alerts: readonly FleetAlert[];
  readonly selected: Signal<ReadonlySet<string>>;
}

/** The actions for several alerts at once. The bar is always there, so that selecting moves nothing. */
function SelectionBar({ alerts, selected }: SelectionBarProps) {
  const { alerts: words } = texts.value;
  const form = useSignal<'acknowledge' | 'shelve' | null>(null);
  const acknowledge = useAcknowledge();
  const { run, isRunning, failure } = useAction();
  const mayOperate = useScope('operate');
  const selectable = alerts.filter(({ status }) => status !== 'resolved');
  const chosen = selectable.filter(({ alert_id }) => selected.value.has(alert_id));
  const bar = useRef<HTMLDivElement>(null);
  useHeight(bar, '--phone-docked-height', mayOperate && chosen.length > 0);
  if (!mayOperate) return null;
  const areAll = chosen.length > 0 && chosen.length === selectable.length;
  const close = (): void => set(form, null);
  const done = (): void => {
    close();
    selected.value = new Set();
  };
  const waiting = chosen.filter(isUnacknowledged);
  const shelvable = chosen.filter(({ shelved_until }) => shelved_until === null);
  return (
    <div class="alerts-selection-place">
      <div ref={bar} class={`alerts-selection ${chosen.length === 0 ? 'none-chosen' : ''}`}>
        <label>
          <input
            type="checkbox"
            checked={areAll}
            onChange={() => set(selected, new Set(areAll ? [] : selectable.map(({ alert_id }) => alert_id)))}
          />
          {chosen.length === 0 ? words.selectAll : words.selectedCount({ count: chosen.length })}
        </label>
        <Button
          isChange
          isBusy={isRunning}
          isDisabled={waiting.length === 0}
          onPress={() => void run(() => acknowledge(waiting).then(done))}
        >
          {texts.value.common.acknowledge}
        </Button>
        <Button
          isChange
          label={words.acknowledgeWithNote}
          isDisabled={waiting.length === 0}
          onPress={() => set(form, 'acknowledge')}
        >
          {words.withNote}
        </Button>
        <Button isChange isDisabled={shelvable.length === 0} onPress={() => set(form, 'shelve')}>
          {words.shelve}
        </Button>
      </div>
      <Failure of={failure} />
      {form.value === 'acknowledge' && <AcknowledgeDialog alerts={chosen} onClose={close} onDone={done} />}
      {form.value === 'shelve' && <ShelveDialog alerts={shelvable} onClose={close} onDone={done} />}
    </div>
  );
}
