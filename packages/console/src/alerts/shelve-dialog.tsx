import type { FleetAlert } from '@granary/contract/fleet/records';
import { useSignal } from '@preact/signals';
import { useConsole } from '../console.ts';
import { formatTime } from '../format/times.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/forms/field.tsx';
import { locale, texts } from '../texts/texts.ts';
import { AlertsInForm } from './alerts-in-form.tsx';
import { SHELVE_TIMES, type ShelveTime, shelvedUntil } from './shelving.ts';
import { useShelve } from './use-shelve.ts';

interface Props {
  readonly alerts: readonly FleetAlert[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Takes alerts out of the list until a time, with a reason for those who ask later. */
export function ShelveDialog({ alerts, onClose, onDone }: Props) {
  const { clock } = useConsole().live.site;
  const { alerts: words, common } = texts.value;
  const time = useSignal<ShelveTime>('4h');
  const other = useSignal('');
  const reason = useSignal('');
  const { shelve, isRunning, failure } = useShelve();
  const until = shelvedUntil(time.value, clock.nowMs.value, other.value);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (until !== null && (await shelve(alerts, { until, reason: reason.peek().trim() }))) onDone();
  };
  return (
    <Dialog title={words.shelveTitle} onClose={onClose}>
      <form class="alerts-form" onSubmit={(event) => void submit(event)}>
        <AlertsInForm alerts={alerts} />
        <Field label={words.until}>
          {(id) => (
            <select
              id={id}
              value={time.value}
              onChange={({ currentTarget: { value } }) => {
                time.value = SHELVE_TIMES.find((one) => one === value) ?? '4h';
              }}
            >
              {SHELVE_TIMES.map((one) => (
                <option key={one} value={one}>
                  {words.shelveTimes[one]}
                </option>
              ))}
            </select>
          )}
        </Field>
        {time.value === 'other' && (
          <Field label={words.otherTime}>
            {(id) => (
              <input
                id={id}
                type="datetime-local"
                required
                value={other.value}
                onInput={({ currentTarget }) => {
                  other.value = currentTarget.value;
                }}
              />
            )}
          </Field>
        )}
        <Field label={words.reason}>
          {(id) => (
            <input
              id={id}
              type="text"
              required
              maxLength={2_000}
              value={reason.value}
              onInput={({ currentTarget }) => {
                reason.value = currentTarget.value;
              }}
            />
          )}
        </Field>
        <p class="muted">
          {until !== null && words.shelveMeans(formatTime(until, clock.nowMs.peek(), locale.value))}
        </p>
        <Failure of={failure} />
        <div class="dialog-actions">
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button
            kind="primary"
            type="submit"
            isBusy={isRunning}
            isDisabled={alerts.length === 0 || until === null || reason.value.trim() === ''}
          >
            {words.shelveCount(alerts.length)}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
