import type { FieldDetail, SiloDetail } from '@granary/contract/devices/devices';
import type { RefusalCause } from '@granary/contract/telemetry/reception';
import { formatDuration } from '../format/times.ts';
import { Age } from '../parts/age.tsx';
import { texts } from '../texts/texts.ts';

type Detail = Pick<SiloDetail | FieldDetail, 'clock_offset_s' | 'refused_readings'>;

const SECOND_MS = 1_000;

/** That readings of a device are refused, or that its clock is wrong: its status alone would look healthy. */
export function ReceptionLine({ detail: { clock_offset_s, refused_readings } }: { readonly detail: Detail }) {
  const words = texts.value.devices.reception;
  if (refused_readings !== null) {
    const { messages, taken, since, cause } = refused_readings;
    return (
      <p class="device-head-maintenance" role="status">
        <strong>{taken === 'none' ? words.refused : words.partlyRefused}:</strong>{' '}
        <span class="free-text">{refusalWords(cause)}</span>{' '}
        <span class="muted">
          {words.messages(messages)} · <Age since={since} />
        </span>
      </p>
    );
  }
  if (clock_offset_s === null || clock_offset_s === 0) return null;
  return (
    <p class="device-head-maintenance" role="status">
      <strong>
        {words.clock(formatDuration(Math.abs(clock_offset_s) * SECOND_MS), clock_offset_s > 0)}.
      </strong>{' '}
      {words.clockMeans}
    </p>
  );
}

function refusalWords(cause: RefusalCause): string {
  const words = texts.value.devices.reception;
  switch (cause.code) {
    case 'clock':
      return words.clock(formatDuration(Math.abs(cause.offset_s) * SECOND_MS), cause.offset_s > 0);
    case 'time_unit':
      return words.timeUnit(words.timeUnits[cause.unit]);
    case 'not_a_number':
      return words.notANumber(cause.field, words.found[cause.found]);
    case 'undeclared_sensor':
      return words.undeclared(cause.field);
    case 'other':
      return cause.text;
  }
}
