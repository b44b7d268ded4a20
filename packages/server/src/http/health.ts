import type { FastifyInstance } from 'fastify';
import { LATE, within } from '../within.ts';
import type { RouteParts } from './parts.ts';

const CHECK_MS_MAX = 2_000;

type Checks = Record<string, () => Promise<string>>;

/** For whoever keeps the service running. Says nothing that a stranger could use. */
export function healthRoutes(app: FastifyInstance, { store, link, pipeline, setAside }: RouteParts): void {
  const checks: Checks = {
    storage: async () => store.health().then(() => 'ok'),
    device_link: async () => (link.isListening ? 'ok' : 'not listening'),
    ingest: async () => (pipeline.hasRoom() ? 'ok' : 'the queue is full'),
  };

  app.get('/livez', async () => ({ status: 'ok' }));

  app.get('/readyz', async (_request, reply) => {
    const entries = Object.entries(checks).map(async ([name, check]) => [name, await resultOf(check)]);
    const results = Object.fromEntries(await Promise.all(entries));
    const ready = Object.values(results).every((result) => result === 'ok');
    reply.code(ready ? 200 : 503);
    // Items that cannot be processed harm nothing else, so they do not make the service unready.
    return { status: ready ? 'ok' : 'not ready', checks: results, set_aside: setAside.count };
  });
}

/** Whoever asks has a time limit of its own, so a check that hangs is answered as what it is. */
async function resultOf(check: () => Promise<string>): Promise<string> {
  const result = await within(CHECK_MS_MAX, check()).catch(() => 'failing');
  return result === LATE ? 'does not answer' : result;
}
