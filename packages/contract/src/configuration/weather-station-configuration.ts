import { type Static, Type } from 'typebox';
import { checker, closed } from '../input/schema.ts';
import { Maintenance, monitoringFields, monitoringPatchFields } from './shared-configuration.ts';

export const WeatherStationConfiguration = closed({ maintenance: Maintenance, ...monitoringFields });

/** Any part of the configuration; other fields are unchanged. */
export const WeatherStationConfigurationPatch = closed({
  maintenance: Type.Optional(Type.Partial(Maintenance, { additionalProperties: false })),
  ...monitoringPatchFields,
});

export type WeatherStationConfiguration = Static<typeof WeatherStationConfiguration>;
export type WeatherStationConfigurationPatch = Static<typeof WeatherStationConfigurationPatch>;

export const checkWeatherStationConfigurationPatch = checker(WeatherStationConfigurationPatch);
