import { checkFieldConfigurationPatch, FieldConfiguration } from '../configuration/field-configuration.ts';
import { checkFieldAck, checkFieldProgress } from '../link/field-messages.ts';
import type { ChannelName } from '../telemetry/channels.ts';
import { telemetryChecker } from '../telemetry/telemetry.ts';
import type { ProfileContract } from './profile.ts';

const channels = [
  'latitude',
  'longitude',
  'altitude',
  'battery_level',
  'signal_strength',
  'temperature',
  'humidity',
  'soil_moisture',
  'light_intensity',
  'wind_speed',
  'atmospheric_pressure',
] as const satisfies readonly ChannelName[];

/** A vehicle that takes commands and missions, on the ground or in the air. */
export const rover = {
  group: 'field',
  channels,
  checkTelemetry: telemetryChecker(channels),
  configuration: FieldConfiguration,
  checkConfigurationPatch: checkFieldConfigurationPatch,
  capabilities: ['commands', 'missions'],
  replies: { ack: checkFieldAck, progress: checkFieldProgress },
} as const satisfies ProfileContract;
