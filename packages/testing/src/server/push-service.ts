import { createECDH, type ECDH, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PushPayload } from '@granary/contract/push';
import ece from 'http_ece';
import { assertSigned } from './push-signature.ts';

interface Browser {
  readonly keys: ECDH;
  readonly auth: string;
  readonly messages: { readonly headers: IncomingHttpHeaders; readonly payload: PushPayload }[];
  /** The status of the answers to messages for this browser. */
  status: number;
  /** The answers are sent when this promise has resolved. */
  until: Promise<void>;
  /** The number of messages for this browser. */
  asked: number;
}

/** A push service that knows its browsers, checks the sender (RFC 8292), and reads messages with third-party code (RFC 8291). */
export class PushService {
  readonly #browsers = new Map<string, Browser>();
  readonly #server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const browser = this.#browsers.get(request.url ?? '');
      if (browser === undefined) return void response.writeHead(404).end();
      browser.asked++;
      if (browser.status < 300) {
        const { headers } = request;
        assertSigned(headers.authorization ?? '', this.origin);
        const options = { version: 'aes128gcm', privateKey: browser.keys, authSecret: browser.auth };
        const text = ece.decrypt(Buffer.concat(parts), options).toString();
        browser.messages.push({ headers, payload: JSON.parse(text) });
      }
      void browser.until.then(() => response.writeHead(browser.status).end());
    });
  });

  async start(port = 0): Promise<this> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Registers a browser, and returns it with the subscription that it gives to its page. */
  register(): { readonly browser: Browser; readonly subscription: object } {
    const keys = createECDH('prime256v1');
    const p256dh = keys.generateKeys('base64url');
    const auth = randomBytes(16).toString('base64url');
    const path = `/push/${this.#browsers.size}`;
    const browser: Browser = { keys, auth, messages: [], status: 201, until: Promise.resolve(), asked: 0 };
    this.#browsers.set(path, browser);
    return { browser, subscription: { endpoint: this.origin + path, keys: { p256dh, auth } } };
  }

  stop(): void {
    this.#server.close();
  }
}
