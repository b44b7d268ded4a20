import type { FleetDevice } from '@granary/contract/fleet/devices';
import { EmergencyStop } from '../commands/emergency-stop.tsx';
import { useVehicleState } from '../commands/use-vehicle-state.ts';
import { VehicleCommands } from '../commands/vehicle-commands.tsx';
import { Failure } from '../parts/failure.tsx';
import { addressOf } from '../routes.ts';
import { texts } from '../texts/texts.ts';

/** The emergency stop and the commands of a vehicle, and the way to its missions. */
export function VehicleActions({ device: { device_id, name } }: { readonly device: FleetDevice }) {
  const { devices } = texts.value;
  const { value: state, failure } = useVehicleState(device_id);
  const stop = state?.detail.emergency_stop;
  return (
    <section class="panel device-vehicle" aria-label={devices.vehicle}>
      <EmergencyStop deviceId={device_id} name={name} state={stop} />
      <Failure of={failure} />
      <VehicleCommands
        deviceId={device_id}
        name={name}
        isStopInForce={stop?.active === true}
        newest={state?.newestCommand ?? null}
      />
      <a class="button" href={addressOf('map', null, { device: device_id })}>
        {devices.onTheMap}
      </a>
      <a href={addressOf('operations', 'commands', { device: device_id })}>{devices.allCommands}</a>
    </section>
  );
}
