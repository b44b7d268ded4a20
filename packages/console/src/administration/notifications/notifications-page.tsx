import type { NotificationRule } from '@granary/contract/notifications';
import { callOptions, useConsole } from '../../console.ts';
import { DialogButton } from '../../parts/forms/dialog-button.tsx';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { PageList } from '../../parts/lists/page-list.tsx';
import { Table } from '../../parts/lists/table.tsx';
import type { Column } from '../../parts/lists/table-column.ts';
import { useEventReload } from '../../parts/lists/use-event-reload.ts';
import { usePages } from '../../parts/lists/use-pages.ts';
import { texts } from '../../texts/texts.ts';
import { targetText } from './rule-draft.ts';
import { RuleForm } from './rule-form.tsx';
import { SentList } from './sent-list.tsx';

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
