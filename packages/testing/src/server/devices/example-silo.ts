import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type DownSubject, topicOf, type UpSubject } from '@granary/contract/link/messages';
import { generate, type IPublishPacket, parser } from 'mqtt-packet';

interface ExampleParts {
  readonly command: string;
  readonly script: string;
  readonly servicePort: number;
  readonly deviceId: string;
  readonly secret: string;
  readonly memoryFile: string;
}

export interface PublishedMessage {
  readonly subject: UpSubject;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** An example device in a separate process, behind a proxy that records its messages and can send it further ones. */
export class ExampleSilo {
  /** Everything that the device has published since its first start. */
  readonly published: PublishedMessage[] = [];
  readonly #parts: ExampleParts;
  readonly #server: Server;
  #device: Socket | undefined;
  #refusedUntilMs = 0;
  #process: ChildProcess | undefined;

  constructor(parts: ExampleParts) {
    this.#parts = parts;
    this.#server = createServer({ noDelay: true }, (device) => this.#accept(device));
  }

  async start(): Promise<void> {
    if (!this.#server.listening) {
      this.#server.listen(0, '127.0.0.1');
      await once(this.#server, 'listening');
    }
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const { command, script, deviceId, secret, memoryFile } = this.#parts;
    const args = [script, '127.0.0.1', `${address.port}`, deviceId, secret, memoryFile];
    this.#process = spawn(command, args, { stdio: ['ignore', 'inherit', 'pipe'] });
    // The output is discarded: the device prints the messages that it ignores, and the tests send such messages.
    this.#process.stderr?.resume();
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  async remove(): Promise<void> {
    await this.end('SIGKILL');
    this.#server.close();
  }

  /** Sends the device a message that the service itself never sends. */
  inject(subject: DownSubject, payload: string | object): void {
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const topic = topicOf(this.#parts.deviceId, subject);
    this.#device?.write(
      generate({ cmd: 'publish', topic, payload: text, qos: 0, dup: false, retain: false }),
    );
  }

  /** Ends the connection, and lets the device connect again only after this time. */
  cut(absentMs: number): void {
    this.#refusedUntilMs = Date.now() + absentMs;
    this.#device?.destroy();
  }

  #accept(device: Socket): void {
    if (Date.now() < this.#refusedUntilMs) {
      device.destroy();
      return;
    }
    const service = connect({ host: '127.0.0.1', port: this.#parts.servicePort, noDelay: true });
    this.#device = device;
    const packets = parser();
    packets.on('packet', (packet) => {
      if (packet.cmd === 'publish') this.published.push(publishedIn(packet));
    });
    device.on('data', (chunk: Buffer) => packets.parse(chunk));
    for (const [from, to] of [
      [device, service],
      [service, device],
    ] as const) {
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  }
}

const publishedIn = ({ topic, payload }: IPublishPacket): PublishedMessage => ({
  subject: topic.slice(topic.lastIndexOf('/') + 1) as UpSubject,
  payload: JSON.parse(payload.toString()),
});
