import type { ComponentChildren } from 'preact';
import { isEmergencyStopped, VehicleCommands, type VehicleState } from '../commands/vehicle-commands.tsx';
import { useConsole } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { Button } from '../kit/button.tsx';
import { formatNumber, formatValue } from '../kit/format.ts';
import { Age, LastKnown, Measured } from '../kit/measured.tsx';
import { Failure } from '../kit/messages.tsx';
import type { LiveDevice } from '../live/site.ts';
import { locale, nameOfCode, texts } from '../texts.ts';
import { positionOf } from './vehicles.ts';

const VALUES = ['battery_level', 'signal_strength', 'altitude'] as const;
/** The number of decimals of a degree; it is exact to about a tenth of a metre. */
const COORDINATE_DECIMALS = 6;

interface Props {
  readonly device: LiveDevice;
  /** `undefined` until the state was read. */
  readonly state: VehicleState | undefined;
  readonly failure: unknown;
  /** The emergency stop. */
  readonly stop: ComponentChildren;
  /** The missions of the vehicle. */
  readonly children: ComponentChildren;
}

/** Shows one vehicle: its state, its commands, and its emergency stop at the place that eye and thumb reach first. */
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
      <dt>{nameOfCode(texts.value.common.sensors, sensor)}</dt>
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

interface VehicleListProps {
  readonly devices: readonly LiveDevice[];
  readonly onShow: (devices: readonly LiveDevice[]) => void;
}

/** Lists every vehicle by its facility, also those that are not on the map because their position is unknown. */
export function VehicleList({ devices, onShow }: VehicleListProps) {
  const { map } = texts.value;
  const facilities = [...Map.groupBy(devices, (device) => device.value.location.facility)];
  return facilities.map(([facility, members]) => (
    <section key={facility} aria-label={facility}>
      <div class="map-facility">
        <h2 class="free-text">{facility}</h2>
        <Button kind="quiet" label={map.showFacility({ facility })} onPress={() => onShow(members)}>
          {map.show}
        </Button>
      </div>
      <ul class="map-list">
        {members.map((device) => (
          <VehicleRow key={device.peek().device_id} device={device} />
        ))}
      </ul>
    </section>
  ));
}

function VehicleRow({ device }: { readonly device: LiveDevice }) {
  const { live } = useConsole();
  const { common, map } = texts.value;
  const { device_id, name, status, location, readings = {} } = device.value;
  const mission = [...live.site.missions.all.value.values()].find((one) => one.device_id === device_id);
  const battery = readings['battery_level'];
  return (
    <li>
      <a href={addressOf('map', null, { device: device_id })}>
        <strong class="free-text">{name}</strong>
        <Measured
          text={battery === undefined ? null : formatValue(battery.value, battery.unit, locale.value)}
          quality={battery?.quality ?? 'good'}
          at={battery?.timestamp ?? null}
        />
        <span class="muted free-text">{location.zone}</span>
        <span class={status === 'online' ? 'muted' : ''}>
          <LastKnown>{common.deviceStatuses[status]}</LastKnown>
        </span>
        {mission !== undefined && (
          <span class="free-text wide">{map.onMission({ name: mission.mission_name })}</span>
        )}
        {positionOf(device.value) === null && <span class="muted wide">{map.noPosition}</span>}
      </a>
    </li>
  );
}
