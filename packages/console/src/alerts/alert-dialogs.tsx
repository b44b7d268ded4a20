import type { FleetAlert } from '@granary/contract/fleet';
import { useSignal } from '@preact/signals';
import { useConsole } from '../context/console.ts';
import { pageZone } from '../context/page-zone.ts';
import { DeviceName } from '../kit/device-name.tsx';
import { FormDialog } from '../kit/dialog.tsx';
import { bound, SelectInput, TextArea, TextInput } from '../kit/inputs.tsx';
import { MomentInput } from '../kit/moment-input.tsx';
import { messageText, timeText } from '../kit/sentences.ts';
import { set } from '../kit/set.ts';
import { SeverityMark } from '../kit/severity-mark.tsx';
import { texts } from '../texts.ts';
import { useAcknowledge } from './acknowledge.ts';
import { isUnacknowledged } from './alerts.ts';
import { SHELVE_TIMES, type ShelveTime, shelvedUntil, useShelving } from './shelving.ts';

interface Props {
  readonly alerts: readonly FleetAlert[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Hides alerts from the list until a time, with a reason for other people. */
export function ShelveDialog({ alerts, onClose, onDone }: Props) {
  const { clock } = useConsole().live.site;
  const { alerts: words } = texts.value;
  const time = useSignal<ShelveTime>('4h');
  const other = useSignal('');
  const reason = useSignal('');
  const { shelve } = useShelving();
  const until = shelvedUntil(time.value, clock.nowMs.value, other.value, pageZone.value);
  return (
    <FormDialog
      title={words.shelveTitle}
      submit={words.shelveCount({ count: alerts.length })}
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
        onValue={(value) => set(time, SHELVE_TIMES.find((one) => one === value) ?? '4h')}
        options={SHELVE_TIMES.map((one) => [one, words.shelveTimes[one]])}
      />
      {time.value === 'other' && <MomentInput label={words.otherTime} isRequired {...bound(other)} />}
      <TextInput label={words.reason} isRequired maxLength={2_000} {...bound(reason)} />
      <p class="muted">
        {until !== null && words.shelveMeans({ time: timeText(until, clock.nowMs.peek()) })}
      </p>
    </FormDialog>
  );
}

interface AcknowledgeDialogProps {
  readonly alerts: readonly FleetAlert[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Acknowledges one or several alerts with a note, and says which of them somebody else has acknowledged meanwhile. */
export function AcknowledgeDialog({ alerts, onClose, onDone }: AcknowledgeDialogProps) {
  const { alerts: words } = texts.value;
  const note = useSignal('');
  const acknowledge = useAcknowledge();
  const waiting = alerts.filter(isUnacknowledged);
  return (
    <FormDialog
      title={words.acknowledgeTitle}
      submit={words.acknowledgeCount({ count: waiting.length })}
      isIncomplete={waiting.length === 0}
      onSubmit={async () => {
        await acknowledge(waiting, note.peek().trim());
        onDone();
      }}
      onClose={onClose}
    >
      <AlertsInForm alerts={alerts} />
      <TextArea label={words.note} hint={words.noteHint} rows={3} maxLength={2_000} {...bound(note)} />
    </FormDialog>
  );
}

/** Shows the alerts of a form as they are now. */
const AlertsInForm = ({ alerts }: { readonly alerts: readonly FleetAlert[] }) => (
  <ul class="alerts-in-form">
    {alerts.map((alert) => (
      <li key={alert.alert_id}>
        <SeverityMark severity={alert.severity} text="" isOutlined={!isUnacknowledged(alert)} />
        <div>
          <p>
            <DeviceName deviceId={alert.device_id} /> <span class="free-text">{messageText(alert)}</span>
          </p>
          {alert.acknowledged_by !== null && (
            <p class="muted free-text">
              {texts.value.alerts.acknowledgedBy({ person: alert.acknowledged_by })}
            </p>
          )}
        </div>
      </li>
    ))}
  </ul>
);
