import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy in front of a server that can stop passing bytes on without closing a connection, as a cut network does, or pass them on late. */
export class StallingProxy {
  readonly #target: { readonly host: string; readonly port: number };
  readonly #sockets = new Set<Socket>();
  /** The connection to the server for each client. */
  readonly #servers = new Map<Socket, Socket>();
  readonly #abandoned = new Set<Socket>();
  readonly #server = createServer({ noDelay: true }, (client) => this.#accept(client));
  #isStalled = false;
  #delayMs = 0;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#target = { host: hostname, port: Number(port || 5432) };
  }

  /** The address of the server through this proxy. */
  async start(url: string): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const through = new URL(url);
    through.hostname = '127.0.0.1';
    through.port = String((this.#server.address() as AddressInfo).port);
    return through.href;
  }

  stall(): void {
    this.#isStalled = true;
    for (const socket of this.#sockets) socket.pause();
  }

  resume(): void {
    this.#isStalled = false;
    for (const socket of this.#sockets) socket.resume();
  }

  /** Passes on the bytes of the server after this time, in their order. */
  delayAnswers(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /** Drops all clients without telling the server, as when their machine has lost its power; new connections pass. */
  abandon(): void {
    this.#isStalled = false;
    for (const [client, server] of this.#servers) {
      this.#abandoned.add(client);
      client.destroy();
      server.resume();
    }
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(client: Socket): void {
    const server = connect(this.#target);
    this.#servers.set(client, server);
    server.on('close', () => this.#servers.delete(client));
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      const pass = from === server ? this.#passLate(to) : passTo(to);
      from.on('data', pass);
      from.on('error', () => from.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        if (!this.#abandoned.delete(from)) to.destroy();
      });
      if (this.#isStalled) from.pause();
    }
  }

  #passLate(to: Socket): Pass {
    const pass = passTo(to);
    const waiting: Buffer[] = [];
    const passFirst = (): void => {
      const first = waiting.shift();
      if (first !== undefined) pass(first);
    };
    return (bytes) => {
      if (this.#delayMs === 0 && waiting.length === 0) return pass(bytes);
      waiting.push(bytes);
      setTimeout(passFirst, this.#delayMs);
    };
  }
}

type Pass = (bytes: Buffer) => void;

const passTo =
  (to: Socket): Pass =>
  (bytes) =>
    void (to.destroyed || to.write(bytes));
