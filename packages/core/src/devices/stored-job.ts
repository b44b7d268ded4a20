/** Checks the stored JSON of an operation, a command or a mission, and throws if the row is damaged. */
export function storedJob<Job extends { readonly deviceNo: number; readonly status: string }>(
  stored: unknown,
  statuses: readonly Job['status'][],
): Job {
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored))
    throw new Error('not an object');
  if (!('deviceNo' in stored) || !Number.isSafeInteger(stored.deviceNo)) throw new Error('no device number');
  const status = 'status' in stored ? stored.status : undefined;
  if (!statuses.some((known) => known === status))
    throw new Error(`unknown status ${JSON.stringify(status)}`);
  return stored as Job;
}
