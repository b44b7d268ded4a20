import type { FieldDetail, SiloDetail } from '@granary/contract/devices/devices';
import type { RefusalCause } from '@granary/contract/devices/reception';
import type { FleetDevice } from '@granary/contract/fleet';
import { SECOND_MS } from '@granary/contract/time';
import { isUnacknowledged, mostUrgentFirst } from '../alerts/alerts.ts';
import { isEmergencyStopped } from '../commands/vehicle-commands.tsx';
import { useConsole } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { formatDuration } from '../kit/format.ts';
import { Age, LastKnown, Time } from '../kit/measured.tsx';
import { messageText } from '../kit/sentences.ts';
import { SeverityMark } from '../kit/severity-mark.tsx';
import { nameOf } from '../operations/jobs.ts';
import { texts } from '../texts.ts';
import type { DeviceFacts } from './facts/device-facts.ts';

interface Props {
  readonly device: FleetDevice;
  readonly facts: DeviceFacts | undefined;
}

/** Shows the name of the device, its status, and its open alerts. */
export function DeviceHead({ device, facts }: Props) {
  const { live } = useConsole();
  const { common, devices } = texts.value;
  const { device_id, name, model, location, status, last_seen, labels } = device;
  const maintenance = facts?.detail.maintenance;
  const alerts = [...live.site.alerts.all.value.values()]
    .filter((alert) => alert.device_id === device_id)
    .sort(mostUrgentFirst);
  const isStopped = facts !== undefined && isEmergencyStopped(facts.detail);
  return (
    <header class="device-head">
      <div class="device-head-title">
        <h1 class="free-text">{name}</h1>
        <p class={`device-status ${isStopped ? 'stopped' : status}`}>
          <LastKnown>{isStopped ? common.emergencyStop : common.deviceStatuses[status]}</LastKnown>
        </p>
        <p class="muted">
          {last_seen === null ? (
            devices.neverSeen
          ) : (
            <>
              {devices.lastSeen} <Age since={last_seen} />
            </>
          )}
        </p>
      </div>
      <p class="muted device-head-facts">
        <span class="free-text">{device_id}</span>
        <span class="free-text">{model}</span>
        <span class="free-text">
          {location.facility} · {location.zone}
        </span>
        {facts !== undefined && facts.detail.firmware_version !== '' && (
          <span class="free-text">{devices.firmware({ version: facts.detail.firmware_version })}</span>
        )}
        {Object.entries(labels ?? {}).map(([label, value]) => (
          <a key={label} class="free-text" href={addressOf('overview', null, { label: `${label}=${value}` })}>
            {label}={value}
          </a>
        ))}
      </p>
      {maintenance !== undefined && (
        <p class="device-head-maintenance">
          <strong>{common.deviceStatuses.maintenance}:</strong>{' '}
          <span class="free-text">{maintenance.reason}</span>
          {maintenance.until !== null && (
            <>
              , {devices.until} <Time at={maintenance.until} />
            </>
          )}{' '}
          <span class="muted">
            · {maintenance.by !== null && <span class="free-text">{nameOf(maintenance.by)} · </span>}
            <Age since={maintenance.since} />
          </span>
        </p>
      )}
      {facts !== undefined && <ReceptionLine detail={facts.detail} />}
      {alerts.length > 0 && (
        <ul class="device-head-alerts">
          {alerts.map((alert) => (
            <li key={alert.alert_id}>
              <SeverityMark severity={alert.severity} isOutlined={!isUnacknowledged(alert)} />{' '}
              <a class="free-text" href={addressOf('alerts', null, { device: device_id })}>
                {messageText(alert)}
              </a>{' '}
              <span class="muted">
                · <Age since={alert.created_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </header>
  );
}

type Detail = Pick<SiloDetail | FieldDetail, 'clock_offset_s' | 'refused_readings'>;

/** Says that readings of the device are refused, or that its clock is wrong, because its status alone would look healthy. */
function ReceptionLine({ detail: { clock_offset_s, refused_readings } }: { readonly detail: Detail }) {
  const words = texts.value.devices.reception;
  if (refused_readings !== null) {
    const { messages, taken, since, cause } = refused_readings;
    return (
      <p class="device-head-maintenance" role="status">
        <strong>{taken === 'none' ? words.refused : words.partlyRefused}:</strong>{' '}
        <span class="free-text">{refusalWords(cause)}</span>{' '}
        <span class="muted">
          {words.messages({ count: messages })} · <Age since={since} />
        </span>
      </p>
    );
  }
  if (clock_offset_s === null || clock_offset_s === 0) return null;
  return (
    <p class="device-head-maintenance" role="status">
      <strong>
        {words.clock({
          difference: formatDuration(Math.abs(clock_offset_s) * SECOND_MS),
          isAhead: clock_offset_s > 0,
        })}
        .
      </strong>{' '}
      {words.clockMeans}
    </p>
  );
}

function refusalWords(cause: RefusalCause): string {
  const words = texts.value.devices.reception;
  switch (cause.code) {
    case 'clock':
      return words.clock({
        difference: formatDuration(Math.abs(cause.offset_s) * SECOND_MS),
        isAhead: cause.offset_s > 0,
      });
    case 'time_unit':
      return words.timeUnit({ unit: words.timeUnits[cause.unit] });
    case 'not_a_number':
      return words.notANumber({ field: cause.field, found: words.found[cause.found] });
    case 'undeclared_sensor':
      return words.undeclared({ sensor: cause.field });
    case 'other':
      return cause.text;
  }
}
