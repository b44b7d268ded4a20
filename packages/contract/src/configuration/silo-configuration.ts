import { type Static, Type } from 'typebox';
import { siloUseFields, siloUsePatchFields } from '../foresight/silo-use.ts';
import { checker, closed } from '../input/schema.ts';
import { Maintenance, monitoringFields, monitoringPatchFields, Percent } from './shared-configuration.ts';

const Rate = Type.Number({ exclusiveMinimum: 0, maximum: 1e6 });

const Thresholds = closed({ low_level: Percent, high_level: Percent, critical_level: Percent });

const OperationLimits = closed({
  max_feed_rate: Rate,
  max_discharge_rate: Rate,
  rate_unit: Type.Literal('kg/min'),
});

export const SiloConfiguration = closed({
  thresholds: Thresholds,
  operation_limits: OperationLimits,
  maintenance: Maintenance,
  ...monitoringFields,
  ...siloUseFields,
});

/** Any part of the configuration; other fields are unchanged. */
export const SiloConfigurationPatch = closed({
  thresholds: Type.Optional(Type.Partial(Thresholds, { additionalProperties: false })),
  operation_limits: Type.Optional(Type.Partial(OperationLimits, { additionalProperties: false })),
  maintenance: Type.Optional(Type.Partial(Maintenance, { additionalProperties: false })),
  ...monitoringPatchFields,
  ...siloUsePatchFields,
});

export type SiloConfiguration = Static<typeof SiloConfiguration>;
export type SiloConfigurationPatch = Static<typeof SiloConfigurationPatch>;

export const checkSiloConfigurationPatch = checker(SiloConfigurationPatch);
