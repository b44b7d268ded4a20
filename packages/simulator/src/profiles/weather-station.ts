import { MINUTE_MS } from '@granary/contract/time';
import { Device } from '../device/device.ts';
import { createWeatherFault, STATIONS, WEATHER_FAULTS, WeatherModel, weatherAt } from '../weather.ts';
import { registrationOf, simulatedProfile } from './profile.ts';

const HISTORY_SPACING_MS = 15 * MINUTE_MS;

export const weatherStation = simulatedProfile({
  title: 'weather stations',
  group: 'field',
  units: STATIONS,
  faults: WEATHER_FAULTS,
  register: (client, station) =>
    client.devices.field.register({ ...registrationOf(station), model: 'WS-6', profile: 'weather_station' }),
  histories: (station) => [
    {
      spacingMs: HISTORY_SPACING_MS,
      readingAt: (timeMs) => weatherAt(station, timeMs, timeMs - HISTORY_SPACING_MS),
      dailyPoints: (client, query) =>
        client.fieldReadings.history(station.id, { ...query, sensor: 'temperature' }),
    },
  ],
  create: (station, options) =>
    new Device(options, {
      createReadingFault: createWeatherFault,
      createModel: ({ nowMs }) => new WeatherModel(station, nowMs),
    }),
});
