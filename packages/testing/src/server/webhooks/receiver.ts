import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface ReceivedMessage {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: ReturnType<typeof JSON.parse>;
}

/** A function that answers a message; without one a receiver answers 204. */
export type Answer = (response: ServerResponse, message: ReceivedMessage) => void;

/** A receiver of webhooks on loopback, which keeps every message. */
export class WebhookReceiver {
  readonly messages: ReceivedMessage[] = [];
  answer: Answer = (response) => response.writeHead(204).end();
  readonly #server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      const message = { headers: request.headers, text, body: JSON.parse(text) };
      this.messages.push(message);
      this.answer(response, message);
    });
  });

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this.url;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  get ids(): string[] {
    return this.messages.map(({ headers }) => String(headers['webhook-id']));
  }

  async stop(): Promise<void> {
    this.#server.close().closeAllConnections();
  }
}

/** Checks the signature with a third-party library, and throws if it is wrong. */
export function verify(secret: string, { headers, text }: Pick<ReceivedMessage, 'headers' | 'text'>): void {
  new Webhook(secret).verify(text, headers as Record<string, string>);
}
