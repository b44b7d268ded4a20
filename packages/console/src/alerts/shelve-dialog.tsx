import type { FleetAlert } from '@granary/contract/fleet/records';
import { useSignal } from '@preact/signals';
import { useConsole } from '../console.ts';
import { formatTime } from '../format/times.ts';
import { FormDialog } from '../parts/forms/form-dialog.tsx';
import { bound, SelectInput, TextInput } from '../parts/forms/inputs.tsx';
import { locale, texts } from '../texts/texts.ts';
import { AlertsInForm } from './alerts-in-form.tsx';
import { SHELVE_TIMES, type ShelveTime, shelvedUntil } from './shelving.ts';
import { useShelving } from './use-shelving.ts';

interface Props {
  readonly alerts: readonly FleetAlert[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Takes alerts out of the list until a time, with a reason for those who ask later. */
export function ShelveDialog({ alerts, onClose, onDone }: Props) {
  const { clock } = useConsole().live.site;
  const { alerts: words } = texts.value;
  const time = useSignal<ShelveTime>('4h');
  const other = useSignal('');
  const reason = useSignal('');
  const { shelve } = useShelving();
  const until = shelvedUntil(time.value, clock.nowMs.value, other.value);
  return (
    <FormDialog
      title={words.shelveTitle}
      submit={words.shelveCount(alerts.length)}
      isIncomplete={alerts.length === 0 || until === null || reason.value.trim() === ''}
      onSubmit={async () => {
        if (until === null) return;
        await shelve(alerts, { until, reason: reason.peek().trim() });
        onDone();
      }}
      onClose={onClose}
    >
      <AlertsInForm alerts={alerts} />
      <SelectInput
        label={words.until}
        value={time.value}
        onValue={(value) => {
          time.value = SHELVE_TIMES.find((one) => one === value) ?? '4h';
        }}
        options={SHELVE_TIMES.map((one) => [one, words.shelveTimes[one]])}
      />
      {time.value === 'other' && (
        <TextInput label={words.otherTime} type="datetime-local" isRequired {...bound(other)} />
      )}
      <TextInput label={words.reason} isRequired maxLength={2_000} {...bound(reason)} />
      <p class="muted">
        {until !== null && words.shelveMeans(formatTime(until, clock.nowMs.peek(), locale.value))}
      </p>
    </FormDialog>
  );
}
