import { durationMs } from '../../mapping/duration.ts';
import { groupMs, type Line, lineLoad, planReads, TYPICAL_ROUND_TRIP_MS } from '../../mapping/read-plan.ts';
import { messageOf } from '../../message-of.ts';
import type { AttachedDevice } from '../driver.ts';
import { type LineAddress, parseLineAddress } from './line.ts';

const UNIT_MAX = 255;
/** On a serial line, higher addresses are reserved, and 0 addresses all devices at once. */
const SERIAL_UNIT_MAX = 247;

const lineOf = (address: LineAddress): Line =>
  address.kind === 'serial' ? { baud: address.baud } : { roundTripMs: TYPICAL_ROUND_TRIP_MS };

/** Returns the period in the site file, which replaces that of the mapping. */
export const everyMsOf = ({ options }: Pick<AttachedDevice, 'options'>): number | null => {
  const { every } = options as { readonly every?: unknown };
  return typeof every === 'string' ? durationMs(every) : null;
};

/** Returns why a Modbus device of the site file cannot be read. */
export function modbusDeviceFaults(device: AttachedDevice): string[] {
  const { mapping, endpoint, unit } = device;
  if (mapping.protocol !== 'modbus') return [`the mapping ${mapping.name} is not one of Modbus`];
  let address: LineAddress;
  try {
    address = parseLineAddress(endpoint);
  } catch (error) {
    return [messageOf(error)];
  }
  const [least, most] = address.kind === 'tcp' ? [0, UNIT_MAX] : [1, SERIAL_UNIT_MAX];
  if (unit !== null && (unit < least || unit > most))
    return [`the unit must be ${least} to ${most}, not ${unit}`];
  const line = lineOf(address);
  const groups = planReads(mapping, everyMsOf(device));
  const late = groups.find((group) => groupMs(group, line, mapping.settings) > group.everyMs);
  if (late !== undefined)
    return [
      `${late.reads.length} requests every ${late.everyMs} ms need ${Math.round(groupMs(late, line, mapping.settings))} ms: give the device a longer every`,
    ];
  return lineLoad(groups, line, mapping.settings) > 1
    ? ['the requests of all its points take longer than their periods: give the device a longer every']
    : [];
}

/** Returns why the devices of one endpoint cannot all be read in time, although each of them alone can. */
export function endpointFaults(endpoint: string, devices: readonly AttachedDevice[]): string[] {
  const line = lineOf(parseLineAddress(endpoint));
  const load = devices.reduce(
    (sum, device) =>
      device.mapping.protocol === 'modbus'
        ? sum + lineLoad(planReads(device.mapping, everyMsOf(device)), line, device.mapping.settings)
        : sum,
    0,
  );
  return load <= 1
    ? []
    : [
        `${devices.length} devices keep ${endpoint} busy for ${Math.round(100 * load)} % of the time: give some a longer every`,
      ];
}
