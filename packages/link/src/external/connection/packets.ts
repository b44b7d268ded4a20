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
  /** True if the broker keeps the session after the connection; otherwise both end together. */
  readonly keepsSession: boolean;
  readonly keepAliveS: number;
  /** The message that the broker publishes, retained, if the connection ends without a DISCONNECT. */
  readonly will?: { readonly topic: string; readonly payload: string };
}

/** The limit includes some bytes for the topic and the properties of a PUBLISH. */
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

/** Returns the error for a refused CONNECT; MQTT 3.1.1 and 5 have different codes. */
export function refusalOf(code: number): Error {
  const text = REFUSALS[code] ?? `the broker refuses the connection with code ${code}`;
  if (code === 1 || code === 132) return new VersionRefused(text);
  return BUSY_CODES.includes(code) ? new Error(text) : new BrokerRefusal(text);
}

/** The error that a reachable broker refuses the service, because of the settings of one of the two; another attempt does not help. */
export class BrokerRefusal extends Error {}

/** The error that the broker does not support the requested version of MQTT. */
export class VersionRefused extends BrokerRefusal {}

/**
 * Returns false for faults that may end by themselves: a broker that is not reachable, is busy or ends connections. Errors of
 * the network name a system call; other errors with a code mean that the certificate of the broker is not accepted.
 */
export const isRefusal = (error: Error): boolean =>
  error instanceof BrokerRefusal || ('code' in error && !('syscall' in error));

/** The codes for: not available, busy, too many connections, connections too quickly. */
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

/** Returns why a broker with MQTT 5 has ended a connection. */
export function endText(code: number): string {
  return ENDS[code] ?? `the broker ended the connection with code ${code}`;
}

const ENDS: Readonly<Record<number, string>> = {
  139: 'the broker shuts down',
  142: 'another client has connected with the same client id',
  152: 'the broker ended the connection because the rights of its user have changed',
};
