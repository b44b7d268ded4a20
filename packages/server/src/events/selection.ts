import { type Access, canAccess, isUnlimited } from '@granary/core/keys';
import type { Frame } from './frame.ts';

/** What a reader asked for. `null` means everything. */
export interface Wanted {
  readonly deviceIds: ReadonlySet<string> | null;
  readonly types: ReadonlySet<string> | null;
}

/** Whether a reader gets an event: one that it asked for, and that its key may know of. */
export function selectEvents(access: Access, { deviceIds, types }: Wanted): (frame: Frame) => boolean {
  const seesAll = access.scopes.includes('admin') && isUnlimited(access);
  return ({ type, deviceId, facility }) => {
    if (types !== null && !types.has(type)) return false;
    if (deviceId === null || facility === null) return deviceIds === null && seesAll;
    if (deviceIds !== null && !deviceIds.has(deviceId)) return false;
    return canAccess(access, { deviceId, facility });
  };
}
