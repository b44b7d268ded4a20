import type { FailsafeAction, FieldConfiguration } from '@granary/contract/configuration/field-configuration';
import { SECOND_MS } from '@granary/contract/time';
import { pauseRun } from './missions/mission-machine.ts';
import { breakOffMission, dropHeld, endTask, isUnderWay, type Pilot } from './pilot.ts';
import { isAirborne, type Vehicle } from './vehicle/drive.ts';
import { isWithin, planePointOf } from './vehicle/ground.ts';

/** A link that is back within this time was not lost. */
export const LINK_LOSS_AFTER_MS = 5 * SECOND_MS;

interface Emergency {
  readonly reason: string;
  readonly action: FailsafeAction;
}

/**
 * What a device does by itself while it is under way or in the air, as declared. Whatever takes it home may go on; nothing
 * begins while an emergency stop is in force.
 */
export function keepSafe(vehicle: Vehicle, pilot: Pilot, linkLostSinceMs: number | null): Pilot {
  const isGoingHome = pilot.isHoming || pilot.task?.command.name === 'return_to_base';
  if (pilot.isStopped || isGoingHome || !(isUnderWay(pilot) || isAirborne(vehicle, pilot.body))) return pilot;
  const emergency = emergenciesOf(vehicle, pilot, linkLostSinceMs).find(
    ({ action }) => action !== 'continue',
  );
  if (emergency === undefined) return pilot;
  const { action, reason } = emergency;
  return action === 'hold' ? holdBecause(pilot, reason) : goHomeBecause(pilot, reason);
}

function emergenciesOf(vehicle: Vehicle, pilot: Pilot, linkLostSinceMs: number | null): Emergency[] {
  const { configuration, mission, body } = pilot;
  const found: Emergency[] = [];
  if (configuration !== null) {
    const { failsafe, thresholds } = configuration;
    if (body.batteryPercent < thresholds.low_battery) {
      found.push({ reason: 'low battery', action: failsafe.low_battery_action });
    }
    if (isOutside(vehicle, pilot, configuration)) {
      found.push({ reason: 'outside the geofence', action: failsafe.geofence_breach_action });
    }
  }
  if (linkLostSinceMs !== null && body.timeMs - linkLostSinceMs >= LINK_LOSS_AFTER_MS) {
    const declared = configuration?.failsafe.link_loss_action ?? 'hold';
    const isOnMission = mission !== null && mission.state !== 'uploaded';
    const action = isOnMission ? mission.upload.link_loss_action : declared;
    found.push({ reason: 'link lost', action });
  }
  return found;
}

function isOutside({ ground }: Vehicle, { body }: Pilot, { geofence }: FieldConfiguration): boolean {
  return (
    geofence !== null &&
    !isWithin(
      geofence.map((point) => planePointOf(ground, point)),
      body,
    )
  );
}

/** It stays where it is until somebody wants otherwise, also when the reason is gone. */
function holdBecause(pilot: Pilot, reason: string): Pilot {
  const { mission } = pilot;
  const paused = { ...pilot, mission: mission === null ? null : pauseRun(mission, reason) };
  return endTask(paused, 'failed', reason);
}

function goHomeBecause(pilot: Pilot, reason: string): Pilot {
  const free = breakOffMission(pilot, 'aborted', reason);
  return { ...dropHeld(endTask(free, 'failed', reason), reason), isHoming: true };
}
