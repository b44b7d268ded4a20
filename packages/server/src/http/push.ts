import { newId } from '@granary/app/ids';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { issueOf } from '@granary/contract/input/validation-issues';
import type { PushState } from '@granary/contract/push';
import { sentence } from '@granary/contract/sentences/codes';
import { toIso } from '@granary/contract/time';
import { isPushService } from '@granary/core/notifications/push';
import { pushRule } from '@granary/core/notifications/rule';
import { isShared, type StoredSession } from '@granary/core/session';
import { quoted } from '@granary/core/words';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isPublicKey } from '../background/notifications/pusher.ts';
import { readersOf } from '../background/notifications/worker.ts';
import { success } from './protocol/answers.ts';
import { register } from './register.ts';
import type { Parts } from './route-dependencies.ts';

interface Owner {
  readonly keyId: string;
  readonly session: StoredSession;
}

/** The Web Push routes of the person who has signed in. */
export function pushRoutes(
  routes: FastifyInstance,
  {
    reads,
    changes,
    idempotency,
    settings,
    now,
  }: Parts<'settings' | 'reads' | 'changes' | 'idempotency' | 'now'>,
): void {
  const { push } = endpoints;

  /** The browser of a terminal belongs to nobody, and a key must not give itself more than it has. */
  function requireOwner({
    caller: { keyId, kind, session, personalKeyId, terminal },
  }: FastifyRequest): Owner {
    if (session !== null && personalKeyId === null && terminal === null && !isShared(kind)) {
      return { keyId, session };
    }
    throw new Refusal('forbidden', 'Web Push is for browsers of people who have signed in');
  }

  async function stateOf(request: FastifyRequest, { keyId, session }: Owner): Promise<PushState> {
    const keys = await reads(request).notifications.pushKeys();
    if (keys === undefined) throw new Error('the keys for Web Push are missing');
    const subscriptions = await reads(request).notifications.subscriptions(keyId);
    return {
      public_key: keys.publicKey,
      time_zone: settings.timeZone,
      settings: await reads(request).notifications.pushSettings(keyId),
      subscriptions: subscriptions.map(({ subscriptionId, sessionHash, browser, createdAtMs }) => ({
        subscription_id: subscriptionId,
        is_current: sessionHash === session.hash,
        browser,
        created_at: toIso(createdAtMs),
      })),
    };
  }

  register(routes, push.get, async ({ request }) => success(await stateOf(request, requireOwner(request))));

  register(routes, push.change, async (exchange) => {
    const { request, read } = exchange;
    const owner = requireOwner(request);
    const content = pushRule(owner.keyId, read.body(request), settings.timeZone);
    const change = { keyId: owner.keyId, content, nowMs: now() };
    await changes(exchange).notifications.changePushSettings(change);
    return success(await stateOf(request, owner));
  });

  register(routes, push.subscribe, async (exchange) => {
    const { request, read } = exchange;
    const owner = requireOwner(request);
    const { endpoint, keys } = read.body(request);
    if (!isPushService(endpoint, settings.pushOrigins)) {
      refuse('/endpoint', sentence('must_be', { what: [sentence('push_service_address')] }));
    }
    if (!isPublicKey(keys.p256dh)) refuse('/keys/p256dh', sentence('is_not_valid'));
    const nowMs = now();
    await changes(exchange).notifications.subscribe({
      subscriptionId: newId('psh', nowMs),
      keyId: owner.keyId,
      sessionHash: owner.session.hash,
      endpoint,
      p256dh: keys.p256dh,
      auth: keys.auth,
      browser: owner.session.browser,
      createdAtMs: nowMs,
    });
    return success(await stateOf(request, owner));
  });

  register(routes, push.unsubscribe, async (exchange) => {
    const { request } = exchange;
    const owner = requireOwner(request);
    const { subscription_id: wanted } = request.params;
    const own = await reads(request).notifications.subscriptions(owner.keyId);
    if (!own.some(({ subscriptionId }) => subscriptionId === wanted))
      throw notFound(`no browser ${quoted(wanted)}`);
    await changes(exchange).notifications.unsubscribe(owner.keyId, wanted);
    return success(await stateOf(request, owner));
  });

  register(routes, push.test, async (exchange) => {
    const { request } = exchange;
    const owner = requireOwner(request);
    const test = { keyId: owner.keyId, ...readersOf(settings), nowMs: now() };
    const { result } = await idempotency.once(exchange, (slices) => slices.notifications.testPush(test));
    if (result === 0) throw notFound('no browser that receives Web Push');
    return success(await stateOf(request, owner));
  });
}

const notFound = (what: string): Refusal => new Refusal('push_subscription_not_found', `you have ${what}`);

function refuse(path: string, told: Parameters<typeof issueOf>[1]): never {
  throw new Refusal('invalid_input', 'the push subscription is not valid', [issueOf(path, told)]);
}
