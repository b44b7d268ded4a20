import type { FleetAlert } from '@granary/contract/fleet/records';
import { useConsole } from '../console.ts';
import { DeviceLink } from '../parts/device-link.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { SeverityMark } from '../parts/severity-mark.tsx';
import { texts } from '../texts/texts.ts';
import { AlertActions } from './alert-actions.tsx';
import { AlertFacts } from './alert-state.tsx';
import { isUnacknowledged } from './summary.ts';

interface Props {
  /** As it was when the dialog was opened. */
  readonly alert: FleetAlert;
  readonly onClose: () => void;
  readonly onShelve: (alert: FleetAlert) => void;
}

/** Everything about one alert, as it is now. */
export function AlertDialog({ alert: opened, onClose, onShelve }: Props) {
  const { site } = useConsole().live;
  const alert = site.alerts.all.value.get(opened.alert_id) ?? opened;
  return (
    <Dialog title={texts.value.alerts.one} onClose={onClose}>
      <p>
        <SeverityMark severity={alert.severity} isOutlined={!isUnacknowledged(alert)} />{' '}
        <DeviceLink deviceId={alert.device_id} />
      </p>
      <p class="free-text">{alert.message}</p>
      <AlertFacts alert={alert} />
      <AlertActions alert={alert} onShelve={onShelve} />
    </Dialog>
  );
}
