import type { HelpPlace, StoredHelp } from '@granary/app/alarm-help';
import type { AlarmHelp, AlarmHelpPlace } from '@granary/contract/alarm-help';
import { ALERT_TYPES } from '@granary/contract/alerts';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { issueOf } from '@granary/contract/input/validation-issues';
import { sentence } from '@granary/contract/sentences/codes';
import { toIso } from '@granary/contract/time';
import { quoted } from '@granary/core/words';
import type { FastifyInstance } from 'fastify';
import { limitsOf } from './access/credentials.ts';
import { badCursor, pageOf, readPage, success } from './protocol/answers.ts';
import { register } from './register.ts';
import type { Parts } from './route-dependencies.ts';

export function alarmHelpRoutes(routes: FastifyInstance, parts: Parts<'reads' | 'changes' | 'now'>): void {
  const { reads, changes, now } = parts;
  const declared = endpoints.alarmHelp;

  register(routes, declared.list, async ({ request, read }) => {
    const page = pageOf(read.query(request));
    const limits = limitsOf(request);
    const helpAfter = (cursor: string | null, limit: number) =>
      reads(request).alarmHelp.list({ limits, afterNo: cursor === null ? 0 : numberOf(cursor), limit });
    return await readPage(request, page, helpAfter, ({ helpNo }) => String(helpNo), record);
  });

  register(routes, declared.put, async (exchange) => {
    const { request, read } = exchange;
    const place = placeOf(request.params.alert_type, read.query(request));
    const texts = read.body(request);
    return success(record(await changes(exchange).alarmHelp.put(place, texts, now())));
  });

  register(routes, declared.remove, async (exchange) => {
    const { request, read } = exchange;
    const place = placeOf(request.params.alert_type, read.query(request));
    const removed = await changes(exchange).alarmHelp.remove(place);
    if (removed === undefined) throw new Refusal('alarm_help_not_found', 'this site has no such text');
    return success(record(removed));
  });
}

function placeOf(type: string, { facility, rule }: AlarmHelpPlace): HelpPlace {
  const alertType = ALERT_TYPES.find((one) => one === type);
  if (alertType === undefined) {
    throw new Refusal('alarm_help_not_found', `there is no type of alert ${quoted(type)}`);
  }
  if (rule !== undefined && alertType !== 'sensor_threshold') {
    throw new Refusal('invalid_input', 'only sensor_threshold alerts have rules', [
      issueOf('/rule', sentence('is_not_valid')),
    ]);
  }
  return { alertType, facility: facility ?? '', rule: rule ?? '' };
}

function numberOf(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor)) throw badCursor();
  return Number(cursor);
}

const record = (help: StoredHelp): AlarmHelp => ({
  alert_type: help.alertType,
  facility: help.facility || null,
  rule: help.rule || null,
  cause: help.cause,
  consequence: help.consequence,
  action: help.action,
  updated_at: toIso(help.updatedAtMs),
  updated_by: help.updatedBy,
});
