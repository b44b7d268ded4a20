import { useConsole } from '../../console.ts';
import { formatValue } from '../../format/numbers.ts';
import type { LiveDevice } from '../../live/devices.ts';
import { Button } from '../../parts/button.tsx';
import { LastKnown } from '../../parts/last-known.tsx';
import { Measured } from '../../parts/measured.tsx';
import { addressOf } from '../../routes.ts';
import { locale, texts } from '../../texts/texts.ts';
import { positionOf } from './vehicle.ts';

interface Props {
  readonly devices: readonly LiveDevice[];
  readonly onShow: (devices: readonly LiveDevice[]) => void;
}

/** Every vehicle by its facility, also those that are not on the map because their position is unknown. */
export function VehicleList({ devices, onShow }: Props) {
  const { map } = texts.value;
  const facilities = [...Map.groupBy(devices, (device) => device.value.location.facility)];
  return facilities.map(([facility, members]) => (
    <section key={facility} aria-label={facility}>
      <div class="map-facility">
        <h2 class="free-text">{facility}</h2>
        <Button kind="quiet" label={map.showFacility(facility)} onPress={() => onShow(members)}>
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
        {mission !== undefined && <span class="free-text wide">{map.onMission(mission.mission_name)}</span>}
        {positionOf(device.value) === null && <span class="muted wide">{map.noPosition}</span>}
      </a>
    </li>
  );
}
