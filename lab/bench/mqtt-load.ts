import { connect, type Socket } from 'node:net';
import { topicOf } from '@granary/contract/link/messages';
import { generate } from 'mqtt-packet';

/** Devices as raw sockets with prepared packets, so that the generator uses little processor time. */
export interface MqttLoad {
  readonly host: string;
  readonly port: number;
  readonly devices: readonly { readonly username: string; readonly secret: string }[];
  /** Messages in flight on each connection. */
  readonly window: number;
  /** The interval per connection; 0 means as fast as acknowledgements arrive. */
  readonly intervalMs: number;
  readonly durationMs: number;
  /** The values of each reading; if they are not given, those of a silo. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  /** The times of the readings, and the load ends when all are sent; if they are not given, the present time is used. */
  readonly times?: { readonly firstMs: number; readonly everyMs: number; readonly count: number };
}

const SILO_VALUES = { weight: 12345.678, temperature: 18.25, humidity: 55.5 };
/** The weight has five digits, as in the values above. */
const FULL_KG = 19_999;
const STEPS_KG = 9_000;
const PUBACK_BYTES = 4;
const CONNACK_BYTES = 4;
const PACKET_ID_MAX = 65_535;
/** How often paced devices check whether a reading is due, unless the load sets it. */
const TICK_MS = 10;

export interface MqttResult {
  readonly perSecond: number;
  readonly acknowledged: number;
}

export async function runMqttLoad(load: MqttLoad, early: AbortSignal): Promise<MqttResult> {
  const sockets = await Promise.all(load.devices.map((device) => openConnection(load, device)));
  const startedMs = performance.now();
  const untilMs = startedMs + load.durationMs;
  const counts = await Promise.all(
    sockets.map((socket, index) =>
      publish(
        socket,
        load,
        load.devices[index]?.username ?? '',
        () => early.aborted || performance.now() >= untilMs,
      ),
    ),
  );
  const acknowledged = counts.reduce((sum, count) => sum + count, 0);
  const perSecond = acknowledged / ((performance.now() - startedMs) / 1_000);
  for (const socket of sockets) socket.destroy();
  return { perSecond, acknowledged };
}

/** Opens a connection and waits until its CONNECT is accepted. */
export function openConnection(
  load: Pick<MqttLoad, 'host' | 'port'>,
  { username, secret }: MqttLoad['devices'][number],
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: load.host, port: load.port, noDelay: true });
    socket.once('error', reject);
    socket.once('data', (chunk) => {
      if (chunk.length === CONNACK_BYTES && chunk[0] === 0x20 && chunk[3] === 0) return resolve(socket);
      reject(new Error(`CONNECT was refused: ${chunk.toString('hex')}`));
    });
    const packet = {
      cmd: 'connect',
      clientId: username,
      username,
      password: Buffer.from(secret),
      clean: true,
      keepalive: 60,
    };
    socket.write(generate({ ...packet, cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4 }));
  });
}

function publish(socket: Socket, load: MqttLoad, deviceId: string, isOver: () => boolean): Promise<number> {
  const template = generate({
    cmd: 'publish',
    topic: topicOf(deviceId, 'telemetry'),
    qos: 1,
    messageId: 1,
    retain: false,
    dup: false,
    payload: `{"ts":${'0'.repeat(13)},${JSON.stringify(load.values ?? SILO_VALUES).slice(1)}`,
  });
  const idAt = template.indexOf('telemetry') + 'telemetry'.length;
  const tsAt = template.indexOf('{"ts":') + '{"ts":'.length;
  const weightAt = template.indexOf('"weight":') + '"weight":'.length;
  const { times } = load;
  const sendMax = times?.count ?? Number.POSITIVE_INFINITY;
  return new Promise((resolve, reject) => {
    let packetId = 0;
    let lastTsMs = 0;
    let sent = 0;
    let acknowledged = 0;
    let spare = 0;
    const send = (): void => {
      const packet = Buffer.from(template);
      packetId = (packetId % PACKET_ID_MAX) + 1;
      if (times === undefined) lastTsMs = Math.max(lastTsMs + 1, Date.now());
      else {
        lastTsMs = times.firstMs + sent * times.everyMs;
        // The silo is emptied and filled again, so that every value changes.
        packet.write(String(FULL_KG - (sent % STEPS_KG)), weightAt, 'latin1');
      }
      packet.writeUInt16BE(packetId, idAt);
      packet.write(String(lastTsMs), tsAt, 'latin1');
      socket.write(packet);
      sent++;
    };
    const finish = (): void => {
      if (acknowledged === sent) resolve(acknowledged);
    };
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the broker closed a connection')));
    socket.on('data', (chunk) => {
      spare += chunk.length;
      const count = Math.floor(spare / PUBACK_BYTES);
      spare -= count * PUBACK_BYTES;
      acknowledged += count;
      if (isOver() || sent === sendMax) return finish();
      if (load.intervalMs > 0) return;
      socket.cork();
      for (let i = 0; i < count && sent < sendMax; i++) send();
      socket.uncork();
    });
    if (load.intervalMs === 0) {
      for (let i = 0; i < Math.min(load.window, sendMax); i++) send();
      return;
    }
    // The starts are spread over the interval, because real devices do not report at the same moment.
    setTimeout(() => {
      const timer = setInterval(() => {
        if (!isOver()) return send();
        clearInterval(timer);
        finish();
      }, load.intervalMs);
    }, Math.random() * load.intervalMs);
  });
}

/** Devices that measure at a steady rate, whether or not the service keeps up. */
export interface PacedLoad extends Omit<MqttLoad, 'intervalMs' | 'values'> {
  /** The rate of all devices together. */
  readonly perSecond: number;
  /** How often the devices check whether a reading is due; readings that are due at the same time arrive together. */
  readonly tickMs?: number;
}

export interface PacedResult {
  readonly acknowledged: number;
  /** Readings that a device could not send in time, because its window was full. */
  readonly notSent: number;
  /** The time from the end of the load to the last acknowledgement. */
  readonly lastAckMs: number;
}

/** A device whose window is full drops the reading, as a device with a small memory does. */
export async function runPacedLoad(load: PacedLoad): Promise<PacedResult> {
  const sockets = await Promise.all(load.devices.map((device) => openConnection(load, device)));
  const startedMs = performance.now();
  const perDevice = load.perSecond / load.devices.length / 1_000;
  let acknowledged = 0;
  let inFlight = 0;
  let notSent = 0;
  let lastAckAtMs = startedMs;
  let fault: Error | null = null;
  const devices = sockets.map((socket, index) => {
    const topic = topicOf(load.devices[index]?.username ?? '', 'telemetry');
    // Devices do not measure at the same moment.
    const head = index / sockets.length;
    let spare = 0;
    let own = 0;
    let taken = 0;
    let lastTsMs = 0;
    socket.on('error', (error) => {
      fault ??= error;
    });
    socket.on('close', () => {
      fault ??= new Error('the service closed a connection');
    });
    socket.on('data', (chunk) => {
      spare += chunk.length;
      const count = Math.floor(spare / PUBACK_BYTES);
      spare -= count * PUBACK_BYTES;
      own -= count;
      inFlight -= count;
      acknowledged += count;
      lastAckAtMs = performance.now();
    });
    return (elapsedMs: number): void => {
      const due = Math.floor(elapsedMs * perDevice + head);
      socket.cork();
      for (; taken < due; taken++) {
        if (own >= load.window) {
          notSent++;
          continue;
        }
        own++;
        inFlight++;
        lastTsMs = Math.max(lastTsMs + 1, Date.now());
        const payload = `{"ts":${lastTsMs},"weight":12345.678,"temperature":18.25,"humidity":55.5}`;
        const packet = { cmd: 'publish', qos: 1, retain: false, dup: false } as const;
        socket.write(generate({ ...packet, topic, messageId: (taken % PACKET_ID_MAX) + 1, payload }));
      }
      socket.uncork();
    };
  });
  const wait = () => new Promise((resolve) => setTimeout(resolve, load.tickMs ?? TICK_MS));
  for (let nowMs = startedMs; nowMs < startedMs + load.durationMs; nowMs = performance.now()) {
    for (const measure of devices) measure(nowMs - startedMs);
    if (fault !== null) throw fault;
    await wait();
  }
  const endedMs = performance.now();
  while (inFlight > 0) {
    if (fault !== null) throw fault;
    await wait();
  }
  for (const socket of sockets) socket.removeAllListeners('close').destroy();
  return { acknowledged, notSent, lastAckMs: Math.max(0, lastAckAtMs - endedMs) };
}
