import { FieldConfiguration } from '@granary/contract/configuration/field-configuration';
import { checker } from '@granary/contract/input/schema';
import { type SentConfiguration, sentSchema } from '@granary/contract/link/configuration-message';
import { parseJson } from '../device/message.ts';
import { isRecord } from '../files/json-file.ts';

/** The configuration that a device has received. */
export type ReceivedConfiguration = SentConfiguration<FieldConfiguration>;

const checkConfiguration = checker(sentSchema(FieldConfiguration));

export const isConfiguration = checkConfiguration.accepts;

/** The configuration message; its version is not needed here. */
export function parseConfiguration(payload: string): ReceivedConfiguration | undefined {
  const message = parseJson(payload);
  if (!isRecord(message)) return undefined;
  const { version, ...configuration } = message;
  return isConfiguration(configuration) ? configuration : undefined;
}
