import { newestRemovedVersion } from '@granary/core/configuration/versions';
import type { Sql } from '@granary/store/sql';
import {
  type ConfigurationVersionRow,
  insertVersion,
  removeVersionsUpTo,
} from '@granary/store/tables/configuration-versions';

/** Keeps what a device was told, when and by whom; the caller holds the configuration or has just inserted the device. */
export async function saveVersion(
  sql: Sql,
  deviceNo: number,
  version: Omit<ConfigurationVersionRow, 'actor'>,
): Promise<void> {
  await insertVersion(sql, deviceNo, version);
  const removed = newestRemovedVersion(version.version);
  if (removed > 0) await removeVersionsUpTo(sql, deviceNo, removed);
}
