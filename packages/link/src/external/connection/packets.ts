import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import packets, { type IConnectPacket } from 'mqtt-packet';
import { PUBLISH_BYTES_MAX } from '../../limits.ts';
import { NEVER_EXPIRES_S, RECEIVE_MAX } from '../limits.ts';
import type { BrokerAccess } from './broker-address.ts';

export type MqttVersion = 4 | 5;

export interface Login {
  readonly broker: BrokerAccess;
  readonly version: MqttVersion;
  readonly clientId: string;
  /** Otherwise the session ends with the connection. */
  readonly keepsSession: boolean;
  readonly keepAliveS: number;
  /** What the broker publishes, retained, when the connection ends without a word. */
  readonly will?: { readonly topic: string; readonly payload: string };
}

/** The topic and the properties of a PUBLISH need some bytes more. */
const PACKET_BYTES_MAX = PUBLISH_BYTES_MAX + 1024;

export function connectPacket({ broker, version, clientId, keepsSession, keepAliveS, will }: Login): Buffer {
  const { username, password } = broker;
  const packet: IConnectPacket = {
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: version,
    clientId,
    clean: !keepsSession,
    keepalive: keepAliveS,
    ...(will === undefined
      ? {}
      : { will: { topic: will.topic, payload: Buffer.from(will.payload), qos: 1, retain: true } }),
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password: Buffer.from(password) }),
    ...(version === 4
      ? {}
      : {
          properties: {
            sessionExpiryInterval: keepsSession ? NEVER_EXPIRES_S : 0,
            receiveMaximum: RECEIVE_MAX,
            maximumPacketSize: PACKET_BYTES_MAX,
          },
        }),
  };
  return packets.generate(packet, { protocolVersion: version });
}

export function openSocket({ host, port, isSecure }: BrokerAccess): Socket {
  const socket = isSecure ? connectSecure({ host, port }) : connectPlain({ host, port });
  socket.setNoDelay(true);
  return socket;
}

/** What a refused CONNECT means; MQTT 3.1.1 and 5 have different codes. */
export function refusalOf(code: number): Error {
  const text = REFUSALS[code] ?? `the broker refuses the connection with code ${code}`;
  if (code === 1 || code === 132) return new VersionRefused(text);
  return BUSY_CODES.includes(code) ? new Error(text) : new BrokerRefusal(text);
}

/** The broker is there, and refuses what the settings of the service or its own ask of it; to try again does not help. */
export class BrokerRefusal extends Error {}

/** The broker does not know the version of MQTT in which it was asked. */
export class VersionRefused extends BrokerRefusal {}

/**
 * False for what may pass by itself: a broker that is not there, is busy or ends connections. Errors of the network name a system
 * call; other errors with a code say that the certificate of the broker is not accepted.
 */
export const isRefusal = (error: Error): boolean =>
  error instanceof BrokerRefusal || ('code' in error && !('syscall' in error));

/** Not available, busy, too many connections or too quickly. */
const BUSY_CODES: readonly number[] = [3, 136, 137, 151, 159];

const BAD_LOGIN = 'the broker refuses the user name or the password';
const NOT_ALLOWED = 'the broker does not allow this user to connect';
const REFUSALS: Readonly<Record<number, string>> = {
  2: 'the broker refuses the client id',
  3: 'the broker is not available',
  4: BAD_LOGIN,
  5: NOT_ALLOWED,
  133: 'the broker refuses the client id',
  134: BAD_LOGIN,
  135: NOT_ALLOWED,
  136: 'the broker is not available',
};

/** Why a broker of MQTT 5 has ended a connection. */
export function endText(code: number): string {
  return ENDS[code] ?? `the broker ended the connection with code ${code}`;
}

const ENDS: Readonly<Record<number, string>> = {
  139: 'the broker shuts down',
  142: 'another client has connected with the same client id',
  152: 'the broker ended the connection because the rights of its user have changed',
};
