import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ClientOptions, createClient } from '@granary/client';

interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
}

interface After {
  after(undo: () => void): void;
}

/** The connection ends without an answer. */
export const NO_ANSWER = 'no answer';

export const ok = (data: unknown): Reply => ({ body: { success: true, data } });

export const refused = (status: number, code: string, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: { success: false, error: { code, message: 'no', request_id: 'r1' } },
});

/** A server that answers from a list, and records its requests. */
export async function startScriptedServer(
  replies: readonly (Reply | typeof NO_ANSWER)[],
  t: After,
  options: Partial<ClientOptions> = { timeLimitMs: 0 },
) {
  const received: ReceivedRequest[] = [];
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers } = request;
    const reply = replies[received.length] ?? { status: 500, body: 'more requests than replies' };
    received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    if (reply === NO_ANSWER) {
      request.socket.destroy();
      return;
    }
    const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
    response.writeHead(reply.status ?? 200, reply.headers).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}/`, apiKey: 'gk_test', ...options });
  return { received, client };
}
