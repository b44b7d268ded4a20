import type { GroupMember, UseCaseCall } from '@granary/store/engine';
import type { IdempotencyKey } from './idempotency.ts';

/**
 * Writes that lock the device in their first argument before they decide, and read and change rows of this device alone. Many of
 * them come at once: a start is followed by two replies of its device.
 */
const WRITES: ReadonlySet<string> = new Set([
  'operations.start',
  'operations.acknowledged',
  'operations.progressed',
]);

export function memberOf({ slice, name, args, idempotency, attempt }: UseCaseCall): GroupMember | null {
  const write = `${slice}.${name}`;
  if (!WRITES.has(write)) return null;
  const [{ deviceNo }] = args as [{ readonly deviceNo: number }];
  const key = idempotency as IdempotencyKey | null;
  const kind = [write, attempt === null ? '' : 'audited', key === null ? '' : 'once'].join(' ');
  return { kind, deviceNo, request: key && JSON.stringify([key.keyId, key.key]) };
}
