import type { FleetAlert } from '@granary/contract/fleet/records';
import { Age, Time } from '../parts/age.tsx';
import { texts } from '../texts/texts.ts';

/** In words: whether the condition is still there, who has acknowledged it, and until when it is shelved. */
export function AlertState({ alert }: { readonly alert: FleetAlert }) {
  const { alerts } = texts.value;
  return (
    <>
      <span>{alerts.statuses[alert.status]}</span>
      {alert.acknowledged_by !== null && (
        <span class="muted free-text">
          {' · '}
          {alerts.by(alert.acknowledged_by)}
        </span>
      )}
      {alert.shelved_until !== null && (
        <span class="muted">
          {' · '}
          {alerts.shelvedUntil} <Time at={alert.shelved_until} />
        </span>
      )}
      {alert.note !== null && alert.note !== '' && (
        <span class="alerts-note muted free-text" title={alert.note}>
          “{alert.note}”
        </span>
      )}
    </>
  );
}

/** Everything that is stored of an alert. */
export function AlertFacts({ alert }: { readonly alert: FleetAlert }) {
  const { alerts } = texts.value;
  const times = [
    ['raised', alert.created_at, null],
    ['acknowledged', alert.acknowledged_at, alert.acknowledged_by],
    ['cleared', alert.cleared_at, null],
    ['resolved', alert.resolved_at, null],
  ] as const;
  return (
    <dl class="alerts-facts">
      {times.map(
        ([step, at, by]) =>
          at !== null && (
            <div key={step}>
              <dt>{alerts.steps[step]}</dt>
              <dd>
                <Time at={at} />{' '}
                <span class="muted">
                  (<Age since={at} />)
                </span>
                {by !== null && <span class="free-text"> {alerts.by(by)}</span>}
              </dd>
            </div>
          ),
      )}
      {alert.note !== null && (
        <div>
          <dt>{alerts.note}</dt>
          <dd class="free-text">{alert.note}</dd>
        </div>
      )}
      {alert.shelved_until !== null && (
        <div>
          <dt>{alerts.shelvedUntil}</dt>
          <dd class="free-text">
            <Time at={alert.shelved_until} />
            {alert.shelved_by !== null && ` ${alerts.by(alert.shelved_by)}`}: {alert.shelve_reason}
          </dd>
        </div>
      )}
    </dl>
  );
}
