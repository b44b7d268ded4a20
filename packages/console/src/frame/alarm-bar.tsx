import { ALERT_SEVERITIES } from '@granary/contract/alerts';
import { useComputed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { AcknowledgeButton } from '../alerts/acknowledge/acknowledge-button.tsx';
import { OutcomeLine } from '../alerts/acknowledge/outcome-line.tsx';
import { summaryOf } from '../alerts/summary.ts';
import { useConsole } from '../console.ts';
import { Age } from '../parts/age.tsx';
import { useIsLost } from '../parts/last-known.tsx';
import { SeverityMark } from '../parts/severity-mark.tsx';
import { useSettled } from '../parts/use-settled.ts';
import { addressOf } from '../routes.ts';
import { texts } from '../texts/texts.ts';
import { ConnectionSign } from './connection-sign.tsx';
import { useBarHeight } from './use-bar-height.ts';
import './alarm-bar.css';

const MOST_URGENT_FIRST = ALERT_SEVERITIES.toReversed();

/** Always visible: how many alerts wait for a person, and the newest of the most severe ones in words. */
export function AlarmBar() {
  const { live } = useConsole();
  const element = useRef<HTMLElement>(null);
  useBarHeight(element);
  const { frame } = texts.value;
  const summary = useComputed(() => summaryOf([...live.site.alerts.all.value.values()]));
  const { unacknowledged, foremost } = summary.value;
  const isSettled = useSettled(foremost?.alert_id ?? null);
  const isLost = useIsLost();
  const isQuiet = MOST_URGENT_FIRST.every((severity) => unacknowledged[severity] === 0);
  const name = foremost === null ? '' : live.site.devices.nameOf(foremost.device_id);
  return (
    <section
      ref={element}
      class={`alarm-bar ${foremost?.severity === 'critical' ? 'has-critical' : ''} ${isLost ? 'lost' : ''}`}
      aria-label={frame.alarmBar}
    >
      <a class="counts" href={addressOf('alerts')}>
        {isQuiet ? (
          <span class="muted">{isLost ? frame.alertsUnknown : frame.noAlerts}</span>
        ) : (
          MOST_URGENT_FIRST.filter((severity) => unacknowledged[severity] > 0).map((severity) => (
            <SeverityMark key={severity} severity={severity} text={String(unacknowledged[severity])} />
          ))
        )}
      </a>
      {foremost !== null && (
        <div class="newest" role="status">
          <p class="words">
            <strong class="free-text">{name}</strong> <span class="free-text">{foremost.message}</span>{' '}
            <span class="muted">
              <Age since={foremost.created_at} />
            </span>
          </p>
          <AcknowledgeButton key={foremost.alert_id} alert={foremost} isDisabled={!isSettled} />
          <a class="button" href={addressOf('devices', foremost.device_id)}>
            {frame.goToDevice}
          </a>
        </div>
      )}
      <ConnectionSign />
      <OutcomeLine />
    </section>
  );
}
