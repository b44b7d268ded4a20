import { type ActiveFaults, COMMON_FAULTS } from '../faults/faults.ts';
import { createDrift, createReadingFault, type ReadingFault } from '../faults/reading-faults.ts';
import { round } from '../physics/resolution.ts';
import type { WeatherReading } from './weather.ts';

export const WEATHER_FAULTS = {
  ...COMMON_FAULTS,
  drift: 'the measured temperature rises by 2 °C an hour',
  dropout: 'wind and rain are missing from every reading',
} as const;

export type WeatherFault = keyof typeof WEATHER_FAULTS;

/** A reading as it is sent: a faulty station leaves values out. */
export type SentWeather = Omit<WeatherReading, 'wind_speed' | 'rainfall'> &
  Partial<Pick<WeatherReading, 'wind_speed' | 'rainfall'>>;

const DRIFT_C_PER_HOUR = 2;

export function createWeatherFault(faults: ActiveFaults<WeatherFault>): ReadingFault<SentWeather> {
  const ofProfile: ReadingFault<SentWeather>[] = [];
  if (faults.has('drift')) ofProfile.push(createDrift(warmer));
  if (faults.has('dropout')) ofProfile.push((reading) => [withoutWindAndRain(reading)]);
  return createReadingFault(faults, ofProfile);
}

const warmer = (reading: SentWeather, hours: number): SentWeather => ({
  ...reading,
  temperature: round(reading.temperature + DRIFT_C_PER_HOUR * hours, 0.1),
});

function withoutWindAndRain({ wind_speed, rainfall, ...others }: SentWeather): SentWeather {
  return others;
}
