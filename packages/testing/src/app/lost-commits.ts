import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The tag with which PostgreSQL says that it has committed. */
const COMMITTED = Buffer.from('COMMIT\0');

/** A proxy in front of PostgreSQL that can lose the answer to a commit, with its connection. */
export class LostCommits {
  readonly url: string;
  readonly #server: ReturnType<typeof createServer>;
  readonly #sockets: Set<Socket>;
  readonly #loss: { isNext: boolean };

  private constructor(
    url: string,
    server: ReturnType<typeof createServer>,
    sockets: Set<Socket>,
    loss: { isNext: boolean },
  ) {
    this.url = url;
    this.#server = server;
    this.#sockets = sockets;
    this.#loss = loss;
  }

  static async start(databaseUrl: string): Promise<LostCommits> {
    const url = new URL(databaseUrl);
    const target = { host: url.hostname, port: Number(url.port || 5432) };
    const sockets = new Set<Socket>();
    const loss = { isNext: false };
    const server = createServer({ noDelay: true }, (client) => {
      const database = connect(target);
      for (const [from, to] of [
        [client, database],
        [database, client],
      ] as const) {
        sockets.add(from);
        from.on('error', () => from.destroy());
        from.on('close', () => {
          sockets.delete(from);
          to.destroy();
        });
        from.on('data', (bytes: Buffer) => {
          if (from === database && loss.isNext && bytes.includes(COMMITTED)) {
            loss.isNext = false;
            client.destroy();
          } else if (!to.destroyed) to.write(bytes);
        });
      }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url.hostname = '127.0.0.1';
    url.port = String((server.address() as AddressInfo).port);
    return new LostCommits(url.href, server, sockets, loss);
  }

  /** The next commit of any connection is carried out, but its answer is lost. */
  loseNext(): void {
    this.#loss.isNext = true;
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
