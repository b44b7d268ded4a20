import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly headers: string;
  readonly text: string;
}

/** A refusal by the server, such as 450 for greylisting. */
export const smtpRefusal = (responseCode: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode });

/** A real SMTP server on loopback that keeps what it receives. */
export class MailServer {
  readonly received: ReceivedMail[] = [];
  readonly #server: SMTPServer;
  #port: number;

  constructor(options: Omit<SMTPServerOptions, 'onData'> = {}, port = 0) {
    this.#port = port;
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      closeTimeout: 100,
      ...options,
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          this.received.push(received(Buffer.concat(chunks).toString(), session.envelope));
          done();
        });
      },
    });
    // Some tests end the connection in the middle, so errors are ignored.
    this.#server.on('error', () => undefined);
  }

  async start(): Promise<this> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server.server, 'listening');
    this.#port = (this.#server.server.address() as AddressInfo).port;
    return this;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.#port}`;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }
}

interface Envelope {
  readonly mailFrom: false | { readonly address: string };
  readonly rcptTo: readonly { readonly address: string }[];
}

function received(message: string, { mailFrom, rcptTo }: Envelope): ReceivedMail {
  const end = message.indexOf('\r\n\r\n');
  const headers = message.slice(0, end);
  const body = message.slice(end + 4).replaceAll('\r\n', '\n');
  const isQuoted = /^content-transfer-encoding: quoted-printable/im.test(headers);
  return {
    from: mailFrom === false ? '' : mailFrom.address,
    to: rcptTo.map(({ address }) => address),
    headers,
    text: isQuoted ? unquoted(body) : body,
  };
}

const unquoted = (body: string): string =>
  Buffer.from(
    body
      .replace(/=\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();
