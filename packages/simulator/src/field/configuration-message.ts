import { parseJson } from '../device/message.ts';
import { isRecord } from '../files/json-file.ts';
import { isConfiguration, type ReceivedConfiguration } from './received-configuration.ts';

/** The configuration message; its version is not needed here. */
export function parseConfiguration(payload: string): ReceivedConfiguration | undefined {
  const message = parseJson(payload);
  if (!isRecord(message)) return undefined;
  const { version, ...configuration } = message;
  return isConfiguration(configuration) ? configuration : undefined;
}
