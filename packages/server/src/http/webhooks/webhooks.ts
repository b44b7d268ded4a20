import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadSlices } from '@granary/app/app';
import { newId } from '@granary/app/ids';
import type { StoredDelivery } from '@granary/app/webhooks/delivery-rows';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { SECOND_MS } from '@granary/contract/time';
import {
  deliveryRecord,
  type StoredWebhook,
  targetFault,
  webhookContent,
  webhookRecord,
} from '@granary/core/webhooks/webhook';
import { quoted } from '@granary/core/words';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AddressGuard } from '../../background/webhooks/address-guard.ts';
import { newWebhookSecret } from '../../background/webhooks/sender.ts';
import { refuseLimited } from '../access/credentials.ts';
import { creating } from '../audit/attempt.ts';
import { badCursor, pageOf, readPage, success } from '../protocol/answers.ts';
import { register } from '../register.ts';
import type { Parts } from '../route-dependencies.ts';

/** This is longer than one attempt takes. */
const WAIT_MS_MAX = 18_000;

const PAUSE_MS = 50;

const ROTATION_OVERLAP_S = 24 * 3_600;

export function webhookRoutes(
  routes: FastifyInstance,
  parts: Parts<'reads' | 'changes' | 'idempotency' | 'addressGuard' | 'now'>,
): void {
  const { reads, changes, idempotency, addressGuard, now } = parts;

  routes.addHook('preHandler', async (request) => refuseLimited(request, 'manage webhooks'));

  async function findWebhook(request: FastifyRequest, webhookId: string): Promise<StoredWebhook> {
    const webhook = await reads(request).webhooks.find(webhookId);
    if (webhook === undefined)
      throw new Refusal('webhook_not_found', `there is no webhook ${quoted(webhookId)}`);
    return webhook;
  }

  register(routes, endpoints.webhooks.list, async ({ request, read }) => {
    const page = pageOf(read.query(request));
    const webhooksAfter = (afterWebhookId: string | null, limit: number) =>
      reads(request).webhooks.list({ afterWebhookId, limit });
    return await readPage(request, page, webhooksAfter, ({ webhookId }) => webhookId, webhookRecord);
  });

  register(routes, endpoints.webhooks.create, async (exchange) => {
    const { request, read } = exchange;
    const wanted = read.body(request);
    requireTarget(wanted.url, addressGuard);
    const nowMs = now();
    const issued = newWebhookSecret();
    const webhook = { ...webhookContent(wanted), webhookId: newId('wh', nowMs), secret: issued };
    const { result, secret } = await idempotency.onceWithSecret(
      creating(exchange, webhook.webhookId),
      issued,
      (slices) => slices.webhooks.create({ ...webhook, createdAtMs: nowMs }),
    );
    return success({ ...webhookRecord(result), secret });
  });

  register(routes, endpoints.webhooks.get, async ({ request }) =>
    success(webhookRecord(await findWebhook(request, request.params.webhook_id))),
  );

  register(routes, endpoints.webhooks.update, async (exchange) => {
    const { request, read } = exchange;
    const { webhookId } = await findWebhook(request, request.params.webhook_id);
    const patch = read.body(request);
    if (patch.url !== undefined) requireTarget(patch.url, addressGuard);
    return success(webhookRecord(await changes(exchange).webhooks.update(webhookId, patch, now())));
  });

  register(routes, endpoints.webhooks.remove, async (exchange) =>
    success(
      webhookRecord(await changes(exchange).webhooks.remove(exchange.request.params.webhook_id, now())),
    ),
  );

  register(routes, endpoints.webhooks.test, async (exchange) => {
    const { request } = exchange;
    const nowMs = now();
    const { result } = await idempotency.once(exchange, (slices) =>
      slices.webhooks.test(request.params.webhook_id, newId('test', nowMs), nowMs),
    );
    // The receiver may take longer to answer than a request may.
    return success(deliveryRecord(await finishedDelivery(reads({ time: null }), result)));
  });

  register(routes, endpoints.webhooks.rotateSecret, async (exchange) => {
    const { request, read } = exchange;
    const { webhookId } = await findWebhook(request, request.params.webhook_id);
    const { overlap_seconds: overlapS = ROTATION_OVERLAP_S } = read.body(request);
    const nowMs = now();
    const issued = newWebhookSecret();
    const times = { previousUntilMs: nowMs + overlapS * SECOND_MS, nowMs };
    const { result, secret } = await idempotency.onceWithSecret(exchange, issued, (slices) =>
      slices.webhooks.rotateSecret(webhookId, issued, times),
    );
    return success({ ...webhookRecord(result), secret });
  });

  register(routes, endpoints.webhooks.deliveries, async ({ request, read }) => {
    const { webhookNo } = await findWebhook(request, request.params.webhook_id);
    const { status = null, ...query } = read.query(request);
    const page = pageOf(query);
    const deliveriesBefore = (cursor: string | null, limit: number) => {
      const beforeDeliveryNo = cursor === null ? null : deliveryNoOf(cursor);
      return reads(request).webhooks.deliveries({ webhookNo, status, beforeDeliveryNo, limit });
    };
    return await readPage(
      request,
      page,
      deliveriesBefore,
      ({ deliveryNo }) => String(deliveryNo),
      deliveryRecord,
    );
  });

  register(routes, endpoints.webhooks.replay, async (exchange) => {
    const { request, read } = exchange;
    const { webhookId } = await findWebhook(request, request.params.webhook_id);
    const replay = read.body(request);
    const { result } = await idempotency.once(exchange, (slices) =>
      slices.webhooks.replay(webhookId, replay, now()),
    );
    return success(result);
  });

  register(routes, endpoints.webhooks.enable, async (exchange) => {
    const { request, read } = exchange;
    const { webhookId } = await findWebhook(request, request.params.webhook_id);
    const { skip_missed: skipMissed = false } = read.body(request);
    const { result } = await idempotency.once(exchange, (slices) =>
      slices.webhooks.enable(webhookId, { skipMissed, nowMs: now() }),
    );
    return success(webhookRecord(result));
  });
}

function deliveryNoOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw badCursor();
}

/** A name is checked at each attempt, because what it resolves to may change. */
function requireTarget(url: string, guard: AddressGuard): void {
  const fault = targetFault(url);
  if (fault !== null) {
    throw new Refusal('invalid_input', 'the webhook is not valid', [{ path: '/url', message: fault }]);
  }
  if (guard.acceptsHost(new URL(url).hostname)) return;
  throw new Refusal(
    'webhook_target_refused',
    'the address is private or reserved; GRANARY_WEBHOOK_ALLOW_PRIVATE=on allows private ones',
  );
}

/** Waits until the message was delivered or given up, perhaps by another node. A slow delivery is answered as it is. */
async function finishedDelivery(
  { webhooks }: Pick<ReadSlices, 'webhooks'>,
  { webhookNo, messageId }: { readonly webhookNo: number; readonly messageId: string },
): Promise<StoredDelivery> {
  const untilMs = performance.now() + WAIT_MS_MAX;
  for (;;) {
    const delivery = await webhooks.delivery(webhookNo, messageId);
    if (delivery === undefined) throw new Refusal('webhook_not_found', 'the webhook was removed');
    if (delivery.status !== 'pending' || performance.now() >= untilMs) return delivery;
    await sleep(PAUSE_MS);
  }
}
