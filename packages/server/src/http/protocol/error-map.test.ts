import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '@granary/contract/errors';
import { fastify } from 'fastify';
import { pino } from 'pino';
import { answerError, errorHandler } from './error-map.ts';

test('a refusal has no headers of the answer that was not given', async () => {
  const app = fastify();
  app.setErrorHandler(errorHandler(pino({ enabled: false }), answerError, () => null));
  app.get('/repeated', async (_request, reply) => {
    reply.header('idempotency-replayed', 'true').header('etag', '"1"');
    throw new Refusal('broker_unavailable', 'the broker has not confirmed them');
  });
  const { statusCode, headers } = await app.inject('/repeated');
  assert.equal(statusCode, 503);
  assert.deepEqual(
    [headers['idempotency-replayed'], headers.etag, headers['retry-after']],
    [undefined, undefined, '5'],
  );
  await app.close();
});
