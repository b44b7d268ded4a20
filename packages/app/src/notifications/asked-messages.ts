import { Refusal } from '@granary/contract/errors';
import { sentence } from '@granary/contract/sentences/codes';
import { HOUR_MS } from '@granary/contract/time';
import type { Sql } from '@granary/store/sql';
import { countAsked } from './notification-rows.ts';

/**
 * The limit of reports and tests in an hour, for each rule or person that they are asked for. It protects the mail server:
 * beyond its own limits, the mail server would refuse alerts, too.
 */
export const ASKED_PER_HOUR_MAX = 20;

/** Refuses one more report or test while one waits, or after many. The caller has locked the row that belongs to the id. */
export async function refuseMany(sql: Sql, ruleId: string, nowMs: number): Promise<void> {
  const { asked, waiting } = await countAsked(sql, { ruleId, sinceMs: nowMs - HOUR_MS, nowMs });
  if (waiting > 0) throw new Refusal('rate_limited', sentence('message_waits_already'));
  if (asked < ASKED_PER_HOUR_MAX) return;
  throw new Refusal('rate_limited', sentence('messages_in_an_hour', { limit: ASKED_PER_HOUR_MAX }));
}
