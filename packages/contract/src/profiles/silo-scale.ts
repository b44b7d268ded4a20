import { checkSiloConfigurationPatch, SiloConfiguration } from '../configuration/silo-configuration.ts';
import { checkOperationAck, checkOperationProgress } from '../link/messages.ts';
import type { ChannelName } from '../telemetry/channels.ts';
import { telemetryChecker } from '../telemetry/telemetry.ts';
import type { ProfileContract } from './profile.ts';

const channels = ['weight', 'temperature', 'humidity'] as const satisfies readonly ChannelName[];

/** A silo on load cells, with a gate that feeds and discharges. */
export const siloScale = {
  group: 'silo',
  channels,
  checkTelemetry: telemetryChecker(channels),
  configuration: SiloConfiguration,
  checkConfigurationPatch: checkSiloConfigurationPatch,
  capabilities: ['operations'],
  replies: { ack: checkOperationAck, progress: checkOperationProgress },
} as const satisfies ProfileContract;
