import { COMMAND_STATUSES, type CommandStatus } from '@granary/contract/commands';
import type { EndDeclaration } from '@granary/contract/declared-end';
import type { FleetCommand } from '@granary/contract/fleet/records';
import { callOptions, useConsole, useScope } from '../console.ts';
import { COMMAND_UNDER_WAY } from '../live/jobs.ts';
import { PageList } from '../parts/lists/page-list.tsx';
import { Table } from '../parts/lists/table.tsx';
import { useEventReload } from '../parts/lists/use-event-reload.ts';
import { usePages } from '../parts/lists/use-pages.ts';
import { texts } from '../texts/texts.ts';
import { type JobWords, jobColumns } from './job-columns.tsx';
import { canDeclareCommand, jobQuery } from './jobs.ts';

export function CommandTable() {
  const console = useConsole();
  const { client, live, navigation } = console;
  const isAdmin = useScope('admin');
  const { jobs } = texts.value;
  const query = jobQuery(navigation.route.value, COMMAND_STATUSES);
  const pages = usePages(
    (page, signal) => client.fleet.commands({ ...query, ...page }, { signal }),
    [query.status, query.facility, query.device_id],
  );
  useEventReload(['command.'], pages.reload);
  const running = live.site.commands.all.value;
  const declaration = {
    isOffered: canDeclareCommand,
    declare: async ({ device_id, command_id }: FleetCommand, given: EndDeclaration): Promise<void> => {
      await client.commands.declareEnded(device_id, command_id, given, callOptions(console));
      pages.reload();
    },
  };
  return (
    <PageList pages={pages}>
      {(items) => (
        <Table
          label={jobs.kinds.commands}
          columns={jobColumns(commandWords(), [], isAdmin ? declaration : null)}
          rows={items.map((item) => running.get(item.command_id) ?? item)}
          idOf={({ command_id }) => command_id}
        />
      )}
    </PageList>
  );
}

const NOT_AS_ASKED: readonly CommandStatus[] = ['failed', 'rejected', 'expired', 'timed_out'];

function commandWords(): JobWords<FleetCommand> {
  const { commands, jobs } = texts.value;
  return {
    titleOf: ({ command }) => commands.names[command],
    statusOf: ({ status }) => jobs.commandStatuses[status],
    isUnderWay: ({ status }) => COMMAND_UNDER_WAY.includes(status),
    isUnusual: ({ status }) => NOT_AS_ASKED.includes(status),
    begin: { title: jobs.columns.given, at: ({ created_at }) => created_at },
  };
}
