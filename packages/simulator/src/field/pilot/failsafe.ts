import type { FailsafeAction } from '@granary/contract/configuration/failsafe-actions';
import { SECOND_MS } from '@granary/contract/time';
import { pauseRun } from '../missions/mission-machine.ts';
import type { ReceivedConfiguration } from '../received-configuration.ts';
import { isAirborne, type Vehicle } from '../vehicle/drive.ts';
import { isWithin, planePointOf } from '../vehicle/ground.ts';
import { dropHeld, endStartedMission, endTask, isUnderWay, type Pilot } from './pilot.ts';

/** A connection that is restored within this time does not count as lost. */
export const LINK_LOSS_AFTER_MS = 5 * SECOND_MS;

interface FailsafeTrigger {
  readonly reason: string;
  readonly action: FailsafeAction;
}

/**
 * Applies the failsafe actions of the configuration while the device is under way or in the air. A return to base
 * continues; nothing begins while an emergency stop is in force.
 */
export function applyFailsafe(vehicle: Vehicle, pilot: Pilot, linkLostSinceMs: number | null): Pilot {
  const isGoingHome = pilot.isReturningHome || pilot.task?.command.name === 'return_to_base';
  if (pilot.isStopped || isGoingHome || !(isUnderWay(pilot) || isAirborne(vehicle, pilot.body))) return pilot;
  const emergency = failsafeTriggers(vehicle, pilot, linkLostSinceMs).find(
    ({ action }) => action !== 'continue',
  );
  if (emergency === undefined) return pilot;
  const { action, reason } = emergency;
  return action === 'hold' ? holdFor(pilot, reason) : returnHomeFor(pilot, reason);
}

function failsafeTriggers(vehicle: Vehicle, pilot: Pilot, linkLostSinceMs: number | null): FailsafeTrigger[] {
  const { configuration, mission, body } = pilot;
  const found: FailsafeTrigger[] = [];
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

function isOutside({ ground }: Vehicle, { body }: Pilot, { geofence }: ReceivedConfiguration): boolean {
  return (
    geofence !== null &&
    !isWithin(
      geofence.map((point) => planePointOf(ground, point)),
      body,
    )
  );
}

/** The device stays where it is until it gets a command, also when the reason no longer applies. */
function holdFor(pilot: Pilot, reason: string): Pilot {
  const { mission } = pilot;
  const paused = { ...pilot, mission: mission === null ? null : pauseRun(mission, reason) };
  return endTask(paused, 'failed', reason);
}

function returnHomeFor(pilot: Pilot, reason: string): Pilot {
  const free = endStartedMission(pilot, 'aborted', reason);
  return { ...dropHeld(endTask(free, 'failed', reason), reason), isReturningHome: true };
}
