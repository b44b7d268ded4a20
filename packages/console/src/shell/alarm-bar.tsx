import { ALERT_SEVERITIES } from '@granary/contract/outline';
import { set } from '../kit/set.ts';
import './alarm-bar.css';
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { AcknowledgeButton, OutcomeLine } from '../alerts/acknowledge-button.tsx';
import { summaryOf } from '../alerts/alerts.ts';
import { useConsole, useIsLost } from '../context/console.ts';
import { pageZone } from '../context/page-zone.ts';
import { addressOf } from '../context/routes.ts';
import { formatClock, formatDuration, formatMinute, formatNumber, otherZone } from '../kit/format.ts';
import { Age } from '../kit/measured.tsx';
import { messageText, timeText } from '../kit/sentences.ts';
import { SeverityMark } from '../kit/severity-mark.tsx';
import { useHeight } from '../kit/use-height.ts';
import { SILENCE_TOLD_MS } from '../live/silence.ts';
import { locale, texts } from '../texts.ts';

/** This is long enough to see that the contents have changed. */
const SETTLE_MS = 800;
const MOST_URGENT_FIRST = ALERT_SEVERITIES.toReversed();

/** The bar that is always visible: how many alerts wait for a person, and the newest of the most severe ones in words. */
export function AlarmBar() {
  const { live } = useConsole();
  const element = useRef<HTMLElement>(null);
  useHeight(element, '--alarm-bar-height');
  const { shell } = texts.value;
  const summary = useComputed(() => summaryOf([...live.site.alerts.all.value.values()]));
  const { unacknowledged, foremost } = summary.value;
  const isSettled = useSettled(foremost?.alert_id ?? null);
  const isLost = useIsLost();
  const isQuiet = MOST_URGENT_FIRST.every((severity) => unacknowledged[severity] === 0);
  const name = foremost === null ? '' : live.site.devices.nameOf(foremost.device_id);
  return (
    <section
      ref={element}
      class={`alarm-bar ${foremost === null ? 'quiet' : ''} ${foremost?.severity === 'critical' ? 'has-critical' : ''} ${isLost ? 'lost' : ''}`}
      aria-label={shell.alarmBar}
    >
      <LostLine />
      <a class="counts" href={addressOf('alerts')}>
        {isQuiet ? (
          <span class="muted">{isLost ? shell.alertsUnknown : shell.noAlerts}</span>
        ) : (
          MOST_URGENT_FIRST.filter((severity) => unacknowledged[severity] > 0).map((severity) => (
            <SeverityMark
              key={severity}
              severity={severity}
              text={formatNumber(unacknowledged[severity], 0, locale.value)}
            />
          ))
        )}
      </a>
      {foremost !== null && (
        <div class="newest" role="status">
          <p class="words">
            <a href={addressOf('devices', foremost.device_id)}>
              <strong class="free-text">{name}</strong> <span class="free-text">{messageText(foremost)}</span>{' '}
              <span class="muted">
                · <Age since={foremost.created_at} />
              </span>
            </a>
          </p>
          <AcknowledgeButton alert={foremost} isNew={!isSettled} />
          <a class="button go-to-device" href={addressOf('devices', foremost.device_id)}>
            {shell.goToDevice}
          </a>
        </div>
      )}
      <p class="bar-facts">
        <SiteName />
        <BarClock />
        <ConnectionSign />
      </p>
      <OutcomeLine />
    </section>
  );
}

/** The name of the only facility, or the number of several. */
function SiteName() {
  const { devices } = useConsole().live.site;
  const facilities = devices.facilities.value;
  const [only] = facilities;
  if (only === undefined) return null;
  return (
    <span class="bar-site free-text">
      {facilities.length === 1 ? only : texts.value.shell.facilities({ count: facilities.length })}
    </span>
  );
}

/** The time of the service in the time zone of the site, in which the page writes all times. */
function BarClock() {
  const { clock } = useConsole().live.site;
  const text = useComputed(() => {
    const nowMs = clock.nowMs.value;
    const language = locale.value;
    const place = otherZone(pageZone.value, nowMs);
    return place === null
      ? formatClock(nowMs, language)
      : texts.value.common.inZone({ text: formatMinute(nowMs, nowMs, language), place });
  });
  return <span class="bar-clock">{text}</span>;
}

/** Says whether the shown state is current, or not loaded yet. */
function ConnectionSign() {
  const { shell } = texts.value;
  const { connection } = useConsole().live;
  const { state } = connection.current.value;
  const silenceMs = connection.silenceMs.value;
  if (state === 'live' && silenceMs !== null) {
    return (
      <span class="connection-sign silent" role="status">
        {/* The duration is read out once, and not every second. */}
        <span aria-hidden="true">{shell.noNewsFor({ duration: formatDuration(silenceMs) })}</span>
        <span class="only-for-readers">{shell.noNewsFor({ duration: formatDuration(SILENCE_TOLD_MS) })}</span>
      </span>
    );
  }
  return (
    <span class={`connection-sign ${state}`} role="status">
      {state === 'lost' ? '' : shell[state]}
    </span>
  );
}

/** A line across the whole page: since when nothing is current, what that means, and what still works. */
function LostLine() {
  const { connection, site } = useConsole().live;
  const { shell } = texts.value;
  const current = connection.current.value;
  if (current.state !== 'lost') return null;
  const since = timeText(current.sinceMs, site.clock.nowMs.peek());
  return (
    <p class="lost-line" role="status">
      <strong>{current.isKept ? shell.stateOf({ time: since }) : shell.notLiveSince({ time: since })}</strong>{' '}
      <span>{shell.notLiveMeans}</span>
    </p>
  );
}

/** True when the contents have been shown for a moment, so that a press cannot hit something that has just appeared. */
function useSettled(shown: string | null): boolean {
  const settled = useSignal<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => set(settled, shown), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  return settled.value === shown;
}
