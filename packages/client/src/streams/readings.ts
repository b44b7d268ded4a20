import type { GroupRoots } from '@granary/contract/endpoints/declaration/groups';
import type { NewestValues } from '@granary/contract/fleet';
import { ENDPOINT_OUTLINES } from '@granary/contract/outline';
import { callOf } from '../derive.ts';
import type { Transport } from '../requests/transport.ts';
import { reconnecting, type StreamOptions } from './reconnecting.ts';

export interface ReadingsFilter extends StreamOptions {
  readonly deviceIds?: readonly string[];
  readonly facility?: string;
}

export interface ReadingsClient {
  /**
   * Yields the newest values of the devices: first those of all devices, in parts, then those of devices that have changed, at
   * most once a second. After a lost connection it begins again with all devices. Values that were replaced meanwhile are not
   * sent.
   */
  stream(filter?: ReadingsFilter): AsyncGenerator<NewestValues, void, undefined>;
}

export function readingsClient(transport: Transport, roots: GroupRoots): ReadingsClient {
  return { stream: (filter = {}) => follow(transport, roots, filter) };
}

async function* follow(
  transport: Transport,
  roots: GroupRoots,
  filter: ReadingsFilter,
): AsyncGenerator<NewestValues, void, undefined> {
  const { deviceIds, facility } = filter;
  const call = callOf(ENDPOINT_OUTLINES.readings.stream, roots, [
    { device_id: deviceIds?.join(','), facility },
  ]);
  for await (const { data } of reconnecting(transport, () => call, filter)) {
    if (data !== null) yield JSON.parse(data);
  }
}
