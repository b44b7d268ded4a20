import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { CommandFailure, EXIT } from '../program/explain.ts';

const WAIT_MS = 10 * 60_000;
const KEY = /^gk_[0-9A-Za-z]{46}$/;

/**
 * A person lets this command in on a page of the service, which then sends the browser here with a key. Only this machine is
 * listened to, and the page sends keys nowhere else, so a link from somebody else gives nobody a key.
 */
export async function keyFromBrowser(url: string, show: (link: string) => void): Promise<string> {
  const state = randomBytes(24).toString('base64url');
  const given = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const key = searchParams.get('key') ?? '';
    if (searchParams.get('state') !== state || !KEY.test(key)) {
      response
        .writeHead(400, { 'content-type': 'text/plain' })
        .end('This is not what the command waits for.');
      return;
    }
    // Away from the address with the key.
    response.writeHead(303, { location: `${url}/#/me`, connection: 'close' }).end(() => given.resolve(key));
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
