import type { ComponentChildren } from 'preact';
import { isEmergencyStopped, type VehicleState } from '../../commands/use-vehicle-state.ts';
import { VehicleCommands } from '../../commands/vehicle-commands.tsx';
import { formatNumber, formatValue } from '../../format/numbers.ts';
import type { LiveDevice } from '../../live/devices.ts';
import { Age } from '../../parts/age.tsx';
import { Failure } from '../../parts/failure.tsx';
import { LastKnown } from '../../parts/last-known.tsx';
import { Measured } from '../../parts/measured.tsx';
import { addressOf } from '../../routes.ts';
import { locale, texts } from '../../texts/texts.ts';
import { positionOf } from './vehicle.ts';

const VALUES = ['battery_level', 'signal_strength', 'altitude'] as const;
/** About a tenth of a metre. */
const COORDINATE_DECIMALS = 6;

interface Props {
  readonly device: LiveDevice;
  /** `undefined` until it was read. */
  readonly state: VehicleState | undefined;
  readonly failure: unknown;
  /** The emergency stop. */
  readonly stop: ComponentChildren;
  /** The missions of the vehicle. */
  readonly children: ComponentChildren;
}

/** One vehicle: how it stands, its commands, and its emergency stop where the eye and the thumb are first. */
export function VehiclePanel({ device, state, failure, stop, children }: Props) {
  const { common, map } = texts.value;
  const { device_id: deviceId, name, model, status, location, last_seen } = device.value;
  return (
    <>
      <header class="map-panel-head">
        <a href={addressOf('map')}>{map.allVehicles}</a>
        <a href={addressOf('devices', deviceId)}>{map.devicePage}</a>
        <h2 class="free-text">{name}</h2>
        <p class="muted free-text">
          {model} · {location.facility} · {location.zone}
        </p>
      </header>
      {stop}
      <Failure of={failure} />
      <dl class="map-values">
        <div>
          <dt>{map.state}</dt>
          <dd>
            <LastKnown>
              {state !== undefined && isEmergencyStopped(state.detail) ? (
                <strong>{common.emergencyStop}</strong>
              ) : (
                common.deviceStatuses[status]
              )}
            </LastKnown>
            {last_seen !== null && (
              <span class="muted">
                {' '}
                <Age since={last_seen} />
              </span>
            )}
          </dd>
        </div>
        {VALUES.map((sensor) => (
          <SensorValue key={sensor} device={device} sensor={sensor} />
        ))}
        <PositionValue device={device} />
      </dl>
      {children}
      <VehicleCommands
        deviceId={deviceId}
        name={name}
        isStopInForce={state?.detail.emergency_stop?.active === true}
        newest={state?.newestCommand ?? null}
      />
    </>
  );
}

function SensorValue({ device, sensor }: { readonly device: LiveDevice; readonly sensor: string }) {
  const reading = device.value.readings?.[sensor];
  return (
    <div>
      <dt>{texts.value.common.sensors[sensor] ?? sensor}</dt>
      <dd>
        <Measured
          text={reading === undefined ? null : formatValue(reading.value, reading.unit, locale.value)}
          quality={reading?.quality ?? 'good'}
          at={reading?.timestamp ?? null}
        />
      </dd>
    </div>
  );
}

function PositionValue({ device }: { readonly device: LiveDevice }) {
  const position = positionOf(device.value);
  const text = (value: number): string => formatNumber(value, COORDINATE_DECIMALS, locale.value);
  return (
    <div class="wide">
      <dt>{texts.value.map.position}</dt>
      <dd>
        <Measured
          text={position === null ? null : `${text(position.point.lat)}° ${text(position.point.lng)}°`}
          quality={position?.quality ?? 'good'}
          at={position?.at ?? null}
          hasAge
        />
      </dd>
    </div>
  );
}
