import { AUDIT_RESULTS } from '@granary/contract/outline';
import { FactList } from '../kit/fact-list.tsx';
import './audit-page.css';
import type { AuditEntry } from '@granary/contract/audit';
import { useSignal } from '@preact/signals';
import { useConsole } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { DeviceName } from '../kit/device-name.tsx';
import { Dialog, DialogButton } from '../kit/dialog.tsx';
import { download } from '../kit/download.ts';
import {
  DateFilter,
  FilterBar,
  PLACE_FILTERS,
  PlaceFilters,
  SelectFilter,
  TextFilter,
} from '../kit/filter-bar.tsx';
import { useAction } from '../kit/form-state.ts';
import { Time } from '../kit/measured.tsx';
import { Failure, Notice } from '../kit/messages.tsx';
import { actionText } from '../kit/sentences.ts';
import { column, PageList, Table, textColumn } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { useLoaded, usePages } from '../kit/use-loaded.ts';
import { actorText, nameOf } from '../operations/jobs.ts';
import { texts } from '../texts.ts';
import { auditCsv, auditQuery } from './audit-query.ts';

/** The number of people that the service returns at once. */
const PEOPLE_AT_ONCE = 1_000;
/** The file contains at most this many of the newest entries; a filter by day selects others. */
const CSV_LINES_MAX = 20_000;

/** Shows every change and every refused attempt, the newest first. */
export function AuditPage() {
  const { client, navigation } = useConsole();
  const { audit } = texts.value;
  const query = auditQuery(navigation.route.value.query);
  const pages = usePages(
    (page, signal) => client.audit.list({ ...query, ...page }, { signal }),
    [JSON.stringify(query)],
  );
  const people = useLoaded(
    (signal) => Array.fromAsync(client.people.listAll({ limit: PEOPLE_AT_ONCE }, { signal })),
    [],
  );
  const csv = useAction();
  const isCut = useSignal(false);
  const saveCsv = async (): Promise<void> => {
    const entries: AuditEntry[] = [];
    for await (const entry of client.audit.listAll(query)) {
      entries.push(entry);
      if (entries.length === CSV_LINES_MAX) break;
    }
    isCut.value = entries.length === CSV_LINES_MAX;
    download(`audit_${new Date().toISOString().slice(0, 10)}.csv`, auditCsv(entries));
  };
  return (
    <>
      <FilterBar names={['day', 'key', 'result', 'action', 'actor', ...PLACE_FILTERS]}>
        <DateFilter name="day" label={audit.day} />
        <SelectFilter
          name="key"
          label={audit.person}
          any={audit.everybody}
          options={(people.value ?? []).map(({ person_id, name }) => [person_id, name])}
        />
        <SelectFilter
          name="result"
          label={audit.result}
          any={audit.anyResult}
          options={AUDIT_RESULTS.map((result) => [result, audit.results[result]])}
        />
        <TextFilter name="action" label={audit.actionFilter} />
        <TextFilter name="actor" label={audit.actorFilter} />
        <PlaceFilters />
        <Button isBusy={csv.isRunning} onPress={() => void csv.run(saveCsv)}>
          CSV
        </Button>
      </FilterBar>
      <Failure of={csv.failure} />
      {isCut.value && <Notice>{audit.csvIsCut({ lines: CSV_LINES_MAX })}</Notice>}
      <PageList pages={pages}>
        {(items) => (
          <Table
            label={audit.title}
            columns={auditColumns()}
            rows={items}
            idOf={({ audit_id }) => audit_id}
          />
        )}
      </PageList>
    </>
  );
}

function auditColumns(): readonly Column<AuditEntry>[] {
  const { audit, table } = texts.value;
  return [
    column(
      'action',
      audit.action,
      { kind: 'title', sortBy: ({ action }) => actionText(action) },
      ({ action }) => <strong title={action}>{actionText(action)}</strong>,
    ),
    column('at', audit.at, { sortBy: ({ at }) => at }, ({ at }) => <Time at={at} />),
    column('who', audit.who, { sortBy: ({ actor }) => nameOf(actor) }, ({ actor }) => (
      <span class="free-text">{actorText(actor) ?? audit.nobody}</span>
    )),
    column(
      'device',
      table.device,
      { sortBy: ({ device_id }) => device_id },
      ({ device_id }) => device_id !== null && <DeviceName deviceId={device_id} />,
    ),
    column('result', audit.result, { sortBy: ({ result }) => result }, ({ result, code, count }) =>
      result === 'done' ? (
        audit.results.done
      ) : (
        <>
          <strong>{audit.results.refused}</strong> {code}
          {count > 1 && ` · ${audit.count({ count })}`}
        </>
      ),
    ),
    textColumn('address', audit.address, ({ address }) => address),
    column('details', audit.details, { kind: 'actions' }, (entry) => (
      <DialogButton text={audit.details} label={audit.detailsOf({ action: actionText(entry.action) })}>
        {(close) => <AuditDetails entry={entry} onClose={close} />}
      </DialogButton>
    )),
  ];
}

/** Shows one entry with the request that caused it. */
function AuditDetails({ entry, onClose }: { readonly entry: AuditEntry; readonly onClose: () => void }) {
  const { audit } = texts.value;
  const confirmedBy = entry.actor?.confirmed_by;
  return (
    <Dialog title={actionText(entry.action)} onClose={onClose}>
      <FactList
        facts={[
          { title: audit.at, value: <Time at={entry.at} /> },
          { title: audit.key, value: entry.actor?.key_name ?? audit.nobody },
          ...(confirmedBy === undefined ? [] : [{ title: audit.confirmedBy, value: confirmedBy.name }]),
          { title: audit.request, value: `${entry.method} ${entry.path}` },
          { title: audit.resource, value: entry.resource_id ?? '–' },
          { title: audit.requestId, value: entry.request_id },
        ]}
      />
      {entry.input !== null && (
        <section aria-label={audit.input}>
          <h3>{audit.input}</h3>
          <pre class="audit-input">{JSON.stringify(entry.input, null, 2)}</pre>
        </section>
      )}
    </Dialog>
  );
}
