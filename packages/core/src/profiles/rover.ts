import type {
  FieldConfiguration,
  FieldConfigurationPatch,
} from '@granary/contract/configuration/field-configuration';
import { fieldRules } from '../alerts/field-rules.ts';
import { applyFieldPatch, initialFieldConfiguration } from '../configuration/field-configuration.ts';
import type { DeviceProfile } from './profile.ts';

export const rover: DeviceProfile<FieldConfiguration, FieldConfigurationPatch> = {
  ...fieldRules,
  initialConfiguration: initialFieldConfiguration,
  patchConfiguration: applyFieldPatch,
  /** It moves, so every reading may take it over its fence. */
  noChangeBand: () => null,
};
