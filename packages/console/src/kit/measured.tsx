import './measured.css';
import type { Quality } from '@granary/contract/telemetry/telemetry';
import { useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useConsole, useIsLost } from '../context/console.ts';
import { pageZone } from '../context/page-zone.ts';
import { texts } from '../texts.ts';
import { formatDuration, utcTime } from './format.ts';
import { datedText, timeText } from './sentences.ts';

interface Props {
  /** The value with its unit; `null` when none was ever reported. */
  readonly text: string | null;
  readonly quality: Quality;
  /** The time of the measurement; `null` when there was none. */
  readonly at: string | null;
  /** True when the age of a good value is shown, too. */
  readonly hasAge?: boolean;
}

/** Shows a measured value in the form of its quality: good is plain, stale is lighter with its age, bad is struck through. */
export function Measured({ text, quality, at, hasAge = false }: Props) {
  const { common } = texts.value;
  const isLost = useIsLost();
  if (text === null || at === null) {
    return (
      <span class="measured never" title={common.neverReported}>
        <span aria-hidden="true">–</span>
        <span class="only-for-readers">{common.neverReported}</span>
      </span>
    );
  }
  const form = quality === 'good' && isLost ? 'stale' : quality;
  return (
    <span class={`measured ${form}`}>
      {form === 'bad' ? (
        <s>
          <Quantity text={text} />
        </s>
      ) : (
        <span>
          <Quantity text={text} />
        </span>
      )}
      {form === 'bad' && <span class="reason">{common.badValue}</span>}
      {form === 'stale' && <ClockSign label={common.qualities.stale} />}
      {(hasAge || form === 'stale') && (
        <span class="age">
          <Age since={at} />
        </span>
      )}
    </span>
  );
}

/** Shows a number and its unit, which is smaller beside a large number. */
function Quantity({ text }: { readonly text: string }) {
  const { number, unit } = /^(?<number>.*\d)(?<unit>\s*[^\d\s]\S*)$/.exec(text)?.groups ?? {};
  if (number === undefined) return <>{text}</>;
  return (
    <>
      {number}
      <span class="unit">{unit}</span>
    </>
  );
}

const ClockSign = ({ label }: { readonly label: string }) => (
  <svg class="sign" viewBox="0 0 16 16" width="12" height="12" role="img" aria-label={label}>
    <path d="M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM8 4v4.3l2.8 1.7" />
  </svg>
);

/** Shows how long ago something was. The age increases by itself, and only its own text is drawn again. */
export function Age({ since }: { readonly since: string }) {
  const { nowMs } = useConsole().live.site.clock;
  const sinceMs = Date.parse(since);
  const text = useComputed(() => formatDuration(nowMs.value - sinceMs));
  return (
    <time dateTime={since} title={utcTime(since)}>
      {text}
    </time>
  );
}

interface TimeProps {
  readonly at: string;
  /** The time zone; that of the page unless given. Its place is shown if its clocks differ from the viewer's. */
  readonly timeZone?: string;
  /** True when the date is shown even for today, because people also read about times ahead on other days. */
  readonly isDated?: boolean;
}

/** A time, with the time in UTC on hover. */
export function Time({ at, timeZone = pageZone.value, isDated = false }: TimeProps) {
  const { nowMs } = useConsole().live.site.clock;
  return (
    <time dateTime={at} title={utcTime(at)}>
      {isDated ? datedText(at, timeZone) : timeText(at, nowMs.peek(), timeZone)}
    </time>
  );
}

/** Shows a state that the page knows; while the connection is lost it has the form of a stale value. */
export function LastKnown({ children }: { readonly children: ComponentChildren }) {
  if (!useIsLost()) return <>{children}</>;
  return (
    <span class="last-known">
      <ClockSign label={texts.value.common.lastKnown} />
      {children}
    </span>
  );
}
