import { type Static, Type } from 'typebox';
import { checker, closed, described } from '../input/schema.ts';
import { Altitude, Point, Position } from '../positions.ts';
import { Maintenance, monitoringFields, monitoringPatchFields, Percent } from './shared-configuration.ts';

/** The actions that a device takes by itself. */
export const FAILSAFE_ACTIONS = ['continue', 'hold', 'return_to_base'] as const;
export const GEOFENCE_POINTS_MAX = 200;

export type FailsafeAction = (typeof FAILSAFE_ACTIONS)[number];

/** A polygon whose last point is connected to the first; its edges are shortest lines and belong to it. */
export const Geofence = Type.Array(Point, { minItems: 3, maxItems: GEOFENCE_POINTS_MAX });

const Thresholds = closed({ low_battery: Percent, critical_battery: Percent });

const Motion = closed({ speed_m_s: Type.Number({ minimum: 0.01, maximum: 100 }) });

/** The figures of the preflight estimate: battery use per distance and per time, and the reserve at the end. */
const Battery = closed({
  reserve_percent: Percent,
  percent_per_km: Type.Number({ minimum: 0, maximum: 1_000 }),
  percent_per_hour: Type.Number({ minimum: 0, maximum: 1_000 }),
});

const Failsafe = closed({
  link_loss_action: Type.Enum(FAILSAFE_ACTIONS),
  low_battery_action: Type.Enum(FAILSAFE_ACTIONS),
  geofence_breach_action: Type.Enum(FAILSAFE_ACTIONS),
});

const PositionOrNull = Type.Union([Position, Type.Null()]);
const BasePatch = closed({
  ...Position.properties,
  altitude: Type.Optional(described('0 when not given.', Altitude)),
});
const GeofenceOrNull = Type.Union([Geofence, Type.Null()]);

export const FieldConfiguration = closed({
  base: described(
    'The place the device returns to. Without one no failsafe action can be `return_to_base`, and the way back of a mission leads to the position at its creation.',
    PositionOrNull,
  ),
  geofence: GeofenceOrNull,
  motion: Motion,
  battery: Battery,
  thresholds: Thresholds,
  failsafe: Failsafe,
  maintenance: Maintenance,
  ...monitoringFields,
});

/** Any part of the configuration; other fields are unchanged; a base and a geofence are replaced as a whole. */
export const FieldConfigurationPatch = closed({
  base: Type.Optional(Type.Union([BasePatch, Type.Null()])),
  geofence: Type.Optional(GeofenceOrNull),
  motion: Type.Optional(Type.Partial(Motion, { additionalProperties: false })),
  battery: Type.Optional(Type.Partial(Battery, { additionalProperties: false })),
  thresholds: Type.Optional(Type.Partial(Thresholds, { additionalProperties: false })),
  failsafe: Type.Optional(Type.Partial(Failsafe, { additionalProperties: false })),
  maintenance: Type.Optional(Type.Partial(Maintenance, { additionalProperties: false })),
  ...monitoringPatchFields,
});

export type Geofence = Static<typeof Geofence>;
export type FieldConfiguration = Static<typeof FieldConfiguration>;
export type FieldConfigurationPatch = Static<typeof FieldConfigurationPatch>;

export const checkFieldConfigurationPatch = checker(FieldConfigurationPatch);
