import type {
  FieldConfiguration,
  FieldConfigurationPatch,
} from '@granary/contract/configuration/field-configuration';
import { fieldRules } from '../alerts/rules/field-rules.ts';
import { applyFieldPatch, initialFieldConfiguration } from '../configuration/field-configuration.ts';
import type { DeviceProfile } from './profile.ts';

export const rover: DeviceProfile<FieldConfiguration, FieldConfigurationPatch> = {
  ...fieldRules,
  initialConfiguration: initialFieldConfiguration,
  patchConfiguration: applyFieldPatch,
  /** `null` because the device moves, so every reading may be outside the fence. */
  valueConditions: () => null,
};
