import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { EmbeddedBroker } from '@granary/link/broker/broker';
import { LINK_LIMITS, type LinkLimits } from '@granary/link/limits';
import type {
  Ending,
  LinkDevice,
  LinkEvent,
  LinkHandler,
  LinkRejection,
  MessageOutcome,
  UplinkMessage,
} from '@granary/link/port';
import type { CertificatePair } from '@granary/link/tls';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import packets, { type IConnectPacket, type Packet } from 'mqtt-packet';

export const HOST = '127.0.0.1';
export const secretOf = (deviceId: string): string => `secret of ${deviceId}`;
export const READING = { ts: 1_800_000_000_000, weight: 1_234.5 };

type Event = readonly ['connected', string] | readonly ['disconnected', string, Ending];

/** Records every call and can be slow or fail on demand; every device except `unknown-device` is a registered silo. */
export class RecordingHandler implements LinkHandler {
  readonly attempts: string[] = [];
  readonly events: Event[] = [];
  readonly messages: (UplinkMessage & { readonly deviceId: string })[] = [];
  readonly rejections: (LinkRejection & { readonly deviceId: string })[] = [];
  readonly observations: LinkEvent[] = [];
  readonly reachableDevices: string[] = [];
  readonly unreachableDevices: string[] = [];
  readonly configurationRequests: string[] = [];
  /** The numbers of the devices that have logged in. */
  readonly deviceNos = new Map<string, number>();
  authenticateFails = false;
  receiveFails = false;
  isHolding = false;
  /** `authenticate` waits for this promise. */
  directory: Promise<void> = Promise.resolve();
  /** `received` waits for this promise. */
  disk: Promise<void> = Promise.resolve();
  readonly #waiting: { readonly condition: () => boolean; readonly resolve: () => void }[] = [];

  async authenticate(deviceId: string, secret: string): Promise<LinkDevice | null> {
    this.attempts.push(deviceId);
    this.#checkConditions();
    await this.directory;
    if (this.authenticateFails) throw new Error('storage is down');
    if (deviceId === 'unknown-device' || secret !== secretOf(deviceId)) return null;
    return { deviceNo: this.#deviceNoOf(deviceId), deviceId, profile: 'silo_scale' };
  }

  async received({ deviceId }: LinkDevice, message: UplinkMessage): Promise<MessageOutcome> {
    this.messages.push({ deviceId, ...message });
    this.#checkConditions();
    await this.disk;
    if (this.receiveFails) throw new Error('disk is full');
    return 'used';
  }

  async rejected({ deviceId }: LinkDevice, rejection: LinkRejection): Promise<void> {
    this.rejections.push({ deviceId, ...rejection });
    this.#checkConditions();
  }

  connected({ deviceId }: LinkDevice): void {
    this.events.push(['connected', deviceId]);
    this.#checkConditions();
  }

  disconnected({ deviceId }: LinkDevice, ending: Ending): void {
    this.events.push(['disconnected', deviceId, ending]);
    this.#checkConditions();
  }

  reachable({ deviceId }: LinkDevice): void {
    this.reachableDevices.push(deviceId);
    this.#checkConditions();
  }

  unreachable({ deviceId }: LinkDevice): void {
    this.unreachableDevices.push(deviceId);
    this.#checkConditions();
  }

  awaitsConfiguration({ deviceId }: LinkDevice): void {
    this.configurationRequests.push(deviceId);
    this.#checkConditions();
  }

  observed(event: LinkEvent): void {
    this.observations.push(event);
    this.#checkConditions();
  }

  async until(condition: () => boolean): Promise<void> {
    if (condition()) return;
    await new Promise<void>((resolve) => this.#waiting.push({ condition, resolve }));
  }

  #deviceNoOf(deviceId: string): number {
    const deviceNo = this.deviceNos.get(deviceId) ?? this.deviceNos.size + 1;
    this.deviceNos.set(deviceId, deviceNo);
    return deviceNo;
  }

  #checkConditions(): void {
    for (const { condition, resolve } of this.#waiting) if (condition()) resolve();
  }
}

export async function startLink(
  t: TestContext,
  limits: Partial<LinkLimits> = {},
  certificate: CertificatePair | null = null,
) {
  const handler = new RecordingHandler();
  const anyPort = { host: HOST, port: 0 };
  const broker = new EmbeddedBroker({ plain: anyPort, secure: anyPort }, handler, {
    limits: { ...LINK_LIMITS, ...limits },
    certificate,
  });
  const { plain, secure } = await broker.start();
  t.after(() => broker.stop());
  return { broker, handler, port: plain?.port ?? 0, securePort: secure?.port ?? 0 };
}

/** A device that uses a third-party MQTT client. */
export async function connectDevice(
  t: TestContext,
  port: number,
  deviceId: string,
  options: IClientOptions = {},
): Promise<MqttClient> {
  const client = await mqtt.connectAsync(
    `mqtt://${HOST}:${port}`,
    { clientId: deviceId, username: deviceId, password: secretOf(deviceId), reconnectPeriod: 0, ...options },
    false,
  );
  client.on('error', () => undefined);
  t.after(() => client.end(true));
  return client;
}

export const closeOf = (client: MqttClient): Promise<void> =>
  new Promise((resolve) => client.once('close', () => resolve()));

/** A device that sends exactly the given bytes. */
export class RawDevice {
  readonly packets: Packet[] = [];
  readonly closed: Promise<unknown>;
  readonly #socket: Socket;
  #arrived: () => void = () => undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    const parser = packets.parser();
    parser.on('packet', (packet) => {
      this.packets.push(packet);
      this.#arrived();
    });
    socket.on('data', (chunk: Buffer) => parser.parse(chunk));
    socket.on('error', () => undefined);
  }

  send(...parts: (Packet | Buffer)[]): void {
    this.#socket.write(
      Buffer.concat(parts.map((part) => (Buffer.isBuffer(part) ? part : packets.generate(part)))),
    );
  }

  async packetCount(count: number): Promise<void> {
    while (this.packets.length < count) await new Promise<void>((resolve) => (this.#arrived = resolve));
  }

  /** Closes the connection without DISCONNECT. */
  destroySocket(): void {
    this.#socket.destroy();
  }

  /** Leaves received bytes unread. */
  stopReading(): void {
    this.#socket.pause();
  }

  resumeReading(): void {
    this.#socket.resume();
  }

  /** The number of bytes that the other side has not read. */
  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  finish(bytes: Uint8Array): void {
    this.#socket.end(bytes);
  }
}

export async function openRaw(t: TestContext, port: number): Promise<RawDevice> {
  const socket = connect(port, HOST);
  t.after(() => socket.destroy());
  const device = new RawDevice(socket);
  await once(socket, 'connect');
  return device;
}

export const connectPacket = (deviceId: string, more: Partial<IConnectPacket> = {}): IConnectPacket => ({
  cmd: 'connect',
  clientId: deviceId,
  username: deviceId,
  password: Buffer.from(secretOf(deviceId)),
  keepalive: 0,
  clean: true,
  ...more,
});

export async function connectRaw(
  t: TestContext,
  port: number,
  deviceId: string,
  more: Partial<IConnectPacket> = {},
): Promise<RawDevice> {
  const device = await openRaw(t, port);
  device.send(connectPacket(deviceId, more));
  await device.packetCount(1);
  return device;
}

/** Tries again until the broker, whose connections are limited, accepts the connection. */
export async function connectWhenFree(t: TestContext, port: number, deviceId: string): Promise<RawDevice> {
  for (;;) {
    const device = await openRaw(t, port);
    device.send(connectPacket(deviceId));
    await Promise.race([device.packetCount(1), device.closed]);
    if (device.packets.length > 0) return device;
  }
}

export const publishPacket = (
  topic: string,
  payload: string | Buffer,
  qos: 0 | 1 | 2,
  messageId = 1,
): Packet => ({
  cmd: 'publish',
  topic,
  payload,
  qos,
  messageId,
  dup: false,
  retain: false,
});
