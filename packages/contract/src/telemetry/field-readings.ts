import { type Static, Type } from 'typebox';
import { checker, closed, described } from '../input/schema.ts';
import { wholeNumberText } from '../input/text-schemas.ts';
import { Timestamp } from '../input/timestamp.ts';
import { HOUR_MS } from '../time.ts';
import { DeclaredReadings, QUALITIES } from './telemetry.ts';

const NumberOrNull = Type.Union([Type.Number(), Type.Null()]);
const TimestampOrNull = Type.Union([Timestamp, Type.Null()]);
const Quality = Type.Enum(QUALITIES);

/** `null` for a value that was never reported; ages are in seconds, at the time of the answer. */
export const LocationReading = closed({
  coordinates: closed({ latitude: NumberOrNull, longitude: NumberOrNull, altitude: NumberOrNull }),
  battery_level: NumberOrNull,
  signal_strength: NumberOrNull,
  last_updated: described('When the newest of the values was measured.', TimestampOrNull),
  quality: closed({ coordinates: Quality, battery_level: Quality, signal_strength: Quality }),
  age_s: closed({ coordinates: NumberOrNull, battery_level: NumberOrNull, signal_strength: NumberOrNull }),
});

/** The first six values are in every answer, even if the device has no such sensor. */
const ofEachSensor = <Value extends typeof NumberOrNull | typeof Quality>(value: Value) => ({
  temperature: value,
  humidity: value,
  soil_moisture: value,
  light_intensity: value,
  wind_speed: value,
  atmospheric_pressure: value,
  rainfall: Type.Optional(described('In the answers of devices whose profile has such a sensor.', value)),
});

export const EnvironmentalReading = closed({
  ...ofEachSensor(NumberOrNull),
  last_updated: TimestampOrNull,
  quality: closed(ofEachSensor(Quality)),
  age_s: closed(ofEachSensor(NumberOrNull)),
  sensors: Type.Optional(DeclaredReadings),
});

export const TRACK_POINTS_MAX = 10_000;
export const TRACK_DEFAULT_MS = 6 * HOUR_MS;

/** Without parameters the range is the last six hours. */
export const TrackQuery = closed({
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
  limit: Type.Optional(wholeNumberText(1, TRACK_POINTS_MAX, 'How many points are answered at most.')),
});

export const TrackPoint = closed({
  timestamp: Timestamp,
  latitude: Type.Number(),
  longitude: Type.Number(),
  altitude: NumberOrNull,
});

/** Of a track that is too long, the last point of each time window is returned; all windows have the same length. */
export const Track = closed({ from: Timestamp, to: Timestamp, points: Type.Array(TrackPoint) });

export type LocationReading = Static<typeof LocationReading>;
export type EnvironmentalReading = Static<typeof EnvironmentalReading>;
export type TrackQuery = Static<typeof TrackQuery>;
export type TrackPoint = Static<typeof TrackPoint>;
export type Track = Static<typeof Track>;

export const checkTrackQuery = checker(TrackQuery);
