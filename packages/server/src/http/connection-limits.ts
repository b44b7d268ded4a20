import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Refusal } from '@granary/contract/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { urgencyOf } from './auth.ts';
import { callerAddress } from './remote-address.ts';

/** Beyond the limits so many more connections are taken for one request each, which only a stop gets served. */
export const RESERVED_CONNECTIONS_MAX = 64;
export const RESERVED_PER_ADDRESS_MAX = 16;

interface Limits {
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
}

/** Counts open connections, event streams among them, in total and by address. What goes beyond the reserve is closed. */
export class ConnectionLimits {
  readonly #limits: Limits;
  readonly #countOf = new Map<string, number>();
  readonly #reserved = new Set<Socket>();
  #count = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#open(socket));
  }

  /** Refuses on a reserved connection everything but what must not wait. */
  guard(app: FastifyInstance): void {
    app.addHook('onRequest', (request, reply, done) => {
      if (!this.#reserved.has(request.raw.socket)) return done();
      reply.header('connection', 'close');
      done(urgencyOf(request) === false ? tooManyConnections() : undefined);
    });
    app.addHook('preHandler', (request, _reply, done) => {
      done(this.#reserved.has(request.raw.socket) && !isUrgent(request) ? tooManyConnections() : undefined);
    });
  }

  #open(socket: Socket): void {
    const address = callerAddress(socket.remoteAddress);
    const ofAddress = (this.#countOf.get(address) ?? 0) + 1;
    const excess = Math.max(0, this.#count + 1 - this.#limits.connectionsMax);
    const excessOfAddress = Math.max(0, ofAddress - this.#limits.connectionsPerAddressMax);
    if (excess > RESERVED_CONNECTIONS_MAX || excessOfAddress > RESERVED_PER_ADDRESS_MAX) {
      socket.destroy();
      return;
    }
    this.#count++;
    this.#countOf.set(address, ofAddress);
    if (excess > 0 || excessOfAddress > 0) this.#reserved.add(socket);
    socket.once('close', () => {
      this.#count--;
      this.#reserved.delete(socket);
      const left = (this.#countOf.get(address) ?? 1) - 1;
      if (left === 0) this.#countOf.delete(address);
      else this.#countOf.set(address, left);
    });
  }
}

function isUrgent(request: FastifyRequest): boolean {
  const urgency = urgencyOf(request);
  return typeof urgency === 'boolean' ? urgency : urgency(request.body);
}

const tooManyConnections = (): Refusal =>
  new Refusal('too_many_connections', 'too many connections are open; close some or try again later');
