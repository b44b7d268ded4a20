import type { NotificationRecord, NotificationRule } from '@granary/contract/notifications';
import { NOTIFICATION_STATUSES } from '@granary/contract/outline';
import { useEffect } from 'preact/hooks';
import { type Console, callOptions, useConsole } from '../context/console.ts';
import { ConfirmButton, DialogButton } from '../kit/dialog.tsx';
import { FilterBar, SelectFilter } from '../kit/filter-bar.tsx';
import { column, PageList, Table, textColumn, timeColumn, titleColumn } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { useEventReload, usePages } from '../kit/use-loaded.ts';
import { texts } from '../texts.ts';
import { targetText } from './notification-rule-draft.ts';
import { RuleForm } from './notification-rule-form.tsx';

const EVERY_MS = 5_000;

/** Shows who is told of alerts, and which messages were sent. */
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
    column(
      'severity',
      notifications.severityMin,
      { sortBy: ({ match }) => match.severity_min },
      ({ match }) => common.severities[match.severity_min],
    ),
    column('targets', notifications.targets, { kind: 'wide' }, ({ targets }) => (
      <span class="free-text">{targets.map(targetText).join(', ') || '–'}</span>
    )),
    column('quiet', notifications.quietHours, {}, ({ quiet_hours: quiet }) =>
      quiet === null ? '–' : `${quiet.from}–${quiet.to}`,
    ),
    column('escalation', notifications.escalation, {}, ({ escalation, rota }) => {
      if (rota !== null) return notifications.rotaOf({ people: rota.people.length, minutes: rota.minutes });
      return escalation.length === 0
        ? '–'
        : escalation.map(({ after_minutes }) => `${after_minutes} min`).join(', ');
    }),
    column('state', webhooks.state, { sortBy: ({ enabled }) => Number(enabled) }, ({ enabled }) =>
      enabled ? webhooks.enabled : <strong>{webhooks.disabled}</strong>,
    ),
    column('actions', webhooks.edit, { kind: 'actions' }, (rule) => (
      <span class="buttons">
        <ConfirmButton
          text={webhooks.test}
          label={notifications.testOf({ name: rule.name })}
          means={notifications.testMeans}
          onConfirm={() => console.client.notifications.testRule(rule.rule_id, callOptions(console))}
        />
        <DialogButton text={webhooks.edit} label={notifications.editOf({ name: rule.name })}>
          {(close) => <RuleForm rule={rule} onClose={close} />}
        </DialogButton>
        <ConfirmButton
          text={forms.remove}
          label={notifications.removeOf({ name: rule.name })}
          means={notifications.removeMeans}
          onConfirm={() => console.client.notifications.removeRule(rule.rule_id, callOptions(console))}
        />
      </span>
    )),
  ];
}

/** Lists the messages that were sent or could not be sent. The list is read at an interval, because a success is not an event. */
function SentList() {
  const { client, navigation } = useConsole();
  const { notifications } = texts.value;
  const status = NOTIFICATION_STATUSES.find((name) => name === navigation.route.value.query.get('status'));
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
    <section class="administration-section" aria-label={notifications.sent}>
      <h2>{notifications.sent}</h2>
      <FilterBar names={['status']}>
        <SelectFilter
          name="status"
          label={notifications.status}
          any={notifications.anyStatus}
          options={NOTIFICATION_STATUSES.map((name) => [name, notifications.statuses[name]])}
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
    column(
      'subject',
      notifications.subject,
      { kind: 'title', sortBy: ({ subject }) => subject },
      ({ subject }) => <span class="free-text">{subject}</span>,
    ),
    textColumn('to', notifications.target, ({ target }) => targetText(target)),
    textColumn('rule', notifications.rule, ({ rule_name }) => rule_name),
    column('status', notifications.status, { sortBy: ({ status }) => status }, ({ status }) =>
      status === 'failed' ? <strong>{notifications.statuses.failed}</strong> : notifications.statuses[status],
    ),
    timeColumn('created', notifications.created, ({ created_at }) => created_at),
    column(
      'error',
      notifications.lastError,
      { kind: 'wide' },
      ({ last_error }) => last_error !== null && <span class="muted free-text">{last_error}</span>,
    ),
  ];
}
