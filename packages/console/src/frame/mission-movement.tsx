import type { FleetMission } from '@granary/contract/fleet/records';
import { useEmergencyStop } from '../commands/use-emergency-stop.ts';
import { useConsole, useScope } from '../console.ts';
import { withLocalTimes } from '../format/sentences.ts';
import { StopButton } from '../operations/stop-button.tsx';
import { DeviceLink } from '../parts/device-link.tsx';
import { LastKnown } from '../parts/last-known.tsx';
import { addressOf } from '../routes.ts';
import { locale, texts } from '../texts/texts.ts';

/** One mission under way, with the emergency stop of its vehicle. */
export function MissionMovement({ mission }: { readonly mission: FleetMission }) {
  const { live } = useConsole();
  const emergencyStop = useEmergencyStop(mission.device_id);
  const { missions, common } = texts.value;
  const { device_id, mission_name, waypoints, status_detail } = mission;
  const name = live.site.devices.find(device_id)?.value.name ?? device_id;
  const reached = waypoints.filter(({ status }) => status === 'reached').length;
  return (
    <li class="movement">
      <div>
        <p class="what">
          <span>
            <DeviceLink deviceId={device_id} href={addressOf('map', null, { device: device_id })} />
          </span>
          <span class="free-text">{mission_name}</span>
        </p>
        <progress max={waypoints.length} value={reached} aria-label={missions.progress}>
          {missions.waypointsReached(reached, waypoints.length)}
        </progress>
        <p class="detail">
          <LastKnown>
            <span class="free-text">
              {withLocalTimes(status_detail, live.site.clock.nowMs.peek(), locale.value)}
            </span>
          </LastKnown>
        </p>
      </div>
      {useScope('operate') && (
        <StopButton
          of={device_id}
          {...emergencyStop}
          label={missions.emergencyStopOf(name)}
          text={common.emergencyStop}
        />
      )}
    </li>
  );
}
