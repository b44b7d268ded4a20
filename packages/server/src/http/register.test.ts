import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { fastify } from 'fastify';
import { refuseUndeclaredRoutes, register } from './register.ts';

test('a route that the contract does not declare keeps the service from starting', () => {
  const app = fastify();
  refuseUndeclaredRoutes(app);
  register(app, endpoints.health.live, async () => ({ status: 'ok' as const }));
  assert.throws(() => app.get('/secret', async () => 'hidden'), /\/secret is no endpoint of the contract/);
});
