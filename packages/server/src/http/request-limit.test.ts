import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { leftMsOf, REQUEST_MS_MAX } from '@granary/common/request-time';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { storageUnavailable } from '@granary/store/errors';
import { type FastifyRequest, fastify } from 'fastify';
import { RequestTurns } from './access/request-turns.ts';
import type { Exchange } from './exchange.ts';
import { register, registerLong } from './register.ts';
import { limitRequests, timeLeftMs } from './request-limit.ts';

const IDENTIFYING_MS = 1_000;

interface Answered {
  readonly leftMs: number;
  readonly request: FastifyRequest;
  readonly goneOn: Promise<number>;
}

function withTurns() {
  const app = fastify();
  app.decorate('turns', new RequestTurns());
  app.decorateRequest('address', { getter: () => '127.0.0.1' });
  return app;
}

/** Makes a service whose handlers record the time that they have left. */
function serviceWith({ isLimited }: { isLimited: boolean }) {
  const answered: Answered[] = [];
  const app = withTurns();
  limitRequests(app, isLimited);
  app.addHook('onRequest', async (request) => {
    request.identifyingMs = IDENTIFYING_MS;
  });
  const handler = async ({ request }: Exchange): Promise<never> => {
    const { promise: goneOn, resolve } = Promise.withResolvers<number>();
    answered.push({ leftMs: leftMsOf(request.time), request, goneOn });
    setImmediate(() => resolve(leftMsOf(request.time)));
    return {} as never;
  };
  register(app, endpoints.devices.silo.list, handler);
  register(app, endpoints.commands.give, handler);
  register(app, endpoints.operations.stop, handler);
  registerLong(app, endpoints.site.export, handler);
  const leftAt = async (method: 'GET' | 'POST', url: string, payload?: object): Promise<Answered> => {
    const { statusCode } = await app.inject({ method, url, ...(payload === undefined ? {} : { payload }) });
    const last = answered.pop();
    assert(statusCode === 200 && last !== undefined, `${statusCode}`);
    return last;
  };
  return { app, leftAt };
}

describe('the time limit of a request', () => {
  it('holds in its handler without the time until its caller was known, and ends with the answer', async () => {
    const { leftAt } = serviceWith({ isLimited: true });
    const { leftMs, request, goneOn } = await leftAt('GET', '/devices');
    assert.ok(leftMs > 0 && leftMs <= REQUEST_MS_MAX - IDENTIFYING_MS, `${leftMs} ms`);
    assert.equal(await goneOn, Number.POSITIVE_INFINITY);
    assert.ok(timeLeftMs(request) <= leftMs, 'what follows the answer has no more time than it had');
    const command = await leftAt('POST', '/devices/r/remote/command', { command: 'return_home' });
    assert.ok(command.leftMs <= REQUEST_MS_MAX - IDENTIFYING_MS, `${command.leftMs} ms`);
  });

  it('does not exist for stops, for work that grows with the site, and where the storage needs none', async () => {
    const { leftAt } = serviceWith({ isLimited: true });
    for (const { leftMs } of [
      await leftAt('POST', '/devices/s/operations/op_1/stop'),
      await leftAt('POST', '/devices/r/remote/command', { command: 'emergency_stop' }),
      await leftAt('GET', '/export'),
      await serviceWith({ isLimited: false }).leftAt('GET', '/devices'),
    ]) {
      assert.equal(leftMs, Number.POSITIVE_INFINITY);
    }
  });

  it('never answers that nothing was changed after a write of the request was committed', async () => {
    const app = withTurns();
    limitRequests(app, true);
    const refusals: unknown[] = [];
    app.setErrorHandler((error, _request, reply) => {
      refusals.push(error);
      reply.code(503).send();
    });
    register(app, endpoints.devices.silo.list, async () => {
      throw storageUnavailable('frozen');
    });
    register(app, endpoints.devices.silo.register, async ({ request }) => {
      if (request.time !== null) request.time.hasChanged = true;
      throw storageUnavailable('frozen');
    });
    await app.inject({ method: 'GET', url: '/devices' });
    await app.inject({ method: 'POST', url: '/devices', payload: {} });
    const messages = refusals.map((refusal) => (refusal instanceof Refusal ? refusal.message : refusal));
    assert.match(String(messages[0]), /nothing was changed/);
    assert.match(String(messages[1]), /may have been made or not/);
  });
});
