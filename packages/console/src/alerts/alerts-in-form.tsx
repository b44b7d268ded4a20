import type { FleetAlert } from '@granary/contract/fleet/records';
import { DeviceLink } from '../parts/device-link.tsx';
import { SeverityMark } from '../parts/severity-mark.tsx';
import { texts } from '../texts/texts.ts';
import { isUnacknowledged } from './summary.ts';

/** The alerts that a form is about, as they are now. */
export const AlertsInForm = ({ alerts }: { readonly alerts: readonly FleetAlert[] }) => (
  <ul class="alerts-in-form">
    {alerts.map((alert) => (
      <li key={alert.alert_id}>
        <SeverityMark severity={alert.severity} text="" isOutlined={!isUnacknowledged(alert)} />
        <div>
          <p>
            <DeviceLink deviceId={alert.device_id} /> <span class="free-text">{alert.message}</span>
          </p>
          {alert.acknowledged_by !== null && (
            <p class="muted free-text">{texts.value.alerts.acknowledgedBy(alert.acknowledged_by)}</p>
          )}
        </div>
      </li>
    ))}
  </ul>
);
