import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import packets, { type IConnectPacket } from 'mqtt-packet';
import { PUBLISH_BYTES_MAX } from '../../limits.ts';
import { RECEIVE_MAX, SESSION_EXPIRY_S } from '../limits.ts';
import type { BrokerAccess } from './broker-address.ts';

export type MqttVersion = 4 | 5;

export interface Login {
  readonly broker: BrokerAccess;
  readonly version: MqttVersion;
  readonly clientId: string;
  /** `null` for a connection whose session ends with it. */
  readonly session: 'kept' | null;
  readonly keepAliveS: number;
  readonly will: { readonly topic: string; readonly payload: string } | null;
}

/** The topic and the properties of a PUBLISH need some bytes more. */
const PACKET_BYTES_MAX = PUBLISH_BYTES_MAX + 1024;

export function connectPacket({ broker, version, clientId, session, keepAliveS, will }: Login): Buffer {
  const { username, password } = broker;
  const packet: IConnectPacket = {
    ...{ cmd: 'connect', protocolId: 'MQTT', protocolVersion: version, clientId },
    ...{ clean: session === null, keepalive: keepAliveS },
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password: Buffer.from(password) }),
    ...(will === null ? {} : { will: { ...will, payload: Buffer.from(will.payload), qos: 1, retain: true } }),
    ...(version === 4
      ? {}
      : {
          properties: {
            sessionExpiryInterval: session === null ? 0 : SESSION_EXPIRY_S,
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

/** The text of a refused CONNECT; MQTT 3.1.1 and 5 have different codes. */
export function refusalText(code: number): string {
  return REFUSALS[code] ?? `the broker refuses the connection with code ${code}`;
}

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

/** The broker does not know this version of MQTT. */
export const isVersionRefused = (code: number): boolean => code === 1 || code === 132;
