import { Button } from '../../parts/button.tsx';
import { type Bound, TextInput } from '../../parts/forms/inputs.tsx';
import { TextArea } from '../../parts/forms/text-area.tsx';
import { texts } from '../../texts/texts.ts';
import type { StepDraft } from './rule-draft.ts';

const STEPS_MAX = 10;
const MINUTES_MAX = 7 * 24 * 60;

/** Whom to tell when nobody acknowledges. */
export function EscalationEditor({ value: steps, onValue }: Bound<readonly StepDraft[]>) {
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
