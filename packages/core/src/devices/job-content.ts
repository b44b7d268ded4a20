import type { DocumentContent } from '../documents/versioned.ts';

/** The content of a document as an operation, a command or a mission; throws if it cannot be one, whatever was damaged. */
export function jobContent<Job extends { readonly deviceNo: number; readonly status: string }>(
  content: DocumentContent,
  statuses: readonly Job['status'][],
): Job {
  const { deviceNo, status } = content;
  if (!Number.isSafeInteger(deviceNo)) throw new Error('no device number');
  if (!statuses.some((known) => known === status))
    throw new Error(`unknown status ${JSON.stringify(status)}`);
  return content as unknown as Job;
}
