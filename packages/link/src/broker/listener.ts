import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:tls';
import { type LinkLimits, TCP_KEEP_ALIVE_MS } from '../limits.ts';
import type { BrokerAddress, BrokerAddresses } from '../port.ts';
import { type CertificatePair, secureOptions } from '../tls.ts';

export interface ListenerEvents {
  accepted(socket: Socket): unknown;
  /** A connection could not be accepted, or its TLS handshake failed. */
  failed(remoteAddress: string, reason: string, cause?: Error): void;
}

const SOCKET_OPTIONS = { noDelay: true, keepAlive: true, keepAliveInitialDelay: TCP_KEEP_ALIVE_MS };

/** The plain and the encrypted port; the connections of both are treated alike. */
export class Listener {
  readonly #events: ListenerEvents;
  readonly #limits: LinkLimits;
  readonly #sharesPorts: boolean;
  #servers: Server[] = [];
  #secureServer: SecureServer | null = null;
  /** The sockets below the encrypted connections, including those whose handshake has not ended. */
  readonly #encrypted = new Set<Socket>();

  constructor(events: ListenerEvents, limits: LinkLimits, sharesPorts: boolean) {
    this.#sharesPorts = sharesPorts;
    this.#events = events;
    this.#limits = limits;
  }

  /** Returns the addresses with the ports that were chosen; nothing listens when one of them fails. */
  async start(
    { plain, secure }: BrokerAddresses,
    certificate: CertificatePair | null,
  ): Promise<BrokerAddresses> {
    try {
      return {
        plain: plain === null ? null : await this.#listen(this.#plainServer(), plain),
        secure:
          secure === null || certificate === null
            ? null
            : await this.#listen(this.#encryptedServer(certificate), secure),
      };
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Resolves when every connection has ended. */
  async stop(): Promise<void> {
    const servers = this.#servers;
    this.#servers = [];
    this.#secureServer = null;
    for (const socket of this.#encrypted) socket.destroy();
    await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
  }

  /** New connections use this certificate; open ones continue. */
  useCertificate(certificate: CertificatePair): void {
    this.#secureServer?.setSecureContext(secureOptions(certificate));
  }

  #plainServer(): Server {
    return createServer(SOCKET_OPTIONS, (socket) => this.#events.accepted(socket));
  }

  #encryptedServer(certificate: CertificatePair): Server {
    const { connectTimeoutMs: handshakeTimeout } = this.#limits;
    const options = { ...SOCKET_OPTIONS, ...secureOptions(certificate), handshakeTimeout };
    const server = createSecureServer(options, (socket) => this.#events.accepted(socket));
    server.on('connection', (socket: Socket) => {
      this.#encrypted.add(socket);
      socket.once('close', () => this.#encrypted.delete(socket));
    });
    server.on('tlsClientError', (error, socket) => {
      const remoteAddress = socket.remoteAddress ?? 'unknown';
      socket.destroy();
      this.#events.failed(remoteAddress, `TLS handshake failed: ${handshakeFault(error)}`);
    });
    this.#secureServer = server;
    return server;
  }

  async #listen(server: Server, address: BrokerAddress): Promise<BrokerAddress> {
    server.maxConnections = this.#limits.connectionsMax + CLOSING_CONNECTIONS_MAX;
    this.#servers.push(server);
    await listen(server, { ...address, reusePort: this.#sharesPorts });
    // The process may be out of file descriptors for a moment, and the next connection may succeed.
    server.on('error', (cause) =>
      this.#events.failed('unknown', 'a connection could not be accepted', cause),
    );
    const bound = server.address();
    const port = bound !== null && typeof bound === 'object' ? bound.port : address.port;
    return { host: address.host, port };
  }
}

/**
 * The room for replaced connections, which count until they are closed, in addition to the limit of all connections. That
 * limit itself is checked where connections are accepted.
 */
const CLOSING_CONNECTIONS_MAX = 64;

/** The text of OpenSSL names source files; its code is enough to find the cause. */
const handshakeFault = (error: NodeJS.ErrnoException): string => error.code ?? error.message;

/** All devices of a site come back at once after an outage of its network; Node's usual 511 makes the system refuse some of them. */
const WAITING_CONNECTIONS_MAX = 4_096;

function listen(server: Server, options: BrokerAddress & { readonly reusePort: boolean }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...options, backlog: WAITING_CONNECTIONS_MAX }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
