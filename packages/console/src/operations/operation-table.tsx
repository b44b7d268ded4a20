import type { EndDeclaration } from '@granary/contract/declared-end';
import type { FleetOperation } from '@granary/contract/fleet/records';
import { OPERATION_STATUSES } from '@granary/contract/operations';
import { callOptions, useConsole, useScope } from '../console.ts';
import { formatNumber } from '../format/numbers.ts';
import { OPERATION_UNDER_WAY } from '../live/jobs.ts';
import { PageList } from '../parts/lists/page-list.tsx';
import { Table } from '../parts/lists/table.tsx';
import { useEventReload } from '../parts/lists/use-event-reload.ts';
import { usePages } from '../parts/lists/use-pages.ts';
import { locale, texts } from '../texts/texts.ts';
import { type JobWords, jobColumns } from './job-columns.tsx';
import { canDeclareOperation, jobQuery } from './jobs.ts';
import { operationTitle } from './operation-texts.ts';

export function OperationTable() {
  const console = useConsole();
  const { client, live, navigation } = console;
  const isAdmin = useScope('admin');
  const { jobs } = texts.value;
  const query = jobQuery(navigation.route.value, OPERATION_STATUSES);
  const pages = usePages(
    (page, signal) => client.fleet.operations({ ...query, ...page }, { signal }),
    [query.status, query.facility, query.device_id],
  );
  useEventReload(['operation.'], pages.reload);
  const running = live.site.operations.all.value;
  const declaration = {
    isOffered: canDeclareOperation,
    declare: async ({ device_id, operation_id }: FleetOperation, given: EndDeclaration): Promise<void> => {
      await client.operations.declareEnded(device_id, operation_id, given, callOptions(console));
      pages.reload();
    },
  };
  const amount = {
    name: 'amount',
    title: jobs.columns.amount,
    kind: 'number' as const,
    cell: amountText,
    sortBy: ({ amount_completed }: FleetOperation) => amount_completed,
  };
  return (
    <PageList pages={pages}>
      {(items) => (
        <Table
          label={jobs.kinds.operations}
          columns={jobColumns(operationWords(), [amount], isAdmin ? declaration : null)}
          rows={items.map((item) => running.get(item.operation_id) ?? item)}
          idOf={({ operation_id }) => operation_id}
        />
      )}
    </PageList>
  );
}

function operationWords(): JobWords<FleetOperation> {
  const { jobs, operations } = texts.value;
  return {
    titleOf: (operation) => operationTitle(operation, operations, locale.value),
    statusOf: ({ status }) => operations.statuses[status],
    isUnderWay: ({ status }) => OPERATION_UNDER_WAY.includes(status),
    isUnusual: ({ status }) => status === 'failed' || status === 'unconfirmed',
    begin: { title: jobs.columns.started, at: ({ started_at }) => started_at },
    isOfDevice: ({ origin }) => origin === 'device',
  };
}

function amountText({ amount_completed, amount_target, unit }: FleetOperation): string {
  const number = (value: number) => formatNumber(value, value % 1 === 0 ? 0 : 1, locale.value);
  const moved = amount_completed === null ? '–' : number(amount_completed);
  return amount_target === null
    ? `${moved} ${unit}`
    : texts.value.jobs.amountOf(moved, `${number(amount_target)} ${unit}`);
}
