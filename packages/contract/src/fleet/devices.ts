import { type Static, Type } from 'typebox';
import { DeviceSummary } from '../devices/devices.ts';
import { DEVICE_GROUPS } from '../devices/groups.ts';
import { DEVICE_STATUSES } from '../devices/statuses.ts';
import { PageQuery } from '../envelope.ts';
import { closed } from '../input/closed.ts';
import { described } from '../input/described.ts';
import { checker } from '../input/schema.ts';
import { line } from '../input/text-schemas.ts';
import { PROFILE_NAMES } from '../profiles/profiles.ts';
import { QUALITIES } from '../telemetry/telemetry.ts';
import { Timestamp } from '../time.ts';

/** The newest value of a sensor that has reported. */
const FleetReading = closed({
  value: Type.Number(),
  unit: Type.String(),
  timestamp: Timestamp,
  quality: Type.Enum(QUALITIES),
});

/** By the names of the sensors; a silo also has `level`, in percent of its capacity. */
export const FleetReadings = Type.Record(Type.String(), FleetReading);

export const FleetDevice = closed({
  ...DeviceSummary.properties,
  group: described('The group of endpoints that the device belongs to.', Type.Enum(DEVICE_GROUPS)),
  readings: Type.Optional(described('Only with `include=readings`.', FleetReadings)),
});

export const FleetDeviceQuery = closed({
  ...PageQuery.properties,
  facility: Type.Optional(line(200)),
  zone: Type.Optional(line(200)),
  status: Type.Optional(Type.Enum(DEVICE_STATUSES)),
  profile: Type.Optional(Type.Enum(PROFILE_NAMES)),
  q: Type.Optional(described('A part of the id, the name or the model, in upper or lower case.', line(200))),
  include: Type.Optional(Type.Enum(['readings'])),
  removed: Type.Optional(
    described('`true` lists the removed devices instead of the others.', Type.Enum(['true', 'false'])),
  ),
});

export type FleetReading = Static<typeof FleetReading>;
export type FleetReadings = Static<typeof FleetReadings>;
export type FleetDevice = Static<typeof FleetDevice>;
export type FleetDeviceQuery = Static<typeof FleetDeviceQuery>;

export const checkFleetDeviceQuery = checker(FleetDeviceQuery);
