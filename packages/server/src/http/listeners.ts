import type { IncomingMessage, Server } from 'node:http';
import { createServer, type Server as SecureServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createSocketServer,
  type ListenOptions,
  type Socket,
  type Server as SocketServer,
} from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '@granary/contract/time';
import { type CertificatePair, secureOptions } from '@granary/link/tls';
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../process/settings.ts';
import { urlOf } from '../process/tls/ports.ts';
import type { RequestTurns } from './access/request-turns.ts';
import type { EndingService } from './access/urgency.ts';

/** An idle connection is closed after this time; event streams send a heartbeat far more often. */
const IDLE_MS_MAX = 60 * SECOND_MS;
/** This is longer than proxies keep an idle connection, so that the proxy closes the connection and not the service. */
const KEEP_ALIVE_MS = 72 * SECOND_MS;
const IDLE_CHECK_MS = 100;
const BUSY_CHECK_MS = 10;
/**
 * Node accepts one connection of a listening socket in a turn of the event loop, and a stop waits for the connections before it.
 * Linux divides the connections of one port between several sockets.
 */
const SOCKETS_PER_PORT = process.platform === 'linux' ? 32 : 1;
/** The number of connections that can wait until they are accepted; this is the default of Node. */
const BACKLOG = 511;

/** The time limits of the plain and of the encrypted server. */
export function timeLimits(settings: Settings) {
  return {
    connectionTimeout: IDLE_MS_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: settings.httpRequestTimeoutS * SECOND_MS,
    headersTimeout: settings.httpHeadersTimeoutS * SECOND_MS,
    connectionsCheckingInterval: SECOND_MS,
  };
}

interface Parts {
  readonly settings: Settings;
  readonly routes: FastifyInstance;
  readonly certificate: CertificatePair | null;
  /** Called with each server before it listens. */
  readonly prepare: (server: Server) => void;
  readonly clientError: (error: Error, socket: Socket) => void;
  readonly shouldUpgrade: (request: IncomingMessage) => boolean;
  readonly ending: EndingService;
  readonly turns: Pick<RequestTurns, 'isBusy'>;
}

const SHARED_PORT = { reusePort: SOCKETS_PER_PORT > 1 };

/** Refuses a port that is taken, because with several sockets another process of this user could open the same port, too. */
async function refuseTakenPort(address: ListenOptions): Promise<void> {
  const server = createSocketServer();
  await listen(server, address);
  await close(server);
}

const close = (server: SocketServer): Promise<void> =>
  new Promise((resolve) => server.close(() => resolve()));

function listen(server: SocketServer, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** The plain and the encrypted port, with the same routes and limits. */
export class HttpListeners {
  readonly #routes: FastifyInstance;
  readonly #settings: Settings;
  readonly #secureServer: SecureServer | null;
  readonly #ending: EndingService;
  readonly #turns: Pick<RequestTurns, 'isBusy'>;
  readonly #beforeEnding: (() => Promise<void> | void)[] = [];
  /** The further sockets of both ports. */
  readonly #moreSockets: SocketServer[] = [];
  #accepted = 0;

  constructor(parts: Parts) {
    const { settings, routes, certificate, prepare, clientError, shouldUpgrade, ending, turns } = parts;
    this.#routes = routes;
    this.#ending = ending;
    this.#turns = turns;
    this.#settings = settings;
    prepare(routes.server);
    this.#count(routes.server);
    if (certificate === null || settings.httpsPort === null) {
      this.#secureServer = null;
      return;
    }
    const { connectionTimeout, ...limits } = timeLimits(settings);
    const server = createServer(
      {
        ...secureOptions(certificate),
        ...limits,
        handshakeTimeout: limits.headersTimeout,
        requireHostHeader: false,
        shouldUpgradeCallback: shouldUpgrade,
      },
      (request, response) => routes.routing(request, response),
    );
    server.setTimeout(connectionTimeout);
    server.on('clientError', clientError);
    // Without a TLS handshake no answer can be sent.
    server.removeAllListeners('tlsClientError');
    server.on('tlsClientError', (_error, socket) => socket.destroy());
    prepare(server);
    this.#count(server);
    this.#secureServer = server;
  }

  /** Ends the answers that have no end, so that the connections can be closed. */
  beforeClosing(end: () => Promise<void> | void): void {
    this.#beforeEnding.push(end);
  }

  /** From now on only stops are served; the ports stay open for them until `close`. */
  async refuseAllButStops(): Promise<void> {
    this.#ending.begin();
    for (const end of this.#beforeEnding.splice(0)) await end();
  }

  /** Registers the routes, which takes most of the time of a start. */
  async prepare(): Promise<void> {
    await this.#routes.ready();
  }

  async listenPlain(): Promise<string | null> {
    const { httpHost: host, httpPort: port } = this.#settings;
    if (port === null) return null;
    await refuseTakenPort({ host, port });
    // biome-ignore lint/nursery/useAwaitThenable: it is declared with overloads, of which one returns nothing.
    const url = await this.#routes.listen({ host, port, ...SHARED_PORT });
    await this.#listenMore(this.#routes.server, host);
    return url;
  }

  async listenSecure(): Promise<string | null> {
    const server = this.#secureServer;
    const { httpsHost: host, httpsPort: port } = this.#settings;
    if (server === null || port === null) return null;
    await refuseTakenPort({ host, port });
    await listen(server, { host, port, ...SHARED_PORT });
    return urlOf('https', { host, port: await this.#listenMore(server, host) });
  }

  /** Returns the port, which the first socket may have chosen. */
  async #listenMore(server: Server | SecureServer, host: string): Promise<number> {
    const port = (server.address() as AddressInfo).port;
    const isPlain = server === this.#routes.server;
    for (let sockets = 1; sockets < SOCKETS_PER_PORT; sockets++) {
      // The options are those that Node uses for its own servers.
      const more = createSocketServer({ noDelay: true, allowHalfOpen: isPlain }, (socket) =>
        server.emit('connection', socket),
      );
      await listen(more, { host, port, ...SHARED_PORT });
      this.#moreSockets.push(more);
    }
    return port;
  }

  /** New connections use this certificate; open ones continue. */
  useCertificate(certificate: CertificatePair): void {
    this.#secureServer?.setSecureContext(secureOptions(certificate));
  }

  /** Resolves when running requests are answered and all connections are closed; also called when a start fails. */
  async close(): Promise<void> {
    await this.refuseAllButStops();
    // The ports stay open for stops while the other requests are answered.
    while (this.#turns.isBusy) await sleep(BUSY_CHECK_MS);
    await this.#acceptLast();
    const servers = [this.#routes.server, ...(this.#secureServer === null ? [] : [this.#secureServer])];
    const closed = [...this.#moreSockets, ...servers.slice(1)]
      .filter(({ listening }) => listening)
      .map(close);
    await this.#routes.close();
    const idleCheck = setInterval(() => {
      for (const server of servers) server.closeIdleConnections();
    }, IDLE_CHECK_MS);
    await Promise.all(closed);
    clearInterval(idleCheck);
  }

  #count(server: Server): void {
    server.on('connection', () => {
      this.#accepted++;
    });
  }

  /** Accepts the waiting connections, of which Node takes one in a turn: they may bring stops, and closing the port would end them. */
  async #acceptLast(): Promise<void> {
    let before = -1;
    for (let turn = 0; turn < BACKLOG && before < this.#accepted; turn++) {
      before = this.#accepted;
      // One turn ends, and the next one accepts.
      await setImmediate();
      await setImmediate();
    }
  }
}
