import { pageZone } from '../context/page-zone.ts';
import { texts } from '../texts.ts';
import { otherZone } from './format.ts';
import { meantTime, shownTime } from './site-time.ts';
import { TimeInput } from './time-input.tsx';

type Props = Omit<Parameters<typeof TimeInput>[0], 'kind'> & {
  /** The time zone in which the time is entered. */
  readonly timeZone?: string;
};

/** A field for date and time in the time zone of the site; the form holds the moment in UTC. */
export const MomentInput = ({ label, value, onValue, timeZone = pageZone.value, ...field }: Props) => (
  <TimeInput
    {...field}
    label={labelInZone(label, value, timeZone)}
    kind="dateTime"
    value={shownTime(value, timeZone)}
    onValue={(shown) => onValue(meantTime(shown, timeZone))}
  />
);

/** The label with the name of the place, if its clocks differ from those of the viewer. */
export function labelInZone(label: string, value: string, timeZone: string): string {
  const timeMs = Date.parse(value);
  const place = otherZone(timeZone, Number.isNaN(timeMs) ? Date.now() : timeMs);
  return place === null ? label : texts.value.common.inZone({ text: label, place });
}
