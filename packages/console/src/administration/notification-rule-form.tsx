import { ALERT_SEVERITIES, ALERT_TYPES } from '@granary/contract/alerts';
import { type NotificationRule, WEEKDAYS } from '@granary/contract/notifications';
import { callOptions, useConsole } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { FormDialog } from '../kit/dialog.tsx';
import { type Draft, useDraft } from '../kit/form-state.ts';
import { type Bound, CheckInput, Choices, SelectInput, TextArea, TextInput } from '../kit/inputs.tsx';
import { texts } from '../texts/texts.ts';
import { draftOfRule, emptyRule, type RuleDraft, ruleOf, type StepDraft } from './notification-rule-draft.ts';
import { PlaceChoices } from './place-choices.tsx';

const STEPS_MAX = 10;
const MINUTES_MAX = 7 * 24 * 60;

interface Props {
  /** `null` for a new one. */
  readonly rule: NotificationRule | null;
  readonly onClose: () => void;
}

export function RuleForm({ rule, onClose }: Props) {
  const console = useConsole();
  const { client } = console;
  const { notifications, common, keys } = texts.value;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const draft = useDraft(rule === null ? emptyRule(timeZone) : draftOfRule(rule, timeZone));
  const { current, field } = draft;

  async function save(): Promise<void> {
    const wanted = ruleOf(current.peek(), rule);
    if (rule === null) await client.notifications.createRule(wanted, callOptions(console));
    else await client.notifications.replaceRule(rule.rule_id, wanted, callOptions(console));
  }

  return (
    <FormDialog
      title={rule === null ? notifications.create : notifications.editOf(rule.name)}
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
        isRequired
        {...field('targets')}
      />
      <CheckInput label={notifications.tellsEnd} {...field('tellsEnd')} />
      <Choices
        legend={notifications.types}
        hint={keys.limitHint}
        options={ALERT_TYPES.map((type) => [type, type])}
        {...field('types')}
      />
      <PlaceChoices facilities={field('facilities')} deviceIds={field('deviceIds')} />
      <QuietHoursFields draft={draft} />
      <EscalationEditor {...field('escalation')} />
    </FormDialog>
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
            <TextInput label={notifications.from} type="time" isRequired {...field('quietFrom')} />
            <TextInput label={notifications.to} type="time" isRequired {...field('quietTo')} />
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

/** Whom to tell when nobody acknowledges. */
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
            <TextInput
              label={notifications.afterMinutes}
              type="number"
              min={1}
              max={MINUTES_MAX}
              step={1}
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
              label={notifications.removeStep(at + 1)}
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
