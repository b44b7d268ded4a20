import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { FastifyInstance } from 'fastify';
import { refusalOfForeignSignIn } from '../access/own-page.ts';
import { registerAtOnce } from '../register.ts';
import type { Parts } from '../route-dependencies.ts';

/** This is long enough for a starting service to be ready first. */
const LOADED_AFTER_MS = 1_000;

/**
 * The library is loaded after the service has started, so the start is as fast as without it; it is not loaded with the first
 * message, because that may be a stop.
 */
export function mcpRoutes(routes: FastifyInstance, { settings }: Parts<'settings'>): void {
  routes.addHook('onListen', async () => {
    setTimeout(() => {
      void import('./agent-server.ts').then(({ tools }) => tools());
    }, LOADED_AFTER_MS).unref();
  });

  // The route takes no turn of its own, because the requests that it makes take theirs.
  registerAtOnce(routes, endpoints.mcp.call, async ({ request, reply, read }) => {
    const foreign = refusalOfForeignSignIn(request, settings.publicUrl);
    if (foreign !== null) throw foreign;
    const message = read.body(request);
    const { answerAgent } = await import('./agent-server.ts');
    const { status, headers, text } = await answerAgent(request, message, settings);
    return reply.code(status).headers(headers).send(text);
  });
}
