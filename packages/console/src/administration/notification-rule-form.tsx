import type { NotificationRule } from '@granary/contract/notifications';
import { ALERT_SEVERITIES, ALERT_TYPES, WEEKDAYS } from '@granary/contract/outline';
import { callOptions, useConsole } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { FormDialog } from '../kit/dialog.tsx';
import { type Draft, useDraft } from '../kit/form-state.ts';
import { viewerZone } from '../kit/format.ts';
import { type Bound, CheckInput, Choices, SelectInput, TextArea, TextInput } from '../kit/inputs.tsx';
import { NumberInput } from '../kit/number-input.tsx';
import { TimeInput } from '../kit/time-input.tsx';
import { useLoaded } from '../kit/use-loaded.ts';
import { texts } from '../texts.ts';
import { draftOfRule, emptyRule, type RuleDraft, ruleOf, type StepDraft } from './notification-rule-draft.ts';
import { PlaceChoices } from './place-choices.tsx';

const STEPS_MAX = 10;
const MINUTES_MAX = 7 * 24 * 60;
const PEOPLE_AT_ONCE = 1_000;
const ROTA_MAX = 20;
const ROTA_MINUTES_MAX = 1_440;

interface Props {
  /** The rule that is edited; `null` for a new one. */
  readonly rule: NotificationRule | null;
  readonly onClose: () => void;
}

export function RuleForm({ rule, onClose }: Props) {
  const console = useConsole();
  const { client } = console;
  const { notifications, common, keys, alarmHelp, deviceAdmin } = texts.value;
  const timeZone = viewerZone();
  const draft = useDraft(rule === null ? emptyRule(timeZone) : draftOfRule(rule, timeZone));
  const { current, field } = draft;

  async function save(): Promise<void> {
    const changed = ruleOf(current.peek(), rule);
    if (rule === null) await client.notifications.createRule(changed, callOptions(console));
    else await client.notifications.replaceRule(rule.rule_id, changed, callOptions(console));
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
        <RotaEditor chosen={field('rota')} minutes={field('rotaMinutes')} />
      )}
    </FormDialog>
  );
}

/** Adds an existing webhook, which is chosen by its address, because nobody knows its id. */
function WebhookOffer({ value, onValue }: Bound<string>) {
  const { client } = useConsole();
  const { notifications } = texts.value;
  const webhooks = useLoaded((signal) => Array.fromAsync(client.webhooks.listAll({}, { signal })), []).value;
  const offered = (webhooks ?? []).filter(({ webhook_id }) => !value.includes(webhook_id));
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
  readonly chosen: Bound<readonly string[]>;
  readonly minutes: Bound<string>;
}

/** Edits the list of people who are told one after the other until somebody acknowledges. */
function RotaEditor({ chosen: { value: chosen, onValue }, minutes }: RotaProps) {
  const { client } = useConsole();
  const { notifications, forms } = texts.value;
  const people =
    useLoaded((signal) => Array.fromAsync(client.people.listAll({ limit: PEOPLE_AT_ONCE }, { signal })), [])
      .value ?? [];
  const names = new Map(people.map(({ person_id, name }) => [person_id, name]));
  const offered = people.filter(
    ({ person_id, state }) => state !== 'disabled' && !chosen.includes(person_id),
  );
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
              onPress={() => onValue(chosen.filter((chosenId) => chosenId !== personId))}
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
