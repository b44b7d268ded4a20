import type {
  ConfigurationPatch,
  DeviceConfiguration,
  ProfileName,
} from '@granary/contract/profiles/profiles';
import type { AlarmFacts, AlarmRules } from '../alerts/evaluation.ts';
import type { FieldFacts } from '../alerts/field-rules.ts';
import type { WeightRange } from '../alerts/level-rules.ts';
import type { AlertState } from '../alerts/lifecycle.ts';
import type { SiloFacts } from '../alerts/silo-rules.ts';
import type { CommandState } from '../commands/state.ts';
import type { MissionState } from '../missions/state.ts';
import type { OperationState } from '../operations/state.ts';

/** Everything that decisions about a device rest on. Of jobs that its profile cannot have, there are none. */
export interface DeviceFacts<Configuration = DeviceConfiguration> extends AlarmFacts {
  readonly profile: ProfileName;
  readonly configuration: Configuration & AlarmFacts['configuration'];
  /** The newest one, and every other that holds the device. */
  readonly operations: readonly OperationState[];
  /** The one that ended last, and every one that holds the device. */
  readonly missions: readonly MissionState[];
  /** Those that need further ticks. */
  readonly commands: readonly CommandState[];
}

/** What a profile decides. What it declares of the wire is in `contract/src/profiles`. */
export interface DeviceProfile<Configuration = DeviceConfiguration, Patch = ConfigurationPatch>
  extends AlarmRules<DeviceFacts<Configuration>> {
  /** What a device starts with. */
  initialConfiguration(nowMs: number): Configuration;
  /** The configuration with the patch laid over it, or a refusal if the whole would contradict itself. */
  patchConfiguration(current: Configuration, patch: Patch): Configuration;
  /** The weights that cannot change any alert; `null` when every reading has to be evaluated. */
  noChangeBand(facts: DeviceFacts<Configuration>, open: readonly AlertState[]): WeightRange | null;
}

/** What is known besides of a device that can be asked for this. */
export interface FactsFor {
  readonly operations: SiloFacts;
  readonly commands: FieldFacts;
  readonly missions: FieldFacts;
}
