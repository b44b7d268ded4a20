import { NOTIFICATION_STATUSES, type NotificationRecord } from '@granary/contract/notifications';
import { useEffect } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import { Time } from '../../parts/age.tsx';
import { FilterBar, SelectFilter } from '../../parts/lists/filter-bar.tsx';
import { PageList } from '../../parts/lists/page-list.tsx';
import { Table } from '../../parts/lists/table.tsx';
import type { Column } from '../../parts/lists/table-column.ts';
import { usePages } from '../../parts/lists/use-pages.ts';
import { texts } from '../../texts/texts.ts';
import { targetText } from './rule-draft.ts';

const EVERY_MS = 5_000;

/** What was sent, and what could not be sent. It is read again and again, because a success is no event. */
export function SentList() {
  const { client, navigation } = useConsole();
  const { notifications } = texts.value;
  const status = NOTIFICATION_STATUSES.find((one) => one === navigation.route.value.query.get('status'));
  const pages = usePages(
    (page, signal) =>
      client.notifications.list({ ...(status === undefined ? {} : { status }), ...page }, { signal }),
    [status],
  );
  useEffect(() => {
    const timer = setInterval(pages.reload, EVERY_MS);
    return () => clearInterval(timer);
  }, [status]);
  return (
    <section class="sent-list" aria-label={notifications.sent}>
      <h2>{notifications.sent}</h2>
      <FilterBar names={['status']}>
        <SelectFilter
          name="status"
          label={notifications.status}
          any={notifications.anyStatus}
          options={NOTIFICATION_STATUSES.map((one) => [one, notifications.statuses[one]])}
        />
      </FilterBar>
      <PageList pages={pages} empty={notifications.nothingSent}>
        {(items) => (
          <Table
            label={notifications.sent}
            columns={sentColumns()}
            rows={items}
            idOf={({ notification_id }) => notification_id}
            orderName="sent"
          />
        )}
      </PageList>
    </section>
  );
}

function sentColumns(): readonly Column<NotificationRecord>[] {
  const { notifications } = texts.value;
  return [
    {
      name: 'subject',
      title: notifications.subject,
      kind: 'title',
      sortBy: ({ subject }) => subject,
      cell: ({ subject }) => <span class="free-text">{subject}</span>,
    },
    {
      name: 'to',
      title: notifications.target,
      sortBy: ({ target }) => targetText(target),
      cell: ({ target }) => <span class="free-text">{targetText(target)}</span>,
    },
    {
      name: 'rule',
      title: notifications.rule,
      sortBy: ({ rule_name }) => rule_name,
      cell: ({ rule_name }) => <span class="free-text">{rule_name}</span>,
    },
    {
      name: 'status',
      title: notifications.status,
      sortBy: ({ status }) => status,
      cell: ({ status }) =>
        status === 'failed' ? (
          <strong>{notifications.statuses.failed}</strong>
        ) : (
          notifications.statuses[status]
        ),
    },
    {
      name: 'created',
      title: notifications.created,
      sortBy: ({ created_at }) => created_at,
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    {
      name: 'error',
      title: notifications.lastError,
      kind: 'wide',
      cell: ({ last_error }) => last_error !== null && <span class="muted free-text">{last_error}</span>,
    },
  ];
}
