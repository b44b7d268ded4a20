import type { LiveDevice } from '../live/devices.ts';
import type { MapContents } from './contents.ts';
import { FenceLayer } from './geofence/fence-layer.tsx';
import { MissionLayer } from './missions/mission-layer.tsx';
import { PlannerLayer } from './planner/planner-layer.tsx';
import { positionOf } from './vehicles/vehicle.ts';

interface Props {
  readonly device: LiveDevice;
  readonly mode: string | null;
  readonly contents: MapContents;
}

/** What the panel of the selected vehicle has drawn on the map. */
export function SelectedLayer({ device, mode, contents }: Props) {
  const vehicle = positionOf(device.value)?.point ?? null;
  if (mode === 'geofence') return <FenceLayer fence={contents.fence} />;
  if (mode === 'plan') {
    return (
      <PlannerLayer
        draft={contents.draft}
        from={vehicle}
        base={contents.base.value}
        faults={contents.faults.value}
      />
    );
  }
  const mission = contents.mission.value;
  return mission === null ? null : <MissionLayer mission={mission} vehicle={vehicle} />;
}
