import { CHANNELS, type ChannelName } from '@granary/contract/telemetry/channels';
import {
  type EnvironmentalReading,
  type LocationReading,
  TRACK_DEFAULT_MS,
  TRACK_POINTS_MAX,
  type TrackPoint,
  type TrackQuery,
} from '@granary/contract/telemetry/field-readings';
import { QUALITIES, type Quality } from '@granary/contract/telemetry/telemetry';
import { checkedTimeMs, SECOND_MS, toIso, toIsoOrNull } from '@granary/contract/time';
import type { LatestValues, Sensor } from '../sensors/sensor.ts';
import { STANDARD_SENSORS } from '../sensors/standard-sensors.ts';
import { type Measuring, measure } from './current-readings.ts';
import { refuseEmptyRange } from './history.ts';

interface Seen {
  readonly value: number | null;
  readonly quality: Quality;
  readonly tsMs: number | null;
}

function see(channel: ChannelName, latest: LatestValues, device: Measuring, nowMs: number): Seen {
  const newest = latest[channel];
  const { value, quality } = measure(STANDARD_SENSORS[channel], newest, device, nowMs);
  return { value, quality, tsMs: newest?.tsMs ?? null };
}

/** The age of a value is never negative, also if the device clock is ahead. */
const ageS = ({ tsMs }: Seen, nowMs: number): number | null =>
  tsMs === null ? null : Math.max(0, Math.round((nowMs - tsMs) / SECOND_MS));

const newestIso = (seen: readonly Seen[]): string | null => {
  const timesMs = seen.flatMap(({ tsMs }) => tsMs ?? []);
  return toIsoOrNull(timesMs.length === 0 ? null : Math.max(...timesMs));
};

/** The worst quality and the oldest time of the parts, because a position is only as good as its parts. */
const worstOf = (seen: readonly Seen[]): Seen =>
  seen.reduce((worst, other) => {
    const difference = QUALITIES.indexOf(other.quality) - QUALITIES.indexOf(worst.quality);
    const isWorse = difference > 0 || (difference === 0 && (other.tsMs ?? 0) < (worst.tsMs ?? 0));
    return isWorse ? other : worst;
  });

export function locationReading(latest: LatestValues, device: Measuring, nowMs: number): LocationReading {
  const latitude = see('latitude', latest, device, nowMs);
  const longitude = see('longitude', latest, device, nowMs);
  const altitude = see('altitude', latest, device, nowMs);
  const battery = see('battery_level', latest, device, nowMs);
  const signal = see('signal_strength', latest, device, nowMs);
  // A ground vehicle does not need to report its altitude.
  const place = worstOf([latitude, longitude, ...(altitude.tsMs === null ? [] : [altitude])]);
  return {
    coordinates: { latitude: latitude.value, longitude: longitude.value, altitude: altitude.value },
    battery_level: battery.value,
    signal_strength: signal.value,
    last_updated: newestIso([latitude, longitude, altitude, battery, signal]),
    quality: {
      coordinates: place.quality,
      battery_level: battery.quality,
      signal_strength: signal.quality,
    },
    age_s: {
      coordinates: ageS(place, nowMs),
      battery_level: ageS(battery, nowMs),
      signal_strength: ageS(signal, nowMs),
    },
  };
}

/** The newest values that a device reports about its surroundings. */
export function environmentalReading(
  latest: LatestValues,
  sensors: readonly Sensor[],
  device: Measuring,
  nowMs: number,
): EnvironmentalReading {
  const seen = {
    temperature: see('temperature', latest, device, nowMs),
    humidity: see('humidity', latest, device, nowMs),
    soil_moisture: see('soil_moisture', latest, device, nowMs),
    light_intensity: see('light_intensity', latest, device, nowMs),
    wind_speed: see('wind_speed', latest, device, nowMs),
    atmospheric_pressure: see('atmospheric_pressure', latest, device, nowMs),
  };
  const rainfall = sensors.includes(STANDARD_SENSORS.rainfall)
    ? see('rainfall', latest, device, nowMs)
    : null;
  const each = <Value>(of: (one: Seen) => Value) => ({
    temperature: of(seen.temperature),
    humidity: of(seen.humidity),
    soil_moisture: of(seen.soil_moisture),
    light_intensity: of(seen.light_intensity),
    wind_speed: of(seen.wind_speed),
    atmospheric_pressure: of(seen.atmospheric_pressure),
    ...(rainfall === null ? {} : { rainfall: of(rainfall) }),
  });
  return {
    ...each(({ value }) => value),
    last_updated: newestIso([...Object.values(seen), ...(rainfall === null ? [] : [rainfall])]),
    quality: each(({ quality }) => quality),
    age_s: each((one) => ageS(one, nowMs)),
  };
}

export interface TrackPlan {
  readonly fromMs: number;
  readonly toMs: number;
}

export function planTrack(query: TrackQuery, nowMs: number): TrackPlan {
  const toMs = query.to === undefined ? nowMs : checkedTimeMs(query.to);
  const fromMs = query.from === undefined ? toMs - TRACK_DEFAULT_MS : checkedTimeMs(query.from);
  refuseEmptyRange(fromMs, toMs);
  return { fromMs, toMs };
}

/** A position in its stored whole numbers. */
export interface StoredPlace {
  readonly tsMs: number;
  readonly latitude: number;
  readonly longitude: number;
  readonly altitude: number | null;
}

/** The points of a track, ordered by time; if there are too many, every nth point and the last one. */
export function trackPoints(places: readonly StoredPlace[], pointsMax = TRACK_POINTS_MAX): TrackPoint[] {
  const step = Math.max(1, Math.ceil(places.length / pointsMax));
  const last = places.length - 1;
  return places.filter((_, index) => (last - index) % step === 0).map(trackPoint);
}

const trackPoint = ({ tsMs, latitude, longitude, altitude }: StoredPlace): TrackPoint => ({
  timestamp: toIso(tsMs),
  latitude: latitude / CHANNELS.latitude.scale,
  longitude: longitude / CHANNELS.longitude.scale,
  altitude: altitude === null ? null : altitude / CHANNELS.altitude.scale,
});
