import './movement-strip.css';
import type { FleetMission, FleetOperation } from '@granary/contract/fleet';
import { useEmergencyStop } from '../commands/emergency-stop.tsx';
import { useConsole, useScope } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { DeviceName } from '../kit/device-name.tsx';
import { withLocalTimes } from '../kit/format.ts';
import { LastKnown } from '../kit/measured.tsx';
import { operationTitle } from '../operations/jobs.ts';
import { OperationProgress, OperationStop, useTimeLeft } from '../operations/operation-progress.tsx';
import { StopButton } from '../operations/stop-button.tsx';
import { locale, texts } from '../texts/texts.ts';

/** Below the alarm bar while anything moves: what, how far, how long still, and its stop. */
export function MovementStrip() {
  const { site } = useConsole().live;
  const operations = [...site.operations.all.value.values()];
  const missions = [...site.missions.all.value.values()];
  if (operations.length + missions.length === 0) return null;
  return (
    <section class="movement-strip" aria-label={texts.value.shell.movement}>
      <ul>
        {operations.map((operation) => (
          <OperationMovement key={operation.operation_id} operation={operation} />
        ))}
        {missions.map((mission) => (
          <MissionMovement key={mission.mission_id} mission={mission} />
        ))}
      </ul>
    </section>
  );
}

/** One mission under way, with the emergency stop of its vehicle. */
function MissionMovement({ mission }: { readonly mission: FleetMission }) {
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
            <DeviceName deviceId={device_id} href={addressOf('map', null, { device: device_id })} />
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

/** One operation under way. */
function OperationMovement({ operation }: { readonly operation: FleetOperation }) {
  const { clock } = useConsole().live.site;
  const { device_id, progress, status_detail } = operation;
  const timeLeft = useTimeLeft(operation);
  return (
    <li class="movement">
      <div>
        <p class="what">
          <span>
            <DeviceName deviceId={device_id} />
          </span>
          <span class="free-text">{operationTitle(operation)}</span>
        </p>
        <OperationProgress operation={operation} />
        <p class="detail">
          <LastKnown>
            {progress === null ? '' : `${Math.round(progress)} % · `}
            {timeLeft ?? withLocalTimes(status_detail, clock.nowMs.peek(), locale.value)}
          </LastKnown>
        </p>
      </div>
      <OperationStop operation={operation} />
    </li>
  );
}
