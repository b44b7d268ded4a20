import { ALERT_STATUSES } from '@granary/contract/alerts';
import { type DocumentContent, documentKind } from '../documents/versioned.ts';
import type { AlertState } from './lifecycle.ts';

const STATUSES: readonly unknown[] = [...ALERT_STATUSES, 'pending'];

/** The stored form of an alert. */
export const ALERT_DOCUMENT = documentKind<AlertState>([addRule, addActors], (content) => {
  const { status } = content;
  if (!STATUSES.includes(status)) throw new Error(`unknown status ${JSON.stringify(status)}`);
  return content as unknown as AlertState;
});

/** Version 1 adds the threshold rule; before it, no alert came from one. */
function addRule(content: DocumentContent): DocumentContent {
  return { ...content, rule: content['rule'] ?? null };
}

/** Version 2: the callers who acknowledged and shelved it. */
function addActors(content: DocumentContent): DocumentContent {
  return { acknowledgedWith: null, shelvedWith: null, ...content };
}
