import type { Point } from '@granary/contract/positions';
import { EmergencyStop } from '../commands/emergency-stop.tsx';
import { useVehicleState } from '../commands/use-vehicle-state.ts';
import type { LiveDevice } from '../live/devices.ts';
import type { MapContents } from './contents.ts';
import { FencePanel } from './geofence/fence-panel.tsx';
import { MissionsMode } from './missions/missions-mode.tsx';
import { PlanMode } from './planner/plan-mode.tsx';
import { VehiclePanel } from './vehicles/vehicle-panel.tsx';

interface Props {
  readonly device: LiveDevice;
  readonly mode: string | null;
  readonly missionId: string | null;
  readonly contents: MapContents;
  readonly middle: () => Point;
  readonly open: (more: Readonly<Record<string, string | undefined>>) => void;
}

/** The selected vehicle, the planner for it, or the editor of its geofence; the emergency stop is in each of them. */
export function SelectedPanel({ device, mode, missionId, contents, middle, open }: Props) {
  const { device_id: deviceId, name } = device.value;
  const { value: state, failure } = useVehicleState(deviceId);
  const stop = <EmergencyStop deviceId={deviceId} name={name} state={state?.detail.emergency_stop} />;
  if (mode === 'plan') {
    return (
      <>
        {stop}
        <PlanMode
          deviceId={deviceId}
          name={name}
          contents={contents}
          middle={middle}
          onClose={(created) => open({ mission: created ?? undefined })}
        />
      </>
    );
  }
  if (mode === 'geofence') {
    return (
      <>
        {stop}
        <FencePanel
          deviceId={deviceId}
          name={name}
          middle={middle}
          fence={contents.fence}
          onClose={() => open({})}
        />
      </>
    );
  }
  return (
    <VehiclePanel device={device} state={state} failure={failure} stop={stop}>
      <MissionsMode deviceId={deviceId} missionId={missionId} contents={contents} />
    </VehiclePanel>
  );
}
