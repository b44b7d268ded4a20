import type { FieldConfigurationPatch } from '@granary/contract/configuration/field-configuration';
import type { Point } from '@granary/contract/positions';
import { type FarmUnit, HILLSIDE, RIVERSIDE } from '../physics/facilities.ts';
import { COORDINATE_RESOLUTION, round } from '../physics/numbers.ts';
import { type Chassis, DRONE, ROVER } from './vehicle/chassis.ts';
import type { Vehicle } from './vehicle/drive.ts';
import type { Located } from './vehicle/environment.ts';
import { ahead, type Ground, groundAround, pointOf } from './vehicle/ground.ts';

/** One of the farm's field devices; to add one, add a row to the table. */
export interface FieldUnit extends FarmUnit, Vehicle, Located {
  readonly ground: Ground;
}

/** The configured consumption is higher than the simulated one, because wind, soft ground and battery age cost energy. */
const CAUTION = 1.25;
const FENCE_RADIUS_M = 400;
const FENCE_CORNERS = 8;

function unit(
  chassis: Chassis,
  home: readonly [lat: number, lng: number, altitudeM: number],
  rest: Omit<FieldUnit, 'chassis' | 'ground'>,
): FieldUnit {
  const [lat, lng, altitudeM] = home;
  return { ...rest, chassis, ground: groundAround({ lat, lng }, altitudeM) };
}

export const FIELD_UNITS: readonly FieldUnit[] = [
  unit(ROVER, [52.0214, 8.5312, 118], {
    id: 'rover-01',
    name: 'Hillside north field',
    firmwareVersion: '4.2.0',
    facility: HILLSIDE,
    zone: 'North field',
    soilMoisture: 31,
  }),
  unit(ROVER, [52.0189, 8.5341, 112], {
    id: 'rover-02',
    name: 'Hillside orchard',
    firmwareVersion: '4.2.0',
    facility: HILLSIDE,
    zone: 'Orchard',
    soilMoisture: 38,
  }),
  unit(ROVER, [51.9473, 8.8796, 93], {
    id: 'rover-03',
    name: 'Riverside meadow',
    firmwareVersion: '4.1.3',
    facility: RIVERSIDE,
    zone: 'Meadow',
    soilMoisture: 47,
  }),
  unit(DRONE, [52.0203, 8.5327, 115], {
    id: 'drone-01',
    name: 'Hillside lookout',
    firmwareVersion: '1.9.2',
    facility: HILLSIDE,
    zone: 'Yard',
    soilMoisture: 26,
  }),
];

/** The configuration that the farm sends for a new device. */
export function declaredConfiguration({ chassis, ground }: FieldUnit): FieldConfigurationPatch {
  const { lat, lng } = ground.origin;
  return {
    base: { latitude: lat, longitude: lng, altitude: ground.originAltitudeM },
    geofence: fenceOf(ground),
    motion: { speed_m_s: chassis.speedMS },
    failsafe: { link_loss_action: 'return_to_base', low_battery_action: 'return_to_base' },
    battery: {
      percent_per_km: chassis.battery.percentPerKm * CAUTION,
      percent_per_hour: chassis.battery.activePercentPerHour * CAUTION,
    },
  };
}

const rounded = ({ lat, lng }: Point): Point => ({
  lat: round(lat, COORDINATE_RESOLUTION),
  lng: round(lng, COORDINATE_RESOLUTION),
});

const fenceOf = (ground: Ground) =>
  Array.from({ length: FENCE_CORNERS }, (_, corner) =>
    rounded(pointOf(ground, ahead({ eastM: 0, northM: 0 }, (corner * 360) / FENCE_CORNERS, FENCE_RADIUS_M))),
  );
