import { useComputed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { isUnacknowledged } from '../alerts/summary.ts';
import type { LiveDevice } from '../live/devices.ts';
import { useNear } from '../parts/use-near.ts';
import { profileOf } from '../profiles/profiles.tsx';
import { addressOf } from '../routes.ts';
import { useOverviewFacts } from './overview-context.ts';
import { StateLine } from './state-line.tsx';
import './device-tile.css';

interface Props {
  readonly device: LiveDevice;
  /** Where the tiles are not grouped, each names its place. */
  readonly hasPlace: boolean;
}

/** One device in the overview. Away from the window only its name is there, and it follows no changes. */
export function DeviceTile({ device, hasPlace }: Props) {
  const element = useRef<HTMLLIElement>(null);
  const isNear = useNear(element);
  const { device_id, name } = device.peek();
  const { byDevice } = useOverviewFacts();
  const worst = useComputed(
    () => byDevice.alerts.value.get(device_id)?.find(isUnacknowledged)?.severity ?? '',
  );
  return (
    <li ref={element} class={`overview-tile ${worst} ${hasPlace ? 'has-place' : ''}`}>
      {isNear.value ? (
        <TileContent device={device} hasPlace={hasPlace} />
      ) : (
        <h4 class="overview-name free-text">
          <a class="overview-name-link" href={addressOf('devices', device_id)}>
            {name}
          </a>
        </h4>
      )}
    </li>
  );
}

/** What it shows of the values is decided by the profile of the device. */
function TileContent({ device: live, hasPlace }: Props) {
  const device = live.value;
  const { device_id, name, profile, location } = device;
  const { Picture, Values } = profileOf(profile);
  return (
    <>
      <div class="overview-picture">
        <Picture device={device} />
      </div>
      <div class="overview-words">
        <h4 class="overview-name free-text" title={name}>
          <a class="overview-name-link" href={addressOf('devices', device_id)}>
            {name}
          </a>
        </h4>
        {hasPlace && (
          <p class="overview-place muted free-text">
            {location.facility} · {location.zone}
          </p>
        )}
        <Values device={device} />
      </div>
      <StateLine device={device} />
    </>
  );
}
