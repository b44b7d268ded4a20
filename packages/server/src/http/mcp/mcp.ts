import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { FastifyInstance } from 'fastify';
import { refusalOfForeignSignIn } from '../access/own-page.ts';
import { registerAtOnce } from '../register.ts';
import type { RouteDependencies } from '../route-dependencies.ts';

/** The library is loaded with the first message, so that the service starts as fast without agents. */
export function mcpRoutes(routes: FastifyInstance, { settings }: RouteDependencies): void {
  // It takes no turn of its own: the requests that it makes do.
  registerAtOnce(routes, endpoints.mcp.call, async (request, reply, read) => {
    const foreign = refusalOfForeignSignIn(request, settings.publicUrl);
    if (foreign !== null) throw foreign;
    const message = read.body(request);
    const { answerAgent } = await import('./agent-server.ts');
    const { status, headers, text } = await answerAgent(request, message, settings);
    return reply.code(status).headers(headers).send(text);
  });
}
