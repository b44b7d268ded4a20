import type { Actor } from '@granary/contract/audit';
import type { EndDeclaration } from '@granary/contract/declared-end';
import { useSignal } from '@preact/signals';
import { useConsole } from '../console.ts';
import { Time } from '../parts/age.tsx';
import { DeviceLink } from '../parts/device-link.tsx';
import { DialogButton } from '../parts/forms/dialog-button.tsx';
import { FormDialog } from '../parts/forms/form-dialog.tsx';
import { bound, TextInput } from '../parts/forms/inputs.tsx';
import type { Column } from '../parts/lists/table-column.ts';
import { texts } from '../texts/texts.ts';
import { JobDetail, JobDuration, JobStatus, RequestedBy } from './job-cells.tsx';
import { nameOf, tookMs } from './jobs.ts';

/** What every kind of job has. */
interface Job {
  readonly device_id: string;
  readonly status: string;
  readonly status_detail: string;
  readonly ended_at: string | null;
  readonly requested_by: Actor | null;
}

export interface JobWords<Item> {
  readonly titleOf: (job: Item) => string;
  readonly statusOf: (job: Item) => string;
  readonly isUnderWay: (job: Item) => boolean;
  /** The outcome is not as asked for, or not known. */
  readonly isUnusual: (job: Item) => boolean;
  readonly begin: { readonly title: string; readonly at: (job: Item) => string };
  readonly isOfDevice?: (job: Item) => boolean;
}

export interface Declaration<Item> {
  readonly isOffered: (job: Item) => boolean;
  readonly declare: (job: Item, declaration: EndDeclaration) => Promise<void>;
}

/** The columns that all lists of jobs have, with those of one kind after the status. */
export function jobColumns<Item extends Job>(
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
          {
            name: 'actions',
            title: columns.actions,
            kind: 'actions',
            cell: (job) =>
              declaration.isOffered(job) && (
                <DeclareEnded
                  what={titleOf(job)}
                  deviceId={job.device_id}
                  declare={(given) => declaration.declare(job, given)}
                />
              ),
          },
        ];
  return [
    {
      name: 'device',
      title: table.device,
      kind: 'title',
      sortBy: ({ device_id }) => device_id,
      cell: ({ device_id }) => <DeviceLink deviceId={device_id} />,
    },
    {
      name: 'what',
      title: columns.what,
      sortBy: titleOf,
      cell: (job) => <span class="free-text">{titleOf(job)}</span>,
    },
    {
      name: 'status',
      title: jobs.status,
      sortBy: statusOf,
      cell: (job) => (
        <JobStatus word={statusOf(job)} isUnderWay={words.isUnderWay(job)} isUnusual={words.isUnusual(job)} />
      ),
    },
    ...ofKind,
    {
      name: 'begin',
      title: begin.title,
      sortBy: begin.at,
      cell: (job) => <Time at={begin.at(job)} />,
    },
    {
      name: 'took',
      title: columns.took,
      kind: 'number',
      sortBy: (job) => (job.ended_at === null ? null : tookMs(begin.at(job), job.ended_at, 0)),
      cell: (job) =>
        (job.ended_at !== null || words.isUnderWay(job)) && (
          <JobDuration from={begin.at(job)} to={job.ended_at} />
        ),
    },
    {
      name: 'by',
      title: columns.by,
      sortBy: ({ requested_by }) => nameOf(requested_by),
      cell: (job) => <RequestedBy actor={job.requested_by} isOfDevice={words.isOfDevice?.(job) ?? false} />,
    },
    {
      name: 'detail',
      title: columns.detail,
      kind: 'wide',
      cell: ({ status_detail }) => <JobDetail text={status_detail} />,
    },
    ...actions,
  ];
}

interface Props {
  readonly what: string;
  readonly deviceId: string;
  readonly declare: (declaration: EndDeclaration) => Promise<void>;
}

/** Lets a person who has looked at the device say that a job does not run any more. */
function DeclareEnded({ what, deviceId, declare }: Props) {
  const { live, preferences } = useConsole();
  const { jobs } = texts.value;
  const reason = useSignal('');
  const lookedBy = useSignal(preferences.person.peek());
  const title = jobs.declareEndedOf(what, live.site.devices.nameOf(deviceId));
  return (
    <DialogButton text={jobs.declareEnded} label={title}>
      {(close) => (
        <FormDialog
          title={title}
          submit={jobs.declareEnded}
          onSubmit={() => declare({ reason: reason.peek().trim(), looked_by: lookedBy.peek().trim() })}
          onClose={close}
        >
          <p>{jobs.declareMeans}</p>
          <TextInput label={jobs.reason} hint={jobs.reasonHint} isRequired {...bound(reason)} />
          <TextInput label={jobs.lookedBy} isRequired {...bound(lookedBy)} />
        </FormDialog>
      )}
    </DialogButton>
  );
}
