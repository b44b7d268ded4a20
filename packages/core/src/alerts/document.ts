import { ALERT_STATUSES } from '@granary/contract/alerts';
import { documentKind } from '../documents/versioned.ts';
import type { AlertState } from './lifecycle.ts';

const STATUSES: readonly unknown[] = [...ALERT_STATUSES, 'pending'];

/** The stored form of an alert. */
export const ALERT_DOCUMENT = documentKind<AlertState>([], (content) => {
  const { status } = content;
  if (!STATUSES.includes(status)) throw new Error(`unknown status ${JSON.stringify(status)}`);
  return content as unknown as AlertState;
});
