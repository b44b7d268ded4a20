import type { NotificationRecord, NotificationRule } from '@granary/contract/notifications';
import { ALERT_SEVERITIES, ALERT_TYPES, NOTIFICATION_STATUSES, WEEKDAYS } from '@granary/contract/outline';
import { useEffect } from 'preact/hooks';
import { type Console, callOptions, useConsole } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { ConfirmButton, DialogButton, FormDialog } from '../kit/dialog.tsx';
import { FilterBar, SelectFilter } from '../kit/filter-bar.tsx';
import { type Draft, useDraft } from '../kit/form-state.ts';
import { viewerZone } from '../kit/format.ts';
import { type Bound, CheckInput, Choices, SelectInput, TextArea, TextInput } from '../kit/inputs.tsx';
import { NumberInput } from '../kit/number-input.tsx';
import { PageList, Table, textColumn, timeColumn, titleColumn } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { TimeInput } from '../kit/time-input.tsx';
import { useEventReload, useLoaded, usePages } from '../kit/use-loaded.ts';
import { texts } from '../texts.ts';
import {
  draftOfRule,
  emptyRule,
  type RuleDraft,
  ruleOf,
  type StepDraft,
  targetText,
} from './notification-rule-draft.ts';
import { PlaceChoices } from './place-choices.tsx';

const STEPS_MAX = 10;
const MINUTES_MAX = 7 * 24 * 60;
const EVERY_MS = 5_000;
const PEOPLE_AT_ONCE = 1_000;
const ROTA_MAX = 20;
const ROTA_MINUTES_MAX = 1_440;

interface Props {
  /** The rule that is edited; `null` for a new one. */
  readonly rule: NotificationRule | null;
  readonly onClose: () => void;
}

function RuleForm({ rule, onClose }: Props) {
  const console = useConsole();
  const { client } = console;
  const { notifications, common, keys, alarmHelp, deviceAdmin } = texts.value;
  const timeZone = viewerZone();
  const draft = useDraft(rule === null ? emptyRule(timeZone) : draftOfRule(rule, timeZone));
  const { current, field } = draft;

  async function save(): Promise<void> {
    const wanted = ruleOf(current.peek(), rule);
    if (rule === null) await client.notifications.createRule(wanted, callOptions(console));
    else await client.notifications.replaceRule(rule.rule_id, wanted, callOptions(console));
  }

  return (
    <FormDialog
      title={rule === null ? notifications.create : notifications.editOf({ name: rule.name })}
      submit={rule === null ? notifications.create : common.save}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput label={notifications.name} isRequired {...field('name')} />
      <CheckInput label={notifications.enabled} {...field('isEnabled')} />
      <SelectInput
        label={notifications.severityMin}
        options={ALERT_SEVERITIES.map((severity) => [severity, common.severities[severity]])}
        {...field('severityMin')}
      />
      <TextArea
        label={notifications.targets}
        hint={notifications.targetsHint}
        isRequired={current.value.rota.length === 0}
        {...field('targets')}
      />
      <WebhookOffer {...field('targets')} />
      <CheckInput label={notifications.tellsEnd} {...field('tellsEnd')} />
      <Choices
        legend={notifications.types}
        hint={keys.limitHint}
        options={ALERT_TYPES.map((type) => [type, alarmHelp.types[type].name])}
        {...field('types')}
      />
      <PlaceChoices facilities={field('facilities')} deviceIds={field('deviceIds')} />
      <TextInput
        label={deviceAdmin.fields.labels}
        hint={notifications.labelsHint}
        maxLength={2_000}
        {...field('labels')}
      />
      <QuietHoursFields draft={draft} />
      {current.value.rota.length === 0 && <EscalationEditor {...field('escalation')} />}
      {current.value.escalation.length === 0 && (
        <RotaEditor people={field('rota')} minutes={field('rotaMinutes')} />
      )}
    </FormDialog>
  );
}

/** Adds an existing webhook, which is chosen by its address, because nobody knows its id. */
function WebhookOffer({ value, onValue }: Bound<string>) {
  const { client } = useConsole();
  const { notifications } = texts.value;
  const known =
    useLoaded((signal) => Array.fromAsync(client.webhooks.listAll({}, { signal })), []).value ?? [];
  const offered = known.filter(({ webhook_id }) => !value.includes(webhook_id));
  if (offered.length === 0) return null;
  return (
    <SelectInput
      label={notifications.addWebhook}
      value=""
      onValue={(webhookId) => {
        if (webhookId !== '') onValue([value.trim(), webhookId].filter(Boolean).join('\n'));
      }}
      options={[
        ['', '–'],
        ...offered.map(({ webhook_id, url, description }) => [webhook_id, description ?? url] as const),
      ]}
    />
  );
}

function QuietHoursFields({ draft: { current, field } }: { readonly draft: Draft<RuleDraft> }) {
  const { notifications } = texts.value;
  return (
    <>
      <CheckInput
        label={notifications.quietHours}
        hint={notifications.quietMeans}
        {...field('hasQuietHours')}
      />
      {current.value.hasQuietHours && (
        <>
          <div class="form-row">
            <TimeInput label={notifications.from} kind="time" isRequired {...field('quietFrom')} />
            <TimeInput label={notifications.to} kind="time" isRequired {...field('quietTo')} />
            <TextInput label={notifications.timeZone} maxLength={64} isRequired {...field('timeZone')} />
          </div>
          <Choices
            legend={notifications.days}
            options={WEEKDAYS.map((day) => [day, notifications.weekdays[day]])}
            {...field('quietDays')}
          />
          <CheckInput label={notifications.criticalToo} {...field('areCriticalQuiet')} />
        </>
      )}
    </>
  );
}

/** Edits whom the service tells when nobody acknowledges. */
function EscalationEditor({ value: steps, onValue }: Bound<readonly StepDraft[]>) {
  const { notifications, forms } = texts.value;
  const change = (at: number, changed: Partial<StepDraft>): void =>
    onValue(steps.map((step, index) => (index === at ? { ...step, ...changed } : step)));
  return (
    <fieldset class="list-editor">
      <legend>{notifications.escalation}</legend>
      <p class="muted hint">{notifications.escalationMeans}</p>
      <ol>
        {steps.map((step, at) => (
          // A step has no other identity than its place in the list.
          <li key={at}>
            <NumberInput
              label={notifications.afterMinutes}
              min={1}
              max={MINUTES_MAX}
              isWhole
              isRequired
              value={step.afterMinutes}
              onValue={(afterMinutes) => change(at, { afterMinutes })}
            />
            <TextArea
              label={notifications.targets}
              hint={notifications.targetsHint}
              isRequired
              value={step.targets}
              onValue={(targets) => change(at, { targets })}
            />
            <Button
              kind="quiet"
              label={notifications.removeStep({ step: at + 1 })}
              onPress={() => onValue(steps.filter((_, index) => index !== at))}
            >
              {forms.remove}
            </Button>
          </li>
        ))}
      </ol>
      <Button
        isDisabled={steps.length >= STEPS_MAX}
        onPress={() => onValue([...steps, { afterMinutes: '15', targets: '' }])}
      >
        {notifications.addStep}
      </Button>
    </fieldset>
  );
}

interface RotaProps {
  readonly people: Bound<readonly string[]>;
  readonly minutes: Bound<string>;
}

/** Edits the list of people who are told one after the other until somebody acknowledges. */
function RotaEditor({ people: { value: chosen, onValue }, minutes }: RotaProps) {
  const { client } = useConsole();
  const { notifications, forms } = texts.value;
  const known =
    useLoaded((signal) => Array.fromAsync(client.people.listAll({ limit: PEOPLE_AT_ONCE }, { signal })), [])
      .value ?? [];
  const names = new Map(known.map(({ person_id, name }) => [person_id, name]));
  const offered = known.filter(({ person_id, state }) => state !== 'disabled' && !chosen.includes(person_id));
  return (
    <fieldset class="list-editor">
      <legend>{notifications.rota}</legend>
      <p class="muted hint">{notifications.rotaMeans}</p>
      <ol>
        {chosen.map((personId) => (
          <li key={personId}>
            <span class="free-text">{names.get(personId) ?? personId}</span>{' '}
            <Button
              kind="quiet"
              label={notifications.removePerson({ name: names.get(personId) ?? personId })}
              onPress={() => onValue(chosen.filter((one) => one !== personId))}
            >
              {forms.remove}
            </Button>
          </li>
        ))}
      </ol>
      {offered.length > 0 && chosen.length < ROTA_MAX && (
        <SelectInput
          label={notifications.addPerson}
          value=""
          onValue={(personId) => personId !== '' && onValue([...chosen, personId])}
          options={[['', '–'], ...offered.map(({ person_id, name }) => [person_id, name] as const)]}
        />
      )}
      {chosen.length > 0 && (
        <NumberInput
          label={notifications.rotaMinutes}
          min={1}
          max={ROTA_MINUTES_MAX}
          isWhole
          isRequired
          {...minutes}
        />
      )}
    </fieldset>
  );
}

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
      cell: ({ targets }) => <span class="free-text">{targets.map(targetText).join(', ') || '–'}</span>,
    },
    {
      name: 'quiet',
      title: notifications.quietHours,
      cell: ({ quiet_hours: quiet }) => (quiet === null ? '–' : `${quiet.from}–${quiet.to}`),
    },
    {
      name: 'escalation',
      title: notifications.escalation,
      cell: ({ escalation, rota }) => {
        if (rota !== null) return notifications.rotaOf({ people: rota.people.length, minutes: rota.minutes });
        return escalation.length === 0
          ? '–'
          : escalation.map(({ after_minutes }) => `${after_minutes} min`).join(', ');
      },
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
      ),
    },
  ];
}

/** Lists the messages that were sent or could not be sent. The list is read at an interval, because a success is not an event. */
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
    <section class="administration-section" aria-label={notifications.sent}>
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
