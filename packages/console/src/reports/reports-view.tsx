import { REPORT_PERIODS } from '@granary/contract/outline';
import './reports-view.css';
import type { NewReportSchedule, ReportPeriod, ReportSchedule } from '@granary/contract/reports';
import { isLanguage, LANGUAGES, languageName } from '@granary/words/languages';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { callOptions, isSharedBrowser, useConsole, useScope } from '../context/console.ts';
import { pageZone } from '../context/page-zone.ts';
import { Button } from '../kit/button.tsx';
import { ConfirmButton, DialogButton, FormDialog } from '../kit/dialog.tsx';
import { download } from '../kit/download.ts';
import { DateFilter, FacilityFilter, FilterBar, LabelFilter, Segments } from '../kit/filter-bar.tsx';
import { useAction, useDraft } from '../kit/form-state.ts';
import { CheckInput, SelectInput, TextArea, TextInput } from '../kit/inputs.tsx';
import { Time } from '../kit/measured.tsx';
import { Failure, Notice } from '../kit/messages.tsx';
import { type Refused, refusalText } from '../kit/sentences.ts';
import { column, PageList, Table, titleColumn } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { TimeInput } from '../kit/time-input.tsx';
import { usePages } from '../kit/use-loaded.ts';
import { ClocksWanted, useClocks, ZoneFilter } from '../kit/zone-filter.tsx';
import { language, texts } from '../texts.ts';

/** Shows the report about a day, a week or a month, as it is mailed and printed. */
export function ReportsView() {
  const console = useConsole();
  const { client, navigation, session } = console;
  const { reports, shifts } = texts.value;
  const { query } = navigation.route.value;
  const [date, facility, label] = ['date', 'facility', 'label'].map((name) => query.get(name) || undefined);
  const period = periodOf(query.get('period'));
  const clocks = useClocks(facility ?? null);
  const asked = {
    period,
    ...(date === undefined ? {} : { date }),
    ...(facility === undefined ? {} : { facility }),
    ...(label === undefined ? {} : { label }),
    ...(clocks.timeZone === undefined ? {} : { tz: clocks.timeZone }),
  };
  const frame = useRef<HTMLIFrameElement>(null);
  const sent = useSignal<string | null>(null);
  const { run, isRunning, failure } = useAction();
  const canAdminister = useScope('admin');
  const send = async (): Promise<void> => {
    sent.value = null;
    const wanted = { ...asked, language: language.value };
    sent.value = (await client.reports.send(wanted, callOptions(console))).email;
  };
  return (
    <div class="reports-view">
      <h1>{reports.title}</h1>
      <FilterBar names={['period', 'date', 'facility', 'label', 'tz']}>
        <Segments
          name="period"
          label={reports.period}
          options={REPORT_PERIODS.map((one) => [one === 'daily' ? '' : one, reports.periods[one]])}
        />
        <DateFilter name="date" label={reports.date} />
        <FacilityFilter />
        <LabelFilter />
        <ZoneFilter clocks={clocks} />
        <Button onPress={() => frame.current?.contentWindow?.print()}>{shifts.print}</Button>
        <Button onPress={() => void run(() => saveCsv(asked))}>CSV</Button>
        {!isSharedBrowser(session) && (
          <Button isChange isBusy={isRunning} onPress={() => void run(send)}>
            {reports.send}
          </Button>
        )}
      </FilterBar>
      <Failure of={failure} />
      {sent.value !== null && <Notice>{reports.sent({ email: sent.value })}</Notice>}
      {clocks.mustChoose ? (
        <ClocksWanted clocks={clocks} />
      ) : (
        <ReportPage
          frame={frame}
          address={`/v1/reports?${new URLSearchParams({ ...asked, language: language.value, format: 'html' })}`}
        />
      )}
      {canAdminister && !isSharedBrowser(session) && <Schedules />}
    </div>
  );
}

/** The period in the address, which may be any text. */
const periodOf = (text: string | null): ReportPeriod =>
  REPORT_PERIODS.find((period) => period === text) ?? 'daily';

async function saveCsv(query: Readonly<Record<string, string>>): Promise<void> {
  const answer = await fetch(`/v1/reports?${new URLSearchParams({ ...query, format: 'csv' })}`);
  if (!answer.ok) throw new Error((await answer.json()).error.message);
  download(`report-${query['period']}.csv`, await answer.text());
}

interface PageProps {
  readonly frame: { readonly current: HTMLIFrameElement | null };
  readonly address: string;
}

/** Shows the page of the service in a frame, in which nothing is run; a refusal of the service is shown instead of it. */
function ReportPage({ frame, address }: PageProps) {
  const refusal = useSignal<Refused | null>(null);
  const observer = useRef<ResizeObserver | null>(null);
  useEffect(() => () => observer.current?.disconnect(), []);

  function loaded(element: HTMLIFrameElement): void {
    observer.current?.disconnect();
    const shown = element.contentDocument;
    if (shown === null) return;
    refusal.value = shown.contentType === 'text/html' ? null : refusalIn(shown.body.textContent);
    const fit = (): void => {
      element.style.height = `${shown.documentElement.offsetHeight}px`;
    };
    observer.current = new ResizeObserver(fit);
    observer.current.observe(shown.documentElement);
  }

  return (
    <>
      {refusal.value !== null && (
        <p class="refusal" role="alert">
          {refusalText(refusal.value)}
        </p>
      )}
      <iframe
        ref={frame as { current: HTMLIFrameElement | null }}
        class="reports-page"
        title={texts.value.reports.title}
        src={address}
        sandbox="allow-same-origin allow-modals"
        hidden={refusal.value !== null}
        onLoad={({ currentTarget }) => loaded(currentTarget)}
      />
    </>
  );
}

function refusalIn(text: string): Refused {
  try {
    return JSON.parse(text).error;
  } catch {
    return { code: 'internal_error', message: text };
  }
}

/** Lists to whom reports are sent, and when. */
function Schedules() {
  const { client } = useConsole();
  const { reports } = texts.value;
  const pages = usePages((page, signal) => client.reports.schedules(page, { signal }), []);
  return (
    <section class="panel" aria-label={reports.schedules}>
      <h2>{reports.schedules}</h2>
      <DialogButton kind="primary" text={reports.add}>
        {(close) => <ScheduleForm schedule={null} onDone={pages.reload} onClose={close} />}
      </DialogButton>
      <PageList pages={pages} empty={reports.none}>
        {(items) => (
          <Table
            label={reports.schedules}
            columns={scheduleColumns(pages.reload)}
            rows={items}
            idOf={({ schedule_id }) => schedule_id}
          />
        )}
      </PageList>
    </section>
  );
}

function scheduleColumns(onDone: () => void): readonly Column<ReportSchedule>[] {
  const { reports, table } = texts.value;
  return [
    titleColumn('name', reports.name, ({ name }) => name),
    column('often', reports.often, {}, ({ period, time }) => `${reports.frequencies[period]}, ${time}`),
    column('facility', table.facility, {}, ({ facility }) => (
      <span class="free-text">{facility ?? table.anyFacility}</span>
    )),
    column('recipients', reports.recipients, {}, ({ recipients }) => (
      <span class="free-text">{recipients.join(', ')}</span>
    )),
    column('next', reports.next, { sortBy: ({ next_at }) => next_at }, ({ next_at, time_zone }) =>
      next_at === null ? reports.off : <Time at={next_at} timeZone={time_zone} />,
    ),
    column('actions', reports.edit, { kind: 'actions' }, (schedule) => (
      <ScheduleActions schedule={schedule} onDone={onDone} />
    )),
  ];
}

interface ActionsProps {
  readonly schedule: ReportSchedule;
  readonly onDone: () => void;
}

function ScheduleActions({ schedule, onDone }: ActionsProps) {
  const console = useConsole();
  const { reports, forms } = texts.value;
  const { name, schedule_id: id } = schedule;
  return (
    <>
      <DialogButton text={reports.edit} label={reports.editOf({ name })}>
        {(close) => <ScheduleForm schedule={schedule} onDone={onDone} onClose={close} />}
      </DialogButton>
      <ConfirmButton
        text={forms.remove}
        label={reports.removeOf({ name })}
        means={reports.removeMeans}
        onConfirm={async () => {
          await console.client.reports.removeSchedule(id, callOptions(console));
          onDone();
        }}
      />
    </>
  );
}

interface FormProps {
  /** The schedule that is edited; `null` for a new one. */
  readonly schedule: ReportSchedule | null;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** The fields of the form; those of a new schedule are the usual ones. */
const draftOfSchedule = (schedule: ReportSchedule | null) => ({
  name: schedule?.name ?? '',
  period: schedule?.period ?? ('daily' as string),
  time: schedule?.time ?? '06:00',
  timeZone: schedule?.time_zone ?? pageZone.peek(),
  facility: schedule?.facility ?? '',
  label: schedule?.label ?? '',
  recipients: schedule?.recipients.join('\n') ?? '',
  language: schedule?.language ?? (language.value as string),
  attachCsv: schedule?.attach_csv ?? true,
  enabled: schedule?.enabled ?? true,
});

const scheduleOf = (draft: ReturnType<typeof draftOfSchedule>): NewReportSchedule => ({
  name: draft.name.trim(),
  period: periodOf(draft.period),
  recipients: draft.recipients.split(/[\s,;]+/).filter((address) => address !== ''),
  time: draft.time,
  time_zone: draft.timeZone.trim(),
  enabled: draft.enabled,
  attach_csv: draft.attachCsv,
  ...(isLanguage(draft.language) ? { language: draft.language } : {}),
  ...(draft.facility === '' ? {} : { facility: draft.facility }),
  ...(draft.label === '' ? {} : { label: draft.label }),
});

function ScheduleForm({ schedule, onDone, onClose }: FormProps) {
  const console = useConsole();
  const { client, live } = console;
  const { reports, common, table } = texts.value;
  const { current, field } = useDraft(draftOfSchedule(schedule));

  async function save(): Promise<void> {
    const changed = scheduleOf(current.peek());
    if (schedule === null) await client.reports.createSchedule(changed, callOptions(console));
    else await client.reports.replaceSchedule(schedule.schedule_id, changed, callOptions(console));
    onDone();
  }

  const facilities = new Set([
    ...live.site.devices.facilities.value,
    ...(schedule?.facility ? [schedule.facility] : []),
  ]);
  const labels = new Set([...live.site.devices.labels.value, ...(schedule?.label ? [schedule.label] : [])]);
  return (
    <FormDialog
      title={schedule === null ? reports.add : reports.editOf({ name: schedule.name })}
      submit={common.save}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput label={reports.name} isRequired maxLength={200} {...field('name')} />
      <SelectInput
        label={reports.often}
        options={REPORT_PERIODS.map((period) => [period, reports.frequencies[period]])}
        {...field('period')}
      />
      <TimeInput label={reports.time} kind="time" isRequired {...field('time')} />
      <TextInput label={reports.timeZone} isRequired maxLength={64} {...field('timeZone')} />
      <SelectInput
        label={table.facility}
        options={[['', table.anyFacility], ...[...facilities].map((name) => [name, name] as const)]}
        {...field('facility')}
      />
      {labels.size > 0 && (
        <SelectInput
          label={table.label}
          options={[['', table.anyLabel], ...[...labels].map((name) => [name, name] as const)]}
          {...field('label')}
        />
      )}
      <TextArea
        label={reports.recipients}
        hint={reports.recipientsHint}
        isRequired
        {...field('recipients')}
      />
      <SelectInput
        label={reports.language}
        options={LANGUAGES.map((name) => [name, languageName(name)])}
        {...field('language')}
      />
      <CheckInput label={reports.attachCsv} {...field('attachCsv')} />
      <CheckInput label={reports.enabled} {...field('enabled')} />
    </FormDialog>
  );
}
