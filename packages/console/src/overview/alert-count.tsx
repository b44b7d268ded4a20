import { isUnacknowledged } from '../alerts/summary.ts';
import { SeverityMark } from '../parts/severity-mark.tsx';
import { addressOf } from '../routes.ts';
import { useOverviewFacts } from './overview-context.ts';

/** The most urgent alert of a device, and how many there are where it has several. It leads to them. */
export function AlertCount({ deviceId }: { readonly deviceId: string }) {
  const { byDevice } = useOverviewFacts();
  const alerts = byDevice.alerts.value.get(deviceId) ?? [];
  const [first] = alerts;
  if (first === undefined) return null;
  return (
    <a class="overview-alerts" href={addressOf('alerts', null, { device: deviceId })}>
      <SeverityMark
        severity={first.severity}
        text={alerts.length === 1 ? '' : String(alerts.length)}
        isOutlined={!isUnacknowledged(first)}
      />
    </a>
  );
}
