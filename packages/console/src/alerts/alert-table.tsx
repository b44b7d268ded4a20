import type { FleetAlert } from '@granary/contract/fleet';
import { aboutAddress } from '@granary/contract/page-addresses';
import type { Signal } from '@preact/signals';
import { useConsole, useScope } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { DeviceName } from '../kit/device-name.tsx';
import { useAction } from '../kit/form-state.ts';
import { Age, Time } from '../kit/measured.tsx';
import { Failure } from '../kit/messages.tsx';
import { messageText } from '../kit/sentences.ts';
import { SeverityMark } from '../kit/severity-mark.tsx';
import { column, Table } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { locale, texts } from '../texts.ts';
import { AcknowledgeButton } from './acknowledge-button.tsx';
import { AlertHelp } from './alert-help.tsx';
import { isUnacknowledged, urgencyOf, valueAgainstThreshold } from './alerts.ts';
import { useShelving } from './shelving.ts';

interface Props {
  readonly alerts: readonly FleetAlert[];
  /** True when the view orders the alerts; a list that is read by pages keeps the order of the service. */
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
    column('severity', words.severity, { sortBy: (alert) => -urgencyOf(alert) }, (alert) => (
      <SeverityMark severity={alert.severity} isOutlined={!isUnacknowledged(alert)} />
    )),
    column(
      'device',
      words.device,
      { kind: 'title', sortBy: ({ device_id }) => nameOf(device_id) },
      ({ device_id }) => <DeviceName deviceId={device_id} />,
    ),
    column('message', words.message, {}, (alert) => (
      <Button kind="quiet" onPress={() => onOpen(alert)}>
        <span class="free-text">{messageText(alert)}</span>
      </Button>
    )),
    column('value', words.value, { kind: 'number' }, (alert) =>
      valueAgainstThreshold(alert, site.devices.find(alert.device_id)?.peek().readings, locale.value),
    ),
    column(
      'age',
      words.age,
      { kind: 'number', sortBy: ({ created_at }) => -Date.parse(created_at) },
      ({ created_at }) => <Age since={created_at} />,
    ),
    column('state', words.state, { sortBy: ({ status }) => words.statuses[status] }, (alert) => (
      <AlertState alert={alert} />
    )),
    column('actions', words.actions, { kind: 'actions' }, (alert) => (
      <AlertActions alert={alert} onShelve={onShelve} />
    )),
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
    <label class="alerts-choice">
      <input
        type="checkbox"
        aria-label={texts.value.alerts.selectOf({ name, message })}
        checked={selected.value.has(alert_id)}
        onChange={({ currentTarget }) => {
          const next = new Set(selected.peek());
          if (currentTarget.checked) next.add(alert_id);
          else next.delete(alert_id);
          selected.value = next;
        }}
      />
    </label>
  );
}

interface AlertActionsProps {
  readonly alert: FleetAlert;
  /** Opens the form for shelving. */
  readonly onShelve: (alert: FleetAlert) => void;
}

/** The actions that are possible with one alert now. */
export function AlertActions({ alert, onShelve }: AlertActionsProps) {
  const { alerts } = texts.value;
  const { unshelve } = useShelving();
  const { run, isRunning, failure } = useAction();
  if (!useScope('operate') || alert.status === 'resolved') return null;
  return (
    <span class="alerts-actions">
      {isUnacknowledged(alert) && <AcknowledgeButton alert={alert} />}
      {alert.shelved_until === null ? (
        <span class="alerts-shelve">
          <Button isChange onPress={() => onShelve(alert)}>
            {alerts.shelve}
          </Button>
        </span>
      ) : (
        <Button isBusy={isRunning} isChange onPress={() => void run(() => unshelve(alert))}>
          {alerts.unshelve}
        </Button>
      )}
      <Failure of={failure} />
    </span>
  );
}

/** Says in words whether the condition is still present, who has acknowledged the alert, and until when it is shelved. */
function AlertState({ alert }: { readonly alert: FleetAlert }) {
  const { alerts } = texts.value;
  return (
    <>
      <span>{alerts.statuses[alert.status]}</span>
      {alert.acknowledged_by !== null && (
        <span class="muted free-text">
          {' · '}
          {alerts.by({ person: alert.acknowledged_by })}
        </span>
      )}
      {alert.shelved_until !== null && (
        <span class="muted">
          {' · '}
          {alerts.shelvedUntil} <Time at={alert.shelved_until} />
        </span>
      )}
      {alert.note !== null && alert.note !== '' && (
        <span class="alerts-note muted free-text" title={alert.note}>
          “{alert.note}”
        </span>
      )}
    </>
  );
}

/** Shows everything that is stored about an alert. */
export function AlertFacts({ alert }: { readonly alert: FleetAlert }) {
  const { alerts } = texts.value;
  const times = [
    ['raised', alert.created_at, null],
    ['acknowledged', alert.acknowledged_at, alert.acknowledged_by],
    ['cleared', alert.cleared_at, null],
    ['resolved', alert.resolved_at, null],
  ] as const;
  return (
    <>
      <dl class="alerts-facts">
        {times.map(
          ([step, at, by]) =>
            at !== null && (
              <div key={step}>
                <dt>{alerts.steps[step]}</dt>
                <dd>
                  <Time at={at} />{' '}
                  <span class="muted">
                    (<Age since={at} />)
                  </span>
                  {by !== null && <span class="free-text"> {alerts.by({ person: by })}</span>}
                </dd>
              </div>
            ),
        )}
        {alert.about !== undefined && (
          <div>
            <dt>{alerts.about}</dt>
            <dd>
              <a href={aboutAddress(alert.device_id, alert.about)}>{alerts.showAbout[alert.about.kind]}</a>
            </dd>
          </div>
        )}
        {alert.note !== null && (
          <div>
            <dt>{alerts.note}</dt>
            <dd class="free-text">{alert.note}</dd>
          </div>
        )}
        {alert.shelved_until !== null && (
          <div>
            <dt>{alerts.shelvedUntil}</dt>
            <dd class="free-text">
              <Time at={alert.shelved_until} />
              {alert.shelved_by !== null && ` ${alerts.by({ person: alert.shelved_by })}`}:{' '}
              {alert.shelve_reason}
            </dd>
          </div>
        )}
      </dl>
      <AlertHelp alert={alert} />
    </>
  );
}
