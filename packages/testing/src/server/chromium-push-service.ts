import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { isPushService } from '@granary/core/notifications/push';
import { newCertificate } from '../link/certificates.ts';
import { longField, message, numberField, textField, varint } from './protobuf.ts';
import { assertSigned } from './push-signature.ts';

/** The version of the connection over which Chromium receives messages. */
const VERSION = 41;
const TAG = { ping: 0, pingAck: 1, login: 2, loginAnswer: 3, data: 8 };
const DEVICE_ID = 4_711n;

/** What Chromium has registered for one page. */
interface Registration {
  readonly app: string;
  readonly page: string;
  /** The key of the service, as the page gave it. */
  readonly sender: string;
}

/**
 * The push service of a real Chromium, which registers here, stays connected, and receives, decrypts and shows the messages of services:
 * check-in, registration and connection of Firebase Cloud Messaging. Switches of Chromium set the address of this service.
 */
export class ChromiumPushService {
  readonly #registrations = new Map<string, Registration>();
  readonly #connections = new Set<TLSSocket>();
  /** The messages that came while the browser was not connected; it gets them when it connects. */
  readonly #waiting: Buffer[] = [];
  readonly #http = createServer((request, response) => void this.#answer(request, response));
  readonly #link = createTlsServer(newCertificate(), (socket) => this.#accept(socket));
  #sent = 0;

  async start(): Promise<this> {
    for (const server of [this.#http, this.#link]) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    }
    return this;
  }

  get origin(): string {
    return `http://127.0.0.1:${portOf(this.#http)}`;
  }

  /** The switches with which Chromium uses this service and accepts its self-signed certificate. */
  get switches(): string[] {
    return [
      `--gcm-checkin-url=${this.origin}/checkin`,
      `--gcm-registration-url=${this.origin}/register`,
      `--gcm-mcs-endpoint=https://localhost:${portOf(this.#link)}`,
      '--ignore-certificate-errors',
    ];
  }

  /** A script by which every page gives its service this address in place of that of the maker. */
  get pageScript(): string {
    return `(() => {
      const { toJSON } = PushSubscription.prototype;
      PushSubscription.prototype.toJSON = function () {
        const told = toJSON.call(this);
        return { ...told, endpoint: '${this.origin}/send/' + told.endpoint.split('/').at(-1) };
      };
    })()`;
  }

  stop(): void {
    for (const connection of this.#connections) connection.destroy();
    this.#http.close();
    this.#link.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    const path = request.url ?? '';
    if (path === '/checkin') {
      response.end(
        Buffer.from([...numberField(1, 1), ...longField(7, DEVICE_ID), ...longField(8, DEVICE_ID)]),
      );
    } else if (path === '/register') {
      response.end(this.#register(new URLSearchParams(body.toString())));
    } else {
      response.writeHead(this.#send(path.split('/').at(-1) ?? '', request, body)).end();
    }
  }

  #register(wanted: URLSearchParams): string {
    const text = (name: string): string => wanted.get(name) ?? '';
    const token = `token-${this.#registrations.size}`;
    if (wanted.has('delete')) return `token=${token}`;
    this.#registrations.set(token, { app: text('app'), page: text('X-subtype'), sender: text('sender') });
    return `token=${token}`;
  }

  #send(token: string, { headers }: IncomingMessage, body: Buffer): number {
    const registration = this.#registrations.get(token);
    if (registration === undefined) return 410;
    assertSigned(headers.authorization ?? '', this.origin);
    const pair = (name: string, value: string) => message(7, [...textField(1, name), ...textField(2, value)]);
    const stanza = [
      ...textField(3, registration.sender),
      ...textField(5, registration.app),
      ...pair('subtype', registration.page),
      ...pair('content-encoding', String(headers['content-encoding'])),
      ...textField(9, `message-${++this.#sent}`),
      ...message(21, body),
    ];
    const data = packet(TAG.data, stanza);
    if (this.#connections.size === 0) this.#waiting.push(data);
    for (const connection of this.#connections) connection.write(data);
    return 201;
  }

  #accept(socket: TLSSocket): void {
    let read: Buffer = Buffer.alloc(0);
    let hasVersion = false;
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#connections.delete(socket));
    socket.on('data', (part: Buffer) => {
      read = Buffer.concat([read, part]);
      if (!hasVersion) {
        hasVersion = true;
        read = read.subarray(1);
      }
      for (let next = firstPacket(read); next !== null; next = firstPacket(read)) {
        read = read.subarray(next.bytes);
        if (next.tag === TAG.ping) socket.write(packet(TAG.pingAck, []));
        if (next.tag !== TAG.login) continue;
        socket.write(Buffer.from([VERSION, ...packet(TAG.loginAnswer, textField(1, 'login'))]));
        this.#connections.add(socket);
        for (const data of this.#waiting.splice(0)) socket.write(data);
      }
    });
  }
}

/** Whether the service sends to this address without a setting. */
export const isKnownAddress = (endpoint: string): boolean => isPushService(endpoint, []);

const portOf = (server: { address(): AddressInfo | string | null }): number =>
  (server.address() as AddressInfo).port;

const packet = (tag: number, body: readonly number[]): Buffer =>
  Buffer.from([tag, ...varint(body.length), ...body]);

/** The first packet; `null` while it has not arrived as a whole. */
function firstPacket(read: Buffer): { readonly tag: number; readonly bytes: number } | null {
  let length = 0;
  for (let at = 1; at < read.length; at++) {
    const byte = read[at] ?? 0;
    length += (byte & 127) * 128 ** (at - 1);
    if (byte > 127) continue;
    const bytes = at + 1 + length;
    return bytes > read.length ? null : { tag: read[0] ?? 0, bytes };
  }
  return null;
}
