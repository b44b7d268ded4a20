import type { FleetMission } from '@granary/contract/fleet/records';
import { useConsole, useScope } from '../console.ts';
import { StopButton } from '../operations/stop-button.tsx';
import { addressOf } from '../routes.ts';
import { texts } from '../texts/texts.ts';

/** One mission under way, with the emergency stop of its vehicle. */
export function MissionMovement({ mission }: { readonly mission: FleetMission }) {
  const { client, live } = useConsole();
  const { missions, common } = texts.value;
  const { device_id, mission_name, waypoints, status_detail } = mission;
  const name = live.site.devices.find(device_id)?.value.name ?? device_id;
  const reached = waypoints.filter(({ status }) => status === 'reached').length;
  return (
    <li class="movement">
      <div>
        <p class="what">
          <a class="free-text" href={addressOf('map', null, { device: device_id })}>
            {name}
          </a>
          <span class="free-text">{mission_name}</span>
        </p>
        <progress max={waypoints.length} value={reached} aria-label={missions.progress}>
          {missions.waypointsReached(reached, waypoints.length)}
        </progress>
        <p class="detail">{status_detail}</p>
      </div>
      {useScope('operate') && (
        <StopButton
          stop={() => client.commands.give(device_id, { command: 'emergency_stop' })}
          isRequested={false}
          label={missions.emergencyStopOf(name)}
          text={common.emergencyStop}
        />
      )}
    </li>
  );
}
