import type { TSchema } from 'typebox';
import type { Checker } from '../input/schema.ts';
import type { FieldAck, FieldProgress } from '../link/field-messages.ts';
import type { OperationAck, OperationProgress } from '../link/messages.ts';
import type { ChannelName } from '../telemetry/channels.ts';
import type { DeviceTelemetry } from '../telemetry/telemetry.ts';
import type { DeviceGroup } from './groups.ts';

/** What a device can be asked to do. */
const CAPABILITIES = ['operations', 'commands', 'missions'] as const;
export type Capability = (typeof CAPABILITIES)[number];

export type DeviceAck = OperationAck | FieldAck;
export type DeviceProgress = OperationProgress | FieldProgress;

/** The checks of the messages in which a device answers requests. */
interface ReplyChecks {
  readonly ack: Checker<DeviceAck>;
  readonly progress: Checker<DeviceProgress>;
}

/** What callers need of a profile. */
export type ProfileOutline = Pick<ProfileContract, 'group' | 'channels' | 'capabilities'>;

/** The declaration of all data that a profile sends and receives. Its decisions are in `core/src/profiles`. */
export interface ProfileContract<Configuration extends TSchema = TSchema, Patch = unknown> {
  /** The group of endpoints in which its devices are registered. */
  readonly group: DeviceGroup;
  /** The channels that its devices measure. */
  readonly channels: readonly ChannelName[];
  readonly checkTelemetry: Checker<DeviceTelemetry>;
  readonly configuration: Configuration;
  readonly checkConfigurationPatch: Checker<Patch>;
  readonly capabilities: readonly Capability[];
  /** `null` for devices that cannot be asked to do anything. */
  readonly replies: ReplyChecks | null;
}
