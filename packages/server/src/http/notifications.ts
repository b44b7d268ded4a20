import { newId } from '@granary/app/ids';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { notificationRecord } from '@granary/core/notifications/record';
import { ruleContent, ruleRecord } from '@granary/core/notifications/rule';
import type { FastifyInstance } from 'fastify';
import { readersOf } from '../background/notifications/worker.ts';
import { refuseLimited } from './access/credentials.ts';
import { creates } from './audit/attempt.ts';
import { pageOf, readPage, success } from './protocol/answers.ts';
import { register } from './register.ts';
import type { RouteDependencies } from './route-dependencies.ts';

export function notificationRoutes(routes: FastifyInstance, parts: RouteDependencies): void {
  const { app, changes, idempotency, now, settings } = parts;
  const readers = readersOf(settings);
  const canSendMail = settings.smtp !== null;
  const declared = endpoints.notifications;

  routes.addHook('preHandler', async (request) => refuseLimited(request, 'manage notifications'));

  register(routes, declared.rules, async (request, _reply, read) => {
    const page = pageOf(read.query(request));
    const rulesAfter = (afterRuleId: string | null, limit: number) =>
      app.notifications.listRules({ afterRuleId, limit });
    return await readPage(request, page, rulesAfter, ({ ruleId }) => ruleId, ruleRecord);
  });

  register(routes, declared.createRule, async (request, reply, read) => {
    const content = ruleContent(read.body(request));
    const nowMs = now();
    const ruleId = newId('nr', nowMs);
    creates(request, ruleId);
    const { result } = await idempotency.once(request, reply, (slices) =>
      slices.notifications.createRule({ ruleId, content, canSendMail, nowMs }),
    );
    return success(ruleRecord(result));
  });

  register(routes, declared.rule, async ({ params }) =>
    success(ruleRecord(await app.notifications.findRule(params.rule_id))),
  );

  register(routes, declared.replaceRule, async (request, _reply, read) => {
    const { rule_id: ruleId } = request.params;
    await app.notifications.findRule(ruleId);
    const content = ruleContent(read.body(request));
    const replaced = { ruleId, content, canSendMail, nowMs: now() };
    return success(ruleRecord(await changes(request).notifications.replaceRule(replaced)));
  });

  register(routes, declared.removeRule, async (request) => {
    const removal = { ruleId: request.params.rule_id, nowMs: now() };
    return success(ruleRecord(await changes(request).notifications.removeRule(removal)));
  });

  register(routes, declared.testRule, async (request, reply) => {
    const { rule_id: ruleId } = request.params;
    const { result } = await idempotency.once(request, reply, (slices) =>
      slices.notifications.test({ ruleId, canSendMail, ...readers, nowMs: now() }),
    );
    return success({ notifications: result.map(notificationRecord) });
  });

  register(routes, declared.list, async (request, _reply, read) => {
    const query = read.query(request);
    const page = pageOf(query);
    const { status = null, rule_id: ruleId = null } = query;
    const notificationsBefore = (beforeId: string | null, limit: number) =>
      app.notifications.list({ status, ruleId, beforeId, limit });
    return await readPage(
      request,
      page,
      notificationsBefore,
      ({ notificationId }) => notificationId,
      notificationRecord,
    );
  });
}
