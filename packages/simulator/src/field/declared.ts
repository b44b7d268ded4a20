import { FieldConfiguration } from '@granary/contract/configuration/field-configuration';
import { checker } from '@granary/contract/input/schema';
import { parseJson } from '../device/message.ts';
import { isRecord } from '../files/json-file.ts';

const checkConfiguration = checker(FieldConfiguration);

export const isConfiguration = checkConfiguration.accepts;

/** The configuration message; its version is not needed here. */
export function parseConfiguration(payload: string): FieldConfiguration | undefined {
  const message = parseJson(payload);
  if (!isRecord(message)) return undefined;
  const { version, ...configuration } = message;
  return isConfiguration(configuration) ? configuration : undefined;
}
