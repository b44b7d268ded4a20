import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Refusal } from '@granary/contract/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerNetwork } from './caller-address.ts';
import { onceBodyTells, urgencyOf } from './urgency.ts';

/** Connections that are accepted beyond the limits. Each of them may send one request, and only a stop is served. */
const RESERVED_CONNECTIONS_MAX = 64;
export const RESERVED_PER_ADDRESS_MAX = 16;

interface Limits {
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  /** A trusted proxy has connections of many callers, so only the limit of all connections counts for them. */
  readonly isTrustedProxy: (address: string | undefined) => boolean;
}

interface Reserved {
  readonly socket: Socket;
  /** `null` for a connection of a trusted proxy. */
  readonly address: string | null;
  readonly release: () => void;
  isServed: boolean;
}

/**
 * Counts open connections, including event streams, in total and by address. In a full reserve a new connection replaces
 * the oldest that has not requested a stop, so that idle connections cannot block a stop.
 */
export class ConnectionLimits {
  readonly #limits: Limits;
  readonly #countOf = new Map<string, number>();
  /** The reserved connections by peer, the oldest first. */
  readonly #reserved = new Map<string, Reserved>();
  #count = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** With TLS connections count before their handshake, so that those without one cannot block a stop. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#open(socket));
  }

  get count(): number {
    return this.#count;
  }

  get reservedCount(): number {
    return this.#reserved.size;
  }

  /** On a reserved connection everything except urgent requests is refused. */
  refusalOf(request: FastifyRequest, reply: FastifyReply): Refusal | undefined {
    const reserved = this.#reservedFor(request);
    if (reserved === undefined) return undefined;
    reply.header('connection', 'close');
    const isUrgent = urgencyOf(request);
    if (isUrgent === false) return tooManyConnections();
    reserved.isServed = isUrgent === true;
    return undefined;
  }

  /** Makes the same check for routes whose urgency depends on the body. */
  refuseByBody(app: FastifyInstance): void {
    onceBodyTells(app, (isUrgent, request, _reply, done) => {
      const reserved = this.#reservedFor(request);
      if (reserved === undefined) return done();
      if (!isUrgent) return done(tooManyConnections());
      reserved.isServed = true;
      done();
    });
  }

  isReserved(socket: Socket): boolean {
    return this.#reserved.has(peerOf(socket));
  }

  #reservedFor({ raw }: FastifyRequest): Reserved | undefined {
    return this.#reserved.size === 0 ? undefined : this.#reserved.get(peerOf(raw.socket));
  }

  #open(socket: Socket): void {
    const peer = peerOf(socket);
    const address = this.#limits.isTrustedProxy(socket.remoteAddress)
      ? null
      : callerNetwork(socket.remoteAddress);
    const excess = this.#excess(address);
    const hasPlace =
      (excess.ofAddress <= RESERVED_PER_ADDRESS_MAX || this.#giveWay(address)) &&
      (this.#excess(address).inTotal <= RESERVED_CONNECTIONS_MAX || this.#giveWay(null));
    if (!hasPlace) {
      socket.destroy();
      return;
    }
    this.#count++;
    if (address !== null) this.#countOf.set(address, (this.#countOf.get(address) ?? 0) + 1);
    const release = once(() => this.#release(peer, address));
    if (excess.inTotal > 0 || excess.ofAddress > 0) {
      this.#reserved.set(peer, { socket, address, release, isServed: false });
    }
    socket.once('close', release);
  }

  /** By how many connections the limits are exceeded with one more from this address. */
  #excess(address: string | null): { readonly inTotal: number; readonly ofAddress: number } {
    return {
      inTotal: this.#count + 1 - this.#limits.connectionsMax,
      ofAddress:
        address === null ? 0 : (this.#countOf.get(address) ?? 0) + 1 - this.#limits.connectionsPerAddressMax,
    };
  }

  /** Closes the oldest reserved connection, of this address if one is given, that is not being served. */
  #giveWay(address: string | null): boolean {
    for (const reserved of this.#reserved.values()) {
      if (reserved.isServed || (address !== null && reserved.address !== address)) continue;
      reserved.release();
      reserved.socket.destroy();
      return true;
    }
    return false;
  }

  #release(peer: string, address: string | null): void {
    this.#count--;
    this.#reserved.delete(peer);
    if (address === null) return;
    const left = (this.#countOf.get(address) ?? 1) - 1;
    if (left === 0) this.#countOf.delete(address);
    else this.#countOf.set(address, left);
  }
}

/** The name of a peer is the same for a connection and for the TLS connection inside it. */
const peerOf = ({ remoteAddress, remotePort, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localPort}`;

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}

const tooManyConnections = (): Refusal =>
  new Refusal('too_many_connections', 'too many connections are open; close some or try again later');
