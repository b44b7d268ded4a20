import {
  NOTIFICATION_STATUSES,
  type NotificationRecord,
  type NotificationRule,
} from '@granary/contract/notifications';
import { useEffect } from 'preact/hooks';
import { type Console, callOptions, useConsole } from '../context/console.ts';
import { ConfirmButton, DialogButton } from '../kit/dialog.tsx';
import { FilterBar, SelectFilter } from '../kit/filter-bar.tsx';
import { PageList, Table, textColumn, timeColumn, titleColumn } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { useEventReload, usePages } from '../kit/use-loaded.ts';
import { texts } from '../texts/texts.ts';
import { targetText } from './notification-rule-draft.ts';
import { RuleForm } from './notification-rule-form.tsx';

const EVERY_MS = 5_000;

/** Who is told of alerts, and what was sent. */
export function NotificationsPage() {
  const console = useConsole();
  const { client } = console;
  const { notifications } = texts.value;
  const pages = usePages((page, signal) => client.notifications.rules(page, { signal }), []);
  useEventReload(['notification_rule.'], pages.reload);
  return (
    <>
      <div class="administration-head">
        <p class="muted">{notifications.meaning}</p>
        <DialogButton kind="primary" text={notifications.create}>
          {(close) => <RuleForm rule={null} onClose={close} />}
        </DialogButton>
      </div>
      <PageList pages={pages} empty={notifications.none}>
        {(items) => (
          <Table
            label={notifications.rules}
            columns={ruleColumns(console)}
            rows={items}
            idOf={({ rule_id }) => rule_id}
          />
        )}
      </PageList>
      <SentList />
    </>
  );
}

function ruleColumns(console: Console): readonly Column<NotificationRule>[] {
  const { notifications, common, webhooks, forms } = texts.value;
  return [
    titleColumn('name', notifications.name, ({ name }) => name),
    {
      name: 'severity',
      title: notifications.severityMin,
      sortBy: ({ match }) => match.severity_min,
      cell: ({ match }) => common.severities[match.severity_min],
    },
    {
      name: 'targets',
      title: notifications.targets,
      kind: 'wide',
      cell: ({ targets }) => <span class="free-text">{targets.map(targetText).join(', ')}</span>,
    },
    {
      name: 'quiet',
      title: notifications.quietHours,
      cell: ({ quiet_hours: quiet }) => (quiet === null ? '–' : `${quiet.from}–${quiet.to}`),
    },
    {
      name: 'escalation',
      title: notifications.escalation,
      cell: ({ escalation }) =>
        escalation.length === 0
          ? '–'
          : escalation.map(({ after_minutes }) => `${after_minutes} min`).join(', '),
    },
    {
      name: 'state',
      title: webhooks.state,
      sortBy: ({ enabled }) => Number(enabled),
      cell: ({ enabled }) => (enabled ? webhooks.enabled : <strong>{webhooks.disabled}</strong>),
    },
    {
      name: 'actions',
      title: webhooks.edit,
      kind: 'actions',
      cell: (rule) => (
        <span class="administration-actions">
          <ConfirmButton
            text={webhooks.test}
            label={notifications.testOf(rule.name)}
            means={notifications.testMeans}
            onConfirm={() => console.client.notifications.testRule(rule.rule_id, callOptions(console))}
          />
          <DialogButton text={webhooks.edit} label={notifications.editOf(rule.name)}>
            {(close) => <RuleForm rule={rule} onClose={close} />}
          </DialogButton>
          <ConfirmButton
            text={forms.remove}
            label={notifications.removeOf(rule.name)}
            means={notifications.removeMeans}
            onConfirm={() => console.client.notifications.removeRule(rule.rule_id, callOptions(console))}
          />
        </span>
      ),
    },
  ];
}

/** What was sent, and what could not be sent. It is read again and again, because a success is no event. */
function SentList() {
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
    textColumn('to', notifications.target, ({ target }) => targetText(target)),
    textColumn('rule', notifications.rule, ({ rule_name }) => rule_name),
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
    timeColumn('created', notifications.created, ({ created_at }) => created_at),
    {
      name: 'error',
      title: notifications.lastError,
      kind: 'wide',
      cell: ({ last_error }) => last_error !== null && <span class="muted free-text">{last_error}</span>,
    },
  ];
}
