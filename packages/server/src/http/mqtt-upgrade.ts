import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Refusal } from '@granary/contract/errors';
import type { DeviceLink } from '@granary/link/port';
import { createWebSocketStream, WebSocketServer } from 'ws';
import type { CallerAddresses } from './access/caller-address.ts';
import type { ConnectionLimits } from './access/connection-limits.ts';
import { namesThisService } from './access/own-page.ts';
import { answerAndClose } from './protocol/connection-errors.ts';

const PATH = '/mqtt';
const PROTOCOL = 'mqtt';
/** A frame may contain several packets. */
const FRAME_BYTES_MAX = 1024 * 1024;
/** The status of RFC 6455 for a frame of a type that is not accepted. */
const UNSUPPORTED_DATA = 1003;

interface Parts {
  readonly link: DeviceLink;
  /** True when devices connect to an external broker only. */
  readonly hasExternalBroker: boolean;
  readonly connections: ConnectionLimits;
  readonly addresses: CallerAddresses;
  readonly publicUrl: string | null;
  readonly nextRequestId: () => string;
}

/** MQTT over WebSocket on the HTTP ports; the device link treats these connections like its own. */
export class MqttUpgrade {
  readonly #parts: Parts;
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: FRAME_BYTES_MAX,
    handleProtocols: () => PROTOCOL,
  });
  readonly #ends = new Set<() => void>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Every other request is answered as if it did not ask for an upgrade, because HTTP allows to ignore it. */
  readonly shouldUpgrade = ({ url, headers }: IncomingMessage): boolean =>
    url?.split('?', 1)[0] === PATH && headers.upgrade?.toLowerCase() === 'websocket';

  watch(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      socket.on('error', () => socket.destroy());
      const refusal = this.#refusalOf(request, socket);
      if (refusal !== undefined) answerAndClose(socket, refusal, this.#parts.nextRequestId());
      else this.#upgrade(request, socket, head);
    });
  }

  /** Ends all connections, so that the HTTP server can close. */
  stop(): void {
    for (const end of this.#ends) end();
  }

  #refusalOf(request: IncomingMessage, socket: Socket): Refusal | undefined {
    if (!this.shouldUpgrade(request)) {
      return new Refusal('malformed_request', `only ${PATH} can be upgraded, to WebSocket`);
    }
    if (this.#parts.hasExternalBroker) {
      return new Refusal('malformed_request', 'devices of this service connect to its external MQTT broker');
    }
    if (this.#parts.connections.isReserved(socket)) {
      return new Refusal(
        'too_many_connections',
        'too many connections are open; close some or try again later',
      );
    }
    const { origin } = request.headers;
    if (origin !== undefined && !namesThisService(request.headers, origin, this.#parts.publicUrl)) {
      return new Refusal('cross_site_request', 'a page of another site must not connect to the device link');
    }
    const protocols = (request.headers['sec-websocket-protocol'] ?? '').split(',');
    return protocols.some((protocol) => protocol.trim() === PROTOCOL)
      ? undefined
      : new Refusal('malformed_request', `the WebSocket must ask for the subprotocol ${PROTOCOL}`);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const remoteAddress = this.#parts.addresses.of(request);
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('message', (_data, isBinary) => {
        if (!isBinary) webSocket.close(UNSUPPORTED_DATA, 'MQTT needs binary frames');
      });
      const stream = createWebSocketStream(webSocket);
      const end = this.#parts.link.accept(stream, remoteAddress);
      this.#ends.add(end);
      stream.once('close', () => this.#ends.delete(end));
    });
  }
}
