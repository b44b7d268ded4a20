import {
  NOTIFICATION_STATUSES,
  type NotificationRecord,
  type NotificationRule,
} from '@granary/contract/notifications';
import { useEffect } from 'preact/hooks';
import { callOptions, useConsole } from '../context/console.ts';
import { DialogButton, FormDialog } from '../kit/dialog.tsx';
import { FilterBar, SelectFilter } from '../kit/filter-bar.tsx';
import { Time } from '../kit/measured.tsx';
import { PageList, Table } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { useEventReload, usePages } from '../kit/use-loaded.ts';
import { texts } from '../texts/texts.ts';
import { targetText } from './notification-rule-draft.ts';
import { RuleForm } from './notification-rule-form.tsx';

const EVERY_MS = 5_000;

/** Who is told of alerts, and what was sent. */
export function NotificationsPage() {
  const { client } = useConsole();
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
            columns={ruleColumns()}
            rows={items}
            idOf={({ rule_id }) => rule_id}
          />
        )}
      </PageList>
      <SentList />
    </>
  );
}

function ruleColumns(): readonly Column<NotificationRule>[] {
  const { notifications, common, webhooks, forms } = texts.value;
  return [
    {
      name: 'name',
      title: notifications.name,
      kind: 'title',
      sortBy: ({ name }) => name,
      cell: ({ name }) => <strong class="free-text">{name}</strong>,
    },
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
          <DialogButton text={webhooks.test} label={notifications.testOf(rule.name)}>
            {(close) => <TestRule rule={rule} onClose={close} />}
          </DialogButton>
          <DialogButton text={webhooks.edit} label={notifications.editOf(rule.name)}>
            {(close) => <RuleForm rule={rule} onClose={close} />}
          </DialogButton>
          <DialogButton text={forms.remove} label={notifications.removeOf(rule.name)}>
            {(close) => <RemoveRule rule={rule} onClose={close} />}
          </DialogButton>
        </span>
      ),
    },
  ];
}

interface Props {
  readonly rule: NotificationRule;
  readonly onClose: () => void;
}

function TestRule({ rule: { rule_id, name }, onClose }: Props) {
  const console = useConsole();
  const { notifications, webhooks } = texts.value;
  return (
    <FormDialog
      title={notifications.testOf(name)}
      submit={webhooks.test}
      onSubmit={() => console.client.notifications.testRule(rule_id, callOptions(console))}
      onClose={onClose}
    >
      <p>{notifications.testMeans}</p>
    </FormDialog>
  );
}

function RemoveRule({ rule: { rule_id, name }, onClose }: Props) {
  const console = useConsole();
  const { notifications, forms } = texts.value;
  return (
    <FormDialog
      title={notifications.removeOf(name)}
      submit={forms.remove}
      onSubmit={() => console.client.notifications.removeRule(rule_id, callOptions(console))}
      onClose={onClose}
    >
      <p>{notifications.removeMeans}</p>
    </FormDialog>
  );
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
