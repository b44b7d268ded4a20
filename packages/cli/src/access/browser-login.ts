import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { CommandFailure, EXIT } from '../program/explain.ts';

const WAIT_MS = 10 * 60_000;
/** The limit of a form; one with a state and a key is far smaller. */
const FORM_CHARS_MAX = 1_000;
const KEY = /^gk_[0-9A-Za-z]{46}$/;

/**
 * Waits for a key from the browser: a person confirms this command on a page of the service, which then sends the browser here with a
 * key in a form. The command listens only on this machine, and the page sends keys nowhere else, so a foreign link gives nobody a key.
 */
export async function keyFromBrowser(url: string, show: (link: string) => void): Promise<string> {
  const state = randomBytes(24).toString('base64url');
  const given = Promise.withResolvers<string>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = request.method === 'POST' ? await formOf(request) : null;
    const key = form?.get('key') ?? '';
    if (form?.get('state') !== state || !KEY.test(key)) {
      response
        .writeHead(400, { 'content-type': 'text/plain', connection: 'close' })
        .end('This is not what the command waits for.');
      return;
    }
    response.writeHead(303, { location: `${url}/#/me`, connection: 'close' }).end(() => given.resolve(key));
  };
  // A sender that ends the connection in the middle of a form has sent no key.
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const timer = setTimeout(() => {
    const cure = 'Run it again, or give it a key of your page: `granary login` asks for one.';
    given.reject(new CommandFailure('nobody let this command in', { exitCode: EXIT.declined, cure }));
  }, WAIT_MS);
  try {
    const { port } = server.address() as AddressInfo;
    const name = encodeURIComponent(hostname());
    show(`${url}/#/me?command=${port}.${state}&on=${name}`);
    return await given.promise;
  } finally {
    clearTimeout(timer);
    server.close();
    server.closeAllConnections();
  }
}

/** The form; `null` if the body is too large. All of it is read, because otherwise the browser would get no answer. */
async function formOf(request: IncomingMessage): Promise<URLSearchParams | null> {
  let text = '';
  for await (const chunk of request.setEncoding('latin1')) {
    if (text.length <= FORM_CHARS_MAX) text += chunk;
  }
  return text.length <= FORM_CHARS_MAX ? new URLSearchParams(text) : null;
}
