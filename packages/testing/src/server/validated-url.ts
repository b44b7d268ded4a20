import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The header that names the service of a request through Prism, because one Prism serves all tests. */
export const SERVICE_HEADER = 'x-granary-test-service';

interface After {
  after(undo: () => void): void;
}

/**
 * The address under which a test calls a service. `npm run conformance` sets GRANARY_TEST_PRISM to the address of a validating proxy; then
 * the address is that of a server that sends the calls through the proxy.
 */
export async function validatedUrl(
  t: After,
  serviceUrl: string,
  prismUrl = process.env['GRANARY_TEST_PRISM'],
): Promise<string> {
  if (prismUrl === undefined) return serviceUrl;
  const server = createServer((asked, answer) => {
    // Prism waits for the end of an answer, and a stream of events has none.
    const isStream = asked.headers.accept === 'text/event-stream';
    if (isStream) passOn(asked, answer, serviceUrl);
    else passOn(asked, answer, prismUrl, { [SERVICE_HEADER]: serviceUrl });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Sends a request on to another server, and the answer back; if the server does not answer, the connection is cut. */
export function passOn(
  asked: IncomingMessage,
  answer: ServerResponse,
  baseUrl: string,
  more: Readonly<Record<string, string>> = {},
): void {
  const { method, url = '/', headers } = asked;
  const target = new URL(url, baseUrl);
  const onward = request(target, { method, headers: { ...headers, ...more, host: target.host } });
  const cut = (): void => {
    onward.destroy();
    answer.destroy();
  };
  onward.on('response', (reply) => {
    if (isByProxy(reply)) return cut();
    answer.writeHead(reply.statusCode ?? 0, reply.headers);
    reply.on('error', cut).pipe(answer);
  });
  onward.on('error', cut);
  answer.on('close', () => onward.destroy());
  asked.on('error', cut).pipe(onward);
}

/** Recognises an answer of Prism itself, which has a form of its own and is sent when the service does not answer. */
const isByProxy = ({ statusCode = 0, headers }: IncomingMessage): boolean =>
  statusCode >= 500 && headers['content-type'] === 'application/problem+json';
