import type { LiveDevice } from '../live/devices.ts';
import { profileOf } from '../profiles/profiles.tsx';
import { addressOf } from '../routes.ts';

/** One device in the overview; what it shows of its values is decided by its profile. */
export function DeviceTile({ device }: { readonly device: LiveDevice }) {
  const { device_id, name, profile, location } = device.value;
  const { Tile } = profileOf(profile);
  return (
    <li class="tile">
      <Tile device={device.value} />
      <div>
        <h2 class="free-text">
          <a href={addressOf('devices', device_id)}>{name}</a>
        </h2>
        <p class="muted free-text">
          {location.facility} · {location.zone}
        </p>
      </div>
    </li>
  );
}
