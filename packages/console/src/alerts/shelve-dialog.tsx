import type { FleetAlert } from '@granary/contract/fleet/records';
import { useSignal } from '@preact/signals';
import { useConsole } from '../console.ts';
import { formatTime } from '../format/times.ts';
import { FormDialog } from '../parts/forms/form-dialog.tsx';
import { bound, SelectInput, TextInput } from '../parts/forms/inputs.tsx';
import { locale, texts } from '../texts/texts.ts';
import { AlertsInForm } from './alerts-in-form.tsx';
import { useShelving } from './use-shelving.ts';

const HOUR_MS = 3_600_000;

const MORNING_HOUR = 7;

const SHELVE_TIMES = ['1h', '4h', 'morning', '1d', '7d', 'other'] as const;

const LENGTHS_MS = { '1h': HOUR_MS, '4h': 4 * HOUR_MS, '1d': 24 * HOUR_MS, '7d': 168 * HOUR_MS } as const;

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

type ShelveTime = (typeof SHELVE_TIMES)[number];

/** Until when, by the clock of the service; `other` is a time of the viewer's zone from a form. `null`: not a time. */
export function shelvedUntil(time: ShelveTime, nowMs: number, other: string): string | null {
  if (time === 'morning') return nextMorning(nowMs).toISOString();
  if (time !== 'other') return new Date(nowMs + LENGTHS_MS[time]).toISOString();
  const chosen = new Date(other);
  return Number.isNaN(chosen.getTime()) ? null : chosen.toISOString();
}

/** In the zone of the viewer. */
function nextMorning(nowMs: number): Date {
  const morning = new Date(nowMs);
  morning.setHours(MORNING_HOUR, 0, 0, 0);
  if (morning.getTime() <= nowMs) morning.setDate(morning.getDate() + 1);
  return morning;
}
