import { HOUR_MS } from '@granary/contract/time';
import type { Chassis } from './chassis.ts';
import type { RoverBody } from './rover-body.ts';

/** The movement and the elapsed time since the last step. */
export interface Effort {
  readonly movedM: number;
  readonly elapsedMs: number;
  readonly isActive: boolean;
  readonly isCharging: boolean;
}

const METRES_PER_KM = 1_000;

/** The energy for movement grows in proportion to the total mass. */
export function spend({ battery, massKg }: Chassis, body: RoverBody, effort: Effort): RoverBody {
  const { movedM, elapsedMs, isActive, isCharging } = effort;
  const hours = elapsedMs / HOUR_MS;
  if (isCharging) return charged(body, battery.chargePercentPerHour * hours);
  const load = 1 + body.payloadKg / massKg;
  const perHour = isActive ? battery.activePercentPerHour : battery.awakePercentPerHour;
  const used = (movedM / METRES_PER_KM) * battery.percentPerKm * load + perHour * hours;
  return charged(body, -used);
}

const charged = (body: RoverBody, percent: number): RoverBody => ({
  ...body,
  batteryPercent: Math.min(100, Math.max(0, body.batteryPercent + percent)),
});

/** An empty battery allows no movement. */
export const isEmpty = ({ batteryPercent }: RoverBody): boolean => batteryPercent <= 0;
