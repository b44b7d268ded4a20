import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { HOUR_MS, SECOND_MS, toIso } from '@granary/contract/time';

const PUSH_EVERY_MS = 15 * SECOND_MS;
const READ_HOLDING = 3;
const READ_REQUEST_BYTES = 12;
const ILLEGAL_FUNCTION = 1;
const CAPACITY_KG = 20_000;
const USED_KG_PER_HOUR = 60;
const CABLE_POINTS = 6;

/** The address of the radio sensor. */
export const RADIO_ADDRESS = '24e124713d410001';

export interface BridgePeers {
  /** The port on which the scale answers Modbus TCP. */
  readonly scalePort: number;
  stop(): Promise<void>;
}

interface PeerOptions {
  /** The address to which the radio network and the weather station send, without their paths. */
  readonly pushUrl: string;
  readonly now: () => number;
}

/**
 * Starts devices of other makers beside the farm, for a bridge: a Modbus scale with a temperature cable, a level sensor behind
 * a LoRaWAN network server, and a weather station that pushes forms.
 */
export async function startBridgePeers({ pushUrl, now }: PeerOptions): Promise<BridgePeers> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    // On the loopback, a request of this length arrives complete.
    socket.on('data', (request: Buffer) => socket.write(answerTo(request, registers(now()))));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const push = (): void => {
    void send(`${pushUrl}/lorawan`, 'application/json', JSON.stringify(uplink(now())));
    void send(`${pushUrl}/ecowitt`, 'application/x-www-form-urlencoded', weatherForm(now()).toString());
  };
  const timer = setInterval(push, PUSH_EVERY_MS);
  const first = setTimeout(push, 3 * SECOND_MS);
  return {
    scalePort: (server.address() as AddressInfo).port,
    stop: async () => {
      clearInterval(timer);
      clearTimeout(first);
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Sends a message. A bridge that is not running misses it, as with a real device. */
async function send(url: string, type: string, body: string): Promise<void> {
  await fetch(url, { method: 'POST', headers: { 'content-type': type }, body }).then(
    (answer) => answer.body?.cancel(),
    () => undefined,
  );
}

/** The mapping of the scale, in the form in which a person would write it from a manual. */
export const SCALE_MAPPING = `mapping: demo-scale
version: 1
title: The simulated Modbus scale of the demo
source: packages/simulator/src/bridge-peers.ts
evidence: documented
protocol: modbus
profile: silo_scale
defaults: {table: holding, order: ABCD, timeout: 500ms, every: 5s}
points:
  status: {at: 2, type: bits, bits: {0: overload, 1: cell_fault}}
  weight: {at: 0, type: f32, unit: kg, range: [-400, 22000], bad_when: [status.overload, status.cell_fault], sensor: weight}
  cable: {at: 10, count: ${CABLE_POINTS}, type: i16, scale: 0.1, unit: celsius, none: -32768, every: 30s, kind: temperature, sensor: "cable1_{n}"}
`;

function registers(nowMs: number): Buffer {
  const data = Buffer.alloc(64);
  const usedKg = ((nowMs / HOUR_MS) * USED_KG_PER_HOUR) % (CAPACITY_KG * 0.7);
  data.writeFloatBE(CAPACITY_KG * 0.9 - usedKg + noise(2), 0);
  for (let point = 0; point < CABLE_POINTS; point++) {
    const celsius = 12 + point * 0.8 + noise(0.1);
    data.writeInt16BE(point === CABLE_POINTS - 1 ? -32_768 : Math.round(celsius * 10), (10 + point) * 2);
  }
  return data;
}

function answerTo(request: Buffer, data: Buffer): Buffer {
  const at = request.length < READ_REQUEST_BYTES ? 0 : request.readUInt16BE(8) * 2;
  const bytes = request.length < READ_REQUEST_BYTES ? 0 : request.readUInt16BE(10) * 2;
  const functionCode = request[7] ?? 0;
  const isRead = functionCode === READ_HOLDING && bytes > 0 && at + bytes <= data.length;
  const pdu = isRead
    ? Buffer.concat([Buffer.from([functionCode, bytes]), data.subarray(at, at + bytes)])
    : Buffer.from([functionCode | 0x80, ILLEGAL_FUNCTION]);
  const header = Buffer.concat([request.subarray(0, 4), Buffer.alloc(2), request.subarray(6, 7)]);
  header.writeUInt16BE(pdu.length + 1, 4);
  return Buffer.concat([header, pdu]);
}

/** An event of ChirpStack v4 with the decoded payload of a Milesight EM400. */
const uplink = (nowMs: number): object => ({
  deduplicationId: randomUUID(),
  time: toIso(nowMs),
  deviceInfo: { deviceName: 'level', devEui: RADIO_ADDRESS },
  fPort: 85,
  object: {
    battery: 92,
    temperature: Number((14 + daily(nowMs) * 5).toFixed(1)),
    distance: Math.round(1_500 + (((nowMs / HOUR_MS) * 20) % 3_000)),
    position: 'normal',
  },
});

/** The customized upload of an Ecowitt gateway: Fahrenheit, miles and inches. */
const weatherForm = (nowMs: number): URLSearchParams =>
  new URLSearchParams({
    PASSKEY: 'D3A0',
    stationtype: 'GW1100A_V2.1.4',
    dateutc: toIso(nowMs).slice(0, 19).replace('T', ' '),
    tempf: (52 + daily(nowMs) * 9 + noise(0.2)).toFixed(1),
    humidity: String(Math.round(72 - daily(nowMs) * 15)),
    baromrelin: (29.9 + noise(0.02)).toFixed(3),
    winddir: String(Math.round(200 + noise(30))),
    windspeedmph: Math.max(0, 6 + noise(3)).toFixed(2),
    windgustmph: Math.max(0, 10 + noise(4)).toFixed(2),
    solarradiation: Math.max(0, daily(nowMs) * 400).toFixed(2),
    uv: '1',
    totalrainin: (24 + nowMs / (1_000 * HOUR_MS)).toFixed(3),
  });

/** Returns a value from −1 to 1, the highest in the afternoon (UTC). */
const daily = (nowMs: number): number => Math.sin(((nowMs / HOUR_MS - 9) / 24) * 2 * Math.PI);

const noise = (most: number): number => (Math.random() * 2 - 1) * most;
