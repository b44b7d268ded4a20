import type { AuditPosition } from '@granary/app/audit/audit-rows';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { checkedTimeMs } from '@granary/contract/time';
import { auditRecord } from '@granary/core/audit';
import type { FastifyInstance } from 'fastify';
import { limitsOf } from './access/credentials.ts';
import { badCursor, pageOf, readPage } from './protocol/answers.ts';
import { register } from './register.ts';
import type { Parts } from './route-dependencies.ts';

export function auditRoutes(routes: FastifyInstance, { reads }: Parts<'reads'>): void {
  register(routes, endpoints.audit.list, async ({ request, read }) => {
    const query = read.query(request);
    const page = pageOf(query);
    const filter = {
      limits: limitsOf(request),
      deviceId: query.device_id ?? null,
      facility: query.facility ?? null,
      keyId: query.key_id ?? null,
      actor: query.actor ?? null,
      action: query.action ?? null,
      result: query.result ?? null,
      fromMs: query.from === undefined ? null : checkedTimeMs(query.from),
      toMs: query.to === undefined ? null : checkedTimeMs(query.to),
    };
    const entriesBefore = (cursor: string | null, limit: number) =>
      reads(request).audit.list(filter, cursor === null ? null : positionOf(cursor), limit);
    return await readPage(
      request,
      page,
      entriesBefore,
      ({ atMs, auditNo }) => `${atMs}-${auditNo}`,
      auditRecord,
    );
  });
}

function positionOf(cursor: string): AuditPosition {
  const [, atMs, auditNo] = /^(\d{1,15})-(\d{1,15})$/.exec(cursor) ?? [];
  if (atMs !== undefined) return { atMs: Number(atMs), auditNo: Number(auditNo) };
  throw badCursor();
}
