import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

interface After {
  after(undo: () => void): void;
}

/** A TCP proxy between client and service that cuts connections, holds answers back, or loses them. */
export class FaultyProxy {
  /** The port of the service; with `null` every new connection is closed. */
  targetPort: number | null;
  /** The interval in which bytes of the service are passed on in portions; `null`: they are passed on at once. */
  releaseEveryMs: number | null = null;
  /** True when everything that the service sends is lost. */
  losesAnswers = false;
  /** True when everything that the client sends is lost. */
  losesRequests = false;
  /** Called when the service has begun to answer; `onRequest` is called when a part of a request has arrived. */
  onAnswer: () => void = () => undefined;
  onRequest: () => void = () => undefined;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((client) => this.#accept(client));

  constructor(targetPort: number) {
    this.targetPort = targetPort;
  }

  static async start(t: After, serviceUrl: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(portOf(serviceUrl));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    t.after(() => {
      proxy.#server.close();
      proxy.cut();
    });
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(client: Socket): void {
    if (this.targetPort === null) {
      client.destroy();
      return;
    }
    const service = connect(this.targetPort, '127.0.0.1');
    this.#endTogether(client, service);
    client.on('data', (chunk) => {
      if (!this.losesRequests) service.write(chunk);
      this.onRequest();
    });
    let held: Buffer[] = [];
    const release = (): void => {
      if (held.length > 0) client.write(Buffer.concat(held));
      held = [];
    };
    const timer = this.releaseEveryMs === null ? undefined : setInterval(release, this.releaseEveryMs);
    client.on('close', () => clearInterval(timer));
    service.on('data', (chunk: Buffer) => {
      if (!this.losesAnswers) held.push(chunk);
      if (timer === undefined) release();
      this.onAnswer();
    });
  }

  #endTogether(...sockets: readonly [Socket, Socket]): void {
    for (const socket of sockets) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        for (const other of sockets) other.destroy();
      });
    }
  }
}

export const portOf = (url: string): number => Number(new URL(url).port);
