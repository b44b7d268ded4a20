import { Refusal } from '@granary/contract/errors';
import { sentence } from '@granary/contract/sentences/english';
import { HOUR_MS } from '@granary/contract/time';
import type { Sql } from '@granary/store/sql';
import { countAsked } from './notification-rows.ts';

/** Of one report or test to whoever asked for it. A limit of one site protects the mail server, whose own limits hold for alerts, too. */
export const ASKED_PER_HOUR_MAX = 20;

/** Refuses one more report or test while one waits, or after many. Whoever calls it has locked what belongs to the id. */
export async function refuseMany(sql: Sql, ruleId: string, nowMs: number): Promise<void> {
  const { asked, waiting } = await countAsked(sql, { ruleId, sinceMs: nowMs - HOUR_MS, nowMs });
  if (waiting > 0) throw new Refusal('rate_limited', sentence('message_waits_already'));
  if (asked < ASKED_PER_HOUR_MAX) return;
  throw new Refusal('rate_limited', sentence('messages_in_an_hour', { limit: ASKED_PER_HOUR_MAX }));
}
