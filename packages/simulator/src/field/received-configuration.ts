import { FieldConfiguration } from '@granary/contract/configuration/field-configuration';
import { checker } from '@granary/contract/input/schema';
import { type SentConfiguration, sentSchema } from '@granary/contract/link/messages';

/** The configuration that a device has received. */
export type ReceivedConfiguration = SentConfiguration<FieldConfiguration>;

const checkConfiguration = checker(sentSchema(FieldConfiguration));

export const isConfiguration = checkConfiguration.accepts;
