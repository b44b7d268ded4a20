import type { ProtocolName } from '../mapping/mapping.ts';
import type { DriverModule } from './driver.ts';

/** Loaded at the first use, so that no library of a protocol is loaded unless a device speaks it. */
const DRIVERS: Partial<Readonly<Record<ProtocolName, () => Promise<DriverModule>>>> = {};

export async function loadDriver(protocol: ProtocolName): Promise<DriverModule> {
  const load = DRIVERS[protocol];
  if (load === undefined) throw new Error(`no driver speaks ${protocol}`);
  return await load();
}
