import { newId } from '@granary/app/ids';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { notificationRecord } from '@granary/core/notifications/record';
import { ruleContent, ruleRecord } from '@granary/core/notifications/rule';
import type { FastifyInstance } from 'fastify';
import { readersOf } from '../background/notifications/worker.ts';
import { refuseLimited } from './access/credentials.ts';
import { creating } from './audit/attempt.ts';
import { pageOf, readPage, success } from './protocol/answers.ts';
import { register } from './register.ts';
import type { Parts } from './route-dependencies.ts';

export function notificationRoutes(
  routes: FastifyInstance,
  parts: Parts<'settings' | 'reads' | 'changes' | 'idempotency' | 'now'>,
): void {
  const { reads, changes, idempotency, now, settings } = parts;
  const readers = readersOf(settings);
  const canSendMail = settings.smtp !== null;
  const declared = endpoints.notifications;

  routes.addHook('preHandler', async (request) => refuseLimited(request, 'manage notifications'));

  register(routes, declared.rules, async ({ request, read }) => {
    const page = pageOf(read.query(request));
    const rulesAfter = (afterRuleId: string | null, limit: number) =>
      reads(request).notifications.listRules({ afterRuleId, limit });
    return await readPage(request, page, rulesAfter, ({ ruleId }) => ruleId, ruleRecord);
  });

  register(routes, declared.createRule, async (exchange) => {
    const { request, read } = exchange;
    const content = ruleContent(read.body(request));
    const nowMs = now();
    const ruleId = newId('nr', nowMs);
    const { result } = await idempotency.once(creating(exchange, ruleId), (slices) =>
      slices.notifications.createRule({ ruleId, content, canSendMail, nowMs }),
    );
    return success(ruleRecord(result));
  });

  register(routes, declared.rule, async ({ request }) =>
    success(ruleRecord(await reads(request).notifications.findRule(request.params.rule_id))),
  );

  register(routes, declared.replaceRule, async (exchange) => {
    const { request, read } = exchange;
    const { rule_id: ruleId } = request.params;
    await reads(request).notifications.findRule(ruleId);
    const content = ruleContent(read.body(request));
    const replaced = { ruleId, content, canSendMail, nowMs: now() };
    return success(ruleRecord(await changes(exchange).notifications.replaceRule(replaced)));
  });

  register(routes, declared.removeRule, async (exchange) => {
    const { request } = exchange;
    const removal = { ruleId: request.params.rule_id, nowMs: now() };
    return success(ruleRecord(await changes(exchange).notifications.removeRule(removal)));
  });

  register(routes, declared.testRule, async (exchange) => {
    const { request } = exchange;
    const { rule_id: ruleId } = request.params;
    const { result } = await idempotency.once(exchange, (slices) =>
      slices.notifications.test({ ruleId, canSendMail, ...readers, nowMs: now() }),
    );
    return success({ notifications: result.map(notificationRecord) });
  });

  register(routes, declared.list, async ({ request, read }) => {
    const query = read.query(request);
    const page = pageOf(query);
    const { status = null, rule_id: ruleId = null } = query;
    const notificationsBefore = (beforeId: string | null, limit: number) =>
      reads(request).notifications.list({ status, ruleId, beforeId, limit });
    return await readPage(
      request,
      page,
      notificationsBefore,
      ({ notificationId }) => notificationId,
      notificationRecord,
    );
  });
}
