import './shift-view.css';
import { placeOfZone } from '@granary/common/time-text';
import type { Handover, ShiftReport } from '@granary/contract/shifts';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { callOptions, useConsole, useScope } from '../context/console.ts';
import { pageZone } from '../context/page-zone.ts';
import { addressOf } from '../context/routes.ts';
import { orderSentence } from '../foresight/forecast-words.ts';
import { Button } from '../kit/button.tsx';
import { DeviceName } from '../kit/device-name.tsx';
import { DialogButton, FormDialog } from '../kit/dialog.tsx';
import { FacilityFilter, FilterBar, TimeFilter } from '../kit/filter-bar.tsx';
import { useAction } from '../kit/form-state.ts';
import { formatMinute, timesInWords, utcTime, zoneOf } from '../kit/format.ts';
import { bound, TextArea } from '../kit/inputs.tsx';
import { Failure, Notice } from '../kit/messages.tsx';
import { actionText, messageText, statusText } from '../kit/sentences.ts';
import { SeverityMark } from '../kit/severity-mark.tsx';
import { useEventReload, useLoaded } from '../kit/use-loaded.ts';
import { ClocksWanted, useClocks, ZoneFilter } from '../kit/zone-filter.tsx';
import { withoutLowBehindCritical } from '../live/site.ts';
import { nameOf, operationTitle } from '../operations/jobs.ts';
import { locale, texts } from '../texts.ts';
import { AddNote } from './notes.tsx';

/** Shows what happened since the beginning of the shift, and what the previous shift has handed over. */
export function ShiftView() {
  const { client, live, navigation } = useConsole();
  const { shifts, table, shell } = texts.value;
  const { query } = navigation.route.value;
  const facility = query.get('facility') || null;
  const from = timeIn(query.get('from'));
  const clocks = useClocks(facility);
  const filters = {
    ...(facility === null ? {} : { facility }),
    ...(from === null ? {} : { from }),
    ...(clocks.timeZone === undefined ? {} : { tz: clocks.timeZone }),
  };
  const {
    value: loaded,
    failure,
    reload,
  } = useLoaded(clocks.mustChoose ? null : (signal) => client.shifts.report(filters, { signal }), [
    client,
    facility,
    from,
    clocks.timeZone,
  ]);
  useEventReload(['note.'], reload);
  const report = clocks.mustChoose ? undefined : loaded;
  const zone = report === undefined ? pageZone.value : zoneOf(report);
  const shown = (at: string): string => formatMinute(at, live.site.clock.nowMs.peek(), locale.value, zone);
  return (
    <div class="shift-view">
      <header>
        <h1>{report === undefined ? shifts.title : shifts.since({ time: shown(report.from) })}</h1>
        {report !== undefined && (
          <p class="muted free-text">
            {[
              shifts.asOf({ time: shown(report.to), place: facility ?? table.anyFacility }),
              shifts.timesOf({ place: placeOfZone(zone) }),
              shifts.begin({ times: timesInWords(report.shift_starts, locale.value) }),
            ].join(' · ')}
          </p>
        )}
      </header>
      <FilterBar names={['facility', 'from', 'tz']}>
        <FacilityFilter />
        <ZoneFilter clocks={clocks} />
        <TimeFilter name="from" label={shifts.start} usual={report?.from} timeZone={zone} />
        <Button onPress={reload}>{shifts.refresh}</Button>
        <Button onPress={() => print()}>{shifts.print}</Button>
      </FilterBar>
      <Failure of={failure} />
      {clocks.mustChoose && <ClocksWanted clocks={clocks} />}
      {report === undefined && !clocks.mustChoose && failure === null && <Notice>{shell.loading}</Notice>}
      {report !== undefined && (
        <>
          <HandoverPanel report={report} />
          <div class="shift-parts">
            <ReportParts report={report} reload={reload} />
          </div>
        </>
      )}
    </div>
  );
}

/** The time in the address, which may be any text. */
function timeIn(text: string | null): string | null {
  const timeMs = Date.parse(text ?? '');
  return Number.isNaN(timeMs) ? null : new Date(timeMs).toISOString();
}

/** Shows the handovers that nobody has acknowledged, and the form for the next one. */
function HandoverPanel({ report }: { readonly report: ShiftReport }) {
  const console = useConsole();
  const { client, session } = console;
  const { shifts } = texts.value;
  const canOperate = useScope('operate');
  const { run, isRunning, failure } = useAction();
  const of = report.facility === null ? {} : { facility: report.facility };
  const waiting = useLoaded(
    (signal) => client.shifts.handovers({ ...of, waiting: 'true', limit: 1 }, { signal }),
    [client, report.facility],
  );
  useEventReload(['handover.'], waiting.reload);
  const handover = waiting.value?.data[0];
  const acknowledge = ({ handover_id }: Handover): Promise<boolean> =>
    run(async () => {
      await client.shifts.acknowledgeHandover(handover_id, callOptions(console));
      waiting.reload();
    });
  // A limited key hands over one of its facilities.
  const place =
    report.facility ?? (session.facilities?.length === 1 ? (session.facilities[0] ?? null) : null);
  const isPlaced = place !== null || (session.facilities === null && session.device_ids === null);
  return (
    <section class="panel shift-handover" aria-label={shifts.handover}>
      <h2>{shifts.handover}</h2>
      {handover === undefined ? (
        <p class="muted">{shifts.nothingWaits}</p>
      ) : (
        <>
          <p class="free-text">{handover.text}</p>
          <p class="muted free-text">
            {[nameOf(handover.created_by), handover.facility].filter(Boolean).join(' · ')}{' '}
            <ShiftTime at={handover.created_at} timeZone={zoneOf(report)} />
          </p>
          {canOperate && (
            <Button kind="primary" isChange isBusy={isRunning} onPress={() => void acknowledge(handover)}>
              {shifts.acknowledge}
            </Button>
          )}
        </>
      )}
      <Failure of={failure ?? waiting.failure} />
      {canOperate && isPlaced && (
        <DialogButton text={shifts.handOver}>
          {(close) => <HandoverForm report={report} place={place} onDone={waiting.reload} onClose={close} />}
        </DialogButton>
      )}
    </section>
  );
}

interface HandoverFormProps {
  readonly report: ShiftReport;
  readonly place: string | null;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function HandoverForm({ report, place, onDone, onClose }: HandoverFormProps) {
  const console = useConsole();
  const { from, to } = report;
  const zone = zoneOf(report);
  const { shifts, table } = texts.value;
  const text = useSignal('');
  return (
    <FormDialog
      title={shifts.handOver}
      submit={shifts.handOver}
      isIncomplete={text.value.trim() === ''}
      onSubmit={async () => {
        const handover = { facility: place, from, to, text: text.peek().trim() };
        await console.client.shifts.handOver(handover, callOptions(console));
        onDone();
      }}
      onClose={onClose}
    >
      <p class="muted free-text">
        {place ?? table.anyFacility}: <ShiftTime at={from} timeZone={zone} /> –{' '}
        <ShiftTime at={to} timeZone={zone} /> · {shifts.timesOf({ place: placeOfZone(zone) })}
      </p>
      <TextArea label={shifts.handoverText} rows={6} maxLength={4_000} isRequired {...bound(text)} />
    </FormDialog>
  );
}

interface Line {
  readonly key: string;
  readonly at: string;
  readonly deviceId: string | null;
  readonly what: string;
  readonly detail: string | null;
  readonly sign?: ComponentChildren;
}

/** Shows a time to the minute in the time zone of the site, which the head of the page names; the exact time in UTC on hover. */
function ShiftTime({ at, timeZone }: { readonly at: string; readonly timeZone: string }) {
  const { nowMs } = useConsole().live.site.clock;
  return (
    <time dateTime={at} title={utcTime(at)}>
      {formatMinute(at, nowMs.peek(), locale.value, timeZone)}
    </time>
  );
}

interface PartProps {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly hasMore: boolean;
  readonly timeZone: string;
  /** The address of the view with all entries. */
  readonly address: string;
  readonly isWide?: boolean;
  readonly children?: ComponentChildren;
}

function Part({ title, lines, hasMore, timeZone, address, isWide = false, children }: PartProps) {
  const { shifts } = texts.value;
  return (
    <section
      class={`panel ${isWide ? 'shift-changes' : ''} ${lines.length === 0 ? 'none' : ''}`}
      aria-label={title}
    >
      <h2>{shifts.counted({ title, count: `${lines.length}${hasMore ? '+' : ''}` })}</h2>
      {lines.length === 0 && <p class="muted">{shifts.nothing}</p>}
      <ul class="shift-lines" hidden={lines.length === 0}>
        {lines.map(({ key, at, deviceId, what, detail, sign }) => (
          <li key={key}>
            <ShiftTime at={at} timeZone={timeZone} />
            <span>{sign}</span>
            <div>
              {deviceId !== null && (
                <p>
                  <DeviceName deviceId={deviceId} />
                </p>
              )}
              <p>
                <span class="free-text">{what}</span>
                {detail !== null && <span class="muted free-text"> · {detail}</span>}
              </p>
            </div>
          </li>
        ))}
      </ul>
      {hasMore && <a href={address}>{shifts.more}</a>}
      {children}
    </section>
  );
}

function ReportParts({ report, reload }: { readonly report: ShiftReport; readonly reload: () => void }) {
  const nowMs = useConsole().live.site.clock.nowMs.peek();
  const { shifts } = texts.value;
  const place = report.facility === null ? {} : { facility: report.facility };
  const part = <Item,>(
    { items, has_more }: { readonly items: readonly Item[]; readonly has_more: boolean },
    lineOf: (item: Item) => Line,
  ) => ({ lines: items.map(lineOf), hasMore: has_more, timeZone: zoneOf(report) });
  return (
    <>
      <Part
        title={shifts.openAlerts}
        address={addressOf('alerts', null, place)}
        {...part(oneForEachCause(report.open_alerts), alertLine)}
      />
      <Part
        title={shifts.raised}
        address={addressOf('alerts', null, { ...place, list: 'statistics' })}
        {...part(oneForEachCause(report.raised_alerts), raisedLine)}
      />
      <Part
        title={shifts.operations}
        address={addressOf('operations', null, place)}
        {...part(report.operations, operationLine)}
      />
      <Part title={shifts.notes} address={addressOf('shift')} {...part(report.notes, noteLine)}>
        {report.facility !== null && <AddNote place={{ facility: report.facility }} onDone={reload} />}
      </Part>
      <Part
        title={shifts.orders}
        address={addressOf('orders')}
        {...part(report.orders, (forecast) => orderLine(forecast, report.to, nowMs))}
      />
      <Part
        title={shifts.missions}
        address={addressOf('operations', 'missions', place)}
        {...part(report.missions, missionLine)}
      />
      <Part
        title={shifts.commands}
        address={addressOf('operations', 'commands', place)}
        {...part(report.commands, commandLine)}
      />
      <Part
        title={shifts.shelved}
        address={addressOf('alerts', null, { ...place, list: 'shelved' })}
        {...part(oneForEachCause(report.shelved_alerts), alertLine)}
      />
      {report.changes !== null && (
        <Part
          title={shifts.changes}
          isWide
          address={addressOf('administration', 'audit')}
          {...part(report.changes, changeLine)}
        />
      )}
    </>
  );
}

type CausedAlert = Parameters<typeof withoutLowBehindCritical>[0][number];

const oneForEachCause = <Alert extends CausedAlert>(list: {
  readonly items: readonly Alert[];
  readonly has_more: boolean;
}) => ({ ...list, items: withoutLowBehindCritical(list.items) });

type ItemOf<List> = NonNullable<List> extends { readonly items: readonly (infer Item)[] } ? Item : never;
type Item<Name extends keyof ShiftReport> = ItemOf<ShiftReport[Name]>;

const joined = (...parts: readonly (string | null)[]): string => parts.filter(Boolean).join(' · ');

const alertLine = (alert: Item<'open_alerts'>): Line => ({
  key: alert.alert_id,
  at: alert.created_at,
  deviceId: alert.device_id,
  what: messageText(alert),
  detail: alert.shelve_reason ?? alert.note ?? alert.acknowledged_by,
  sign: <SeverityMark severity={alert.severity} text="" isOutlined={alert.status === 'acknowledged'} />,
});

const raisedLine = ({ device_id, type, last_at, raised, severity }: Item<'raised_alerts'>): Line => ({
  key: `${device_id} ${type}`,
  at: last_at,
  deviceId: device_id,
  what: texts.value.alarmHelp.types[type].name,
  detail: raised > 1 ? texts.value.shifts.times({ count: raised }) : null,
  sign: <SeverityMark severity={severity} text="" />,
});

const operationLine = (operation: Item<'operations'>): Line => ({
  key: operation.operation_id,
  at: operation.started_at,
  deviceId: operation.device_id,
  what: operationTitle(operation),
  detail: joined(nameOf(operation.requested_by), statusText(operation)),
});

const noteLine = ({ note_id, at, device_id, text, facility, created_by }: Item<'notes'>): Line => ({
  key: note_id,
  at,
  deviceId: device_id,
  what: text,
  detail: joined(device_id === null ? facility : null, nameOf(created_by)),
});

function orderLine(forecast: Item<'orders'>, noTime: string, nowMs: number): Line {
  const words = texts.value.foresight;
  const timeZone = zoneOf(forecast);
  return {
    key: forecast.device_id,
    at: forecast.order_by ?? noTime,
    deviceId: forecast.device_id,
    what: orderSentence(forecast, { nowMs, language: locale.value, words, timeZone }) ?? '',
    detail: forecast.product,
  };
}

const missionLine = (mission: Item<'missions'>): Line => ({
  key: mission.mission_id,
  at: mission.started_at ?? mission.scheduled_start,
  deviceId: mission.device_id,
  what: mission.mission_name,
  detail: statusText(mission),
});

const commandLine = (command: Item<'commands'>): Line => ({
  key: command.command_id,
  at: command.created_at,
  deviceId: command.device_id,
  what: texts.value.commands.names[command.command],
  detail: joined(nameOf(command.requested_by), statusText(command)),
});

const changeLine = ({ audit_id, at, device_id, action, actor }: Item<'changes'>): Line => ({
  key: audit_id,
  at,
  deviceId: device_id,
  what: actionText(action),
  detail: nameOf(actor),
});
