import { sentence } from '@granary/contract/sentences/codes';
import type { AlertState } from '@granary/core/alerts/lifecycle';

/** An alert that nobody has acknowledged yet; `fields` are those that the test is about. */
export const alertWith = (fields: Partial<AlertState> = {}): AlertState => ({
  alertId: 'al_1',
  deviceNo: 1,
  type: 'low_level',
  rule: null,
  status: 'active',
  severity: 'warning',
  message: sentence('level_below', { level: 1, limit: 2 }),
  currentValue: 1,
  threshold: 2,
  cause: null,
  createdAtMs: 0,
  absentSinceMs: null,
  acknowledgedBy: null,
  acknowledgedAtMs: null,
  acknowledgedWith: null,
  note: null,
  clearedAtMs: null,
  resolvedAtMs: null,
  shelvedUntilMs: null,
  shelveReason: null,
  shelvedBy: null,
  shelvedWith: null,
  ...fields,
});
