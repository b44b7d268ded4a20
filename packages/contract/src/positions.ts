import { type Static, Type } from 'typebox';
import { closed } from './input/schema.ts';
import { CHANNELS } from './telemetry/channels.ts';

export const Latitude = Type.Number({ minimum: CHANNELS.latitude.min, maximum: CHANNELS.latitude.max });
export const Longitude = Type.Number({ minimum: CHANNELS.longitude.min, maximum: CHANNELS.longitude.max });
/** The altitude in metres above the reference level of the device. */
export const Altitude = Type.Number({ minimum: CHANNELS.altitude.min, maximum: CHANNELS.altitude.max });

export const Position = closed({ latitude: Latitude, longitude: Longitude, altitude: Altitude });

/** A place on the ground, with the field names of waypoints. */
export const Point = closed({ lat: Latitude, lng: Longitude });

export type Position = Static<typeof Position>;
export type Point = Static<typeof Point>;
