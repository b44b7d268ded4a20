import type { CallOptions, Page } from '@granary/client';
import type { Actor } from '@granary/contract/audit';
import type { EndDeclaration } from '@granary/contract/declared-end';
import { useSignal } from '@preact/signals';
import { confirmed } from '../context/confirmed.ts';
import { personOf, useConsole, useScope } from '../context/console.ts';
import { DeviceName } from '../kit/device-name.tsx';
import { ConfirmButton } from '../kit/dialog.tsx';
import { FactList } from '../kit/fact-list.tsx';
import { formatDuration } from '../kit/format.ts';
import { bound, TextInput } from '../kit/inputs.tsx';
import { statusText } from '../kit/sentences.ts';
import { column, PageList, Table, textColumn, timeColumn } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { type PageRequest, useEventReload, usePages } from '../kit/use-loaded.ts';
import { texts } from '../texts.ts';
import { actorText, type JobKind, type JobQuery, jobQuery, nameOf, tookMs } from './jobs.ts';

/** The fields that every kind of job has. */
interface Job {
  readonly device_id: string;
  readonly status: string;
  readonly status_detail: string;
  readonly status_code: string;
  readonly status_values: Readonly<Record<string, unknown>>;
  readonly ended_at: string | null;
  readonly requested_by: Actor | null;
}

interface JobWords<Item> {
  readonly titleOf: (job: Item) => string;
  readonly statusOf: (job: Item) => string;
  readonly isUnderWay: (job: Item) => boolean;
  /** True when the outcome is not as requested, or not known. */
  readonly isUnusual: (job: Item) => boolean;
  readonly begin: { readonly title: string; readonly at: (job: Item) => string };
  /** The text for an empty list. */
  readonly none: string;
  readonly isOfDevice?: (job: Item) => boolean;
}

interface Declaration<Item> {
  readonly isOffered: (job: Item) => boolean;
  readonly declare: (job: Item, declaration: EndDeclaration) => Promise<void>;
}

interface JobTableProps<Item extends Job, Status extends string> {
  readonly kind: JobKind;
  /** The beginning of the types of the events of these jobs. */
  readonly events: string;
  readonly statuses: readonly Status[];
  readonly list: (
    query: JobQuery<Status> & PageRequest,
    options: { readonly signal: AbortSignal },
  ) => Promise<Page<Item>>;
  readonly idOf: (job: Item) => string;
  /** The jobs that have not ended, as they are now. */
  readonly underWay: ReadonlyMap<string, Item>;
  readonly words: JobWords<Item>;
  /** The column that only this kind has. */
  readonly ofKind?: Column<Item>;
  readonly canDeclare: (job: Item) => boolean;
  readonly declare: (job: Item, declaration: EndDeclaration, options: CallOptions) => Promise<unknown>;
}

/** Lists one kind of jobs, the newest first. */
export function JobTable<Item extends Job, Status extends string>(props: JobTableProps<Item, Status>) {
  const { kind, events, statuses, list, idOf, underWay, words, ofKind, canDeclare, declare } = props;
  const console = useConsole();
  const isAdmin = useScope('admin');
  const query = jobQuery(console.navigation.route.value, statuses);
  const pages = usePages(
    (page, signal) => list({ ...query, ...page }, { signal }),
    [query.status, query.facility, query.device_id],
  );
  useEventReload([events], pages.reload);
  const declaration: Declaration<Item> = {
    isOffered: canDeclare,
    declare: async (job, given) => {
      const what = {
        title: texts.value.jobs.declareEndedOf({
          what: words.titleOf(job),
          device: console.live.site.devices.nameOf(job.device_id),
        }),
        plan: <Declared {...given} />,
        action: `${kind}.declareEnded` as const,
        device_id: job.device_id,
        resource_id: idOf(job),
        body: given,
      };
      await confirmed(console, what, (options) => declare(job, given, options));
      pages.reload();
    },
  };
  return (
    <PageList pages={pages} {...(Object.keys(query).length === 0 ? { empty: words.none } : {})}>
      {(items) => (
        <Table
          label={texts.value.jobs.kinds[kind]}
          columns={jobColumns(words, ofKind === undefined ? [] : [ofKind], isAdmin ? declaration : null)}
          rows={items.map((item) => underWay.get(idOf(item)) ?? item)}
          idOf={idOf}
        />
      )}
    </PageList>
  );
}

/** The columns that all lists of jobs have, with those of one kind after the status. */
function jobColumns<Item extends Job>(
  words: JobWords<Item>,
  ofKind: readonly Column<Item>[],
  declaration: Declaration<Item> | null,
): readonly Column<Item>[] {
  const { jobs, table } = texts.value;
  const { columns } = jobs;
  const { titleOf, statusOf, begin } = words;
  const actions: Column<Item>[] =
    declaration === null
      ? []
      : [
          column(
            'actions',
            columns.actions,
            { kind: 'actions' },
            (job) =>
              declaration.isOffered(job) && (
                <DeclareEnded
                  what={titleOf(job)}
                  deviceId={job.device_id}
                  declare={(given) => declaration.declare(job, given)}
                />
              ),
          ),
        ];
  return [
    column(
      'device',
      table.device,
      { kind: 'title', sortBy: ({ device_id }) => device_id },
      ({ device_id }) => <DeviceName deviceId={device_id} />,
    ),
    textColumn('what', columns.what, titleOf),
    column('status', jobs.status, { sortBy: statusOf }, (job) => (
      <JobStatus word={statusOf(job)} isUnderWay={words.isUnderWay(job)} isUnusual={words.isUnusual(job)} />
    )),
    ...ofKind,
    timeColumn('begin', begin.title, begin.at),
    column(
      'took',
      columns.took,
      {
        kind: 'number',
        sortBy: (job) => (job.ended_at === null ? null : tookMs(begin.at(job), job.ended_at, 0)),
      },
      (job) =>
        (job.ended_at !== null || words.isUnderWay(job)) && (
          <JobDuration from={begin.at(job)} to={job.ended_at} />
        ),
    ),
    column('by', columns.by, { sortBy: ({ requested_by }) => nameOf(requested_by) }, (job) => (
      <RequestedBy actor={job.requested_by} isOfDevice={words.isOfDevice?.(job) ?? false} />
    )),
    column('detail', columns.detail, { kind: 'wide' }, (job) => (
      <span class="job-detail free-text">{statusText(job)}</span>
    )),
    ...actions,
  ];
}

/** The facts about a declaration that a second person confirms. */
function Declared({ reason, looked_by }: EndDeclaration) {
  const { jobs } = texts.value;
  return (
    <>
      <p>{jobs.declareMeans}</p>
      <FactList
        facts={[
          { title: jobs.reason, value: reason },
          { title: jobs.lookedBy, value: looked_by },
        ]}
      />
    </>
  );
}

interface Props {
  readonly what: string;
  readonly deviceId: string;
  readonly declare: (declaration: EndDeclaration) => Promise<void>;
}

/** Lets a person who has looked at the device declare that a job does not run any more. */
function DeclareEnded({ what, deviceId, declare }: Props) {
  const { live, preferences, session } = useConsole();
  const { jobs } = texts.value;
  const reason = useSignal('');
  const lookedBy = useSignal(personOf({ preferences, session }));
  return (
    <ConfirmButton
      text={jobs.declareEnded}
      label={jobs.declareEndedOf({ what, device: live.site.devices.nameOf(deviceId) })}
      means={jobs.declareMeans}
      onConfirm={() => declare({ reason: reason.peek().trim(), looked_by: lookedBy.peek().trim() })}
    >
      <TextInput label={jobs.reason} hint={jobs.reasonHint} isRequired {...bound(reason)} />
      <TextInput label={jobs.lookedBy} isRequired {...bound(lookedBy)} />
    </ConfirmButton>
  );
}

interface StatusProps {
  readonly word: string;
  readonly isUnderWay: boolean;
  /** True when the outcome is not as requested, or not known. */
  readonly isUnusual: boolean;
}

/** Shows a status in words. A running or failed job is bold, because no alarm colour may be used for it. */
const JobStatus = ({ word, isUnderWay, isUnusual }: StatusProps) => (
  <span class={`job-status ${isUnderWay ? 'under-way' : ''} ${isUnusual ? 'unusual' : ''}`}>{word}</span>
);

function JobDuration({ from, to }: { readonly from: string; readonly to: string | null }) {
  const { nowMs } = useConsole().live.site.clock;
  return <>{formatDuration(tookMs(from, to, to === null ? nowMs.value : 0))}</>;
}

export function RequestedBy({
  actor,
  isOfDevice = false,
}: {
  readonly actor: Actor | null;
  readonly isOfDevice?: boolean;
}) {
  const { jobs } = texts.value;
  const name = actorText(actor);
  if (name === null) return <span class="muted">{isOfDevice ? jobs.atTheDevice : jobs.byTheService}</span>;
  return <span class="free-text">{name}</span>;
}
