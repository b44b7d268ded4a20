import type { BridgeMapping, NewBridgeTest } from '@granary/contract/bridges';

/** The place of a field device on its network, as it was typed. */
export interface PlaceDraft {
  /** The name of a mapping; empty until one is chosen. */
  readonly mapping: string;
  readonly endpoint: string;
  readonly unit: string;
  /** The options as text, one `name=value` in each line. */
  readonly options: string;
}

export const EMPTY_PLACE: PlaceDraft = { mapping: '', endpoint: '', unit: '', options: '' };

/** Examples of addresses as each protocol writes them, for an empty field. */
const ENDPOINT_EXAMPLES: Readonly<Record<string, string>> = {
  modbus: 'tcp://10.0.4.20:502',
  mqtt: 'mqtt://10.0.4.5:1883',
  lorawan: 'mqtt://10.0.4.5:1883',
  http: 'http://10.0.4.30/v1/current_conditions',
  nmea: 'tcp://10.0.4.40:10110',
  gpsd: 'tcp://127.0.0.1:2947',
  ascii: 'tcp://10.0.4.50:4001',
};

export const endpointExample = (mapping: BridgeMapping | undefined): string =>
  ENDPOINT_EXAMPLES[mapping?.protocol ?? ''] ?? 'tcp://10.0.4.20:502';

type Place = Extract<NewBridgeTest, { readonly mapping: string }>;

/** The place that the bridge is asked to read; `null` while something is missing or an option has another form. */
export function placeOf({ mapping, endpoint, unit, options }: PlaceDraft): Place | null {
  const entries = options
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => /^([a-z][a-z0-9_]*)\s*=\s*(.*)$/.exec(line));
  if (mapping === '' || !/^[a-z][a-z0-9+.-]*:\/\/\S+$/.test(endpoint.trim())) return null;
  if (unit.trim() !== '' && !/^\d{1,5}$/.test(unit.trim())) return null;
  if (entries.some((entry) => entry === null)) return null;
  const given = entries.map((entry) => [entry?.[1] ?? '', entry?.[2] ?? ''] as const);
  return {
    mapping,
    endpoint: endpoint.trim(),
    ...(unit.trim() === '' ? {} : { unit: Number(unit) }),
    ...(given.length === 0 ? {} : { options: Object.fromEntries(given) }),
  };
}
