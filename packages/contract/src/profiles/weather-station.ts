import {
  checkWeatherStationConfigurationPatch,
  WeatherStationConfiguration,
} from '../configuration/weather-station-configuration.ts';
import type { ChannelName } from '../telemetry/channels.ts';
import { telemetryChecker } from '../telemetry/telemetry.ts';
import type { ProfileContract } from './profile.ts';

const channels = [
  'temperature',
  'humidity',
  'wind_speed',
  'atmospheric_pressure',
  'rainfall',
  'light_intensity',
] as const satisfies readonly ChannelName[];

/** Measures the weather where it stands, and cannot be asked to do anything. */
export const weatherStation = {
  group: 'field',
  channels,
  checkTelemetry: telemetryChecker(channels),
  configuration: WeatherStationConfiguration,
  checkConfigurationPatch: checkWeatherStationConfigurationPatch,
  capabilities: [],
  replies: null,
} as const satisfies ProfileContract;
