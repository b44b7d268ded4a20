import { useComputed } from '@preact/signals';
import { useConsole } from '../console.ts';
import { formatDuration, formatTime, utcTime } from '../format/times.ts';
import { locale } from '../texts/texts.ts';

/** How long ago something was. It counts on by itself, and draws only its own text again. */
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

/** A time in the zone of the viewer, with the time in UTC on hover. */
export function Time({ at }: { readonly at: string }) {
  const { nowMs } = useConsole().live.site.clock;
  return (
    <time dateTime={at} title={utcTime(at)}>
      {formatTime(at, nowMs.peek(), locale.value)}
    </time>
  );
}
