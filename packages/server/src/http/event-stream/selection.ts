import { type Access, canAccess, isUnlimited } from '@granary/core/keys';
import type { Frame } from '../../background/events/frame.ts';

/** The filters of a reader; `null` means everything. */
export interface EventFilter {
  readonly deviceIds: ReadonlySet<string> | null;
  readonly types: ReadonlySet<string> | null;
}

/** A reader gets an event that matches its filters and that its key may access. */
export function selectEvents(access: Access, { deviceIds, types }: EventFilter): (frame: Frame) => boolean {
  const hasFullAccess = access.scopes.includes('admin') && isUnlimited(access);
  return ({ type, deviceId, facility }) => {
    if (types !== null && !types.has(type)) return false;
    if (deviceId === null || facility === null) return deviceIds === null && hasFullAccess;
    if (deviceIds !== null && !deviceIds.has(deviceId)) return false;
    return canAccess(access, { deviceId, facility });
  };
}
