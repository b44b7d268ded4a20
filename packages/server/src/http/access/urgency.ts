import type { Endpoint } from '@granary/contract/endpoints/declaration/endpoint';
import { isUrgentBody } from '@granary/contract/endpoints/declaration/urgent-body';
import { Refusal } from '@granary/contract/errors';
import type { Scope } from '@granary/contract/keys';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export type Done = (error?: Error) => void;

/**
 * Urgent requests are never limited. While the storage does not answer, they are open to every key that was valid when the storage
 * answered last.
 */
export const urgencyOf = ({ routeOptions }: FastifyRequest) =>
  routeOptions.config.endpoint?.isUrgent ?? false;

export const isUrgentNow = ({ isUrgent }: Endpoint, body: unknown): boolean =>
  typeof isUrgent === 'boolean' ? isUrgent : isUrgentBody(isUrgent, body);

/** The scope that a request needs. An emergency stop needs less than other commands; until the body is read, each may be one. */
export function scopeOf({ scope, isUrgent }: Endpoint, body: unknown): Scope | null {
  if (scope === null) return null;
  const mayBeStop = typeof isUrgent !== 'boolean' && (body === undefined || isUrgentBody(isUrgent, body));
  return mayBeStop ? 'stop' : scope;
}

/** Runs only for routes whose urgency depends on the body, so that other routes do not pay for it. */
export function onceBodyTells(
  app: FastifyInstance,
  act: (isUrgent: boolean, request: FastifyRequest, reply: FastifyReply, done: Done) => void,
): void {
  app.addHook('onRoute', (route) => {
    const isUrgent = route.config?.endpoint?.isUrgent;
    if (isUrgent === undefined || typeof isUrgent === 'boolean') return;
    const hook = (request: FastifyRequest, reply: FastifyReply, done: Done): void =>
      act(isUrgentBody(isUrgent, request.body), request, reply, done);
    route.preHandler = [route.preHandler ?? [], hook].flat();
  });
}

/** While the service ends, only stops are served, until the device link is closed; everything else is refused. */
export class EndingService {
  #isEnding = false;

  begin(): void {
    this.#isEnding = true;
  }

  refusalOf(request: FastifyRequest, reply: FastifyReply): Refusal | undefined {
    if (!this.#isEnding) return undefined;
    // Connections end with their last answer, so that the service can end.
    reply.header('connection', 'close');
    return urgencyOf(request) === false ? serviceStopping() : undefined;
  }

  /** Makes the same check for routes whose urgency depends on the body. */
  refuseByBody(app: FastifyInstance): void {
    onceBodyTells(app, (isUrgent, _request, _reply, done) =>
      done(this.#isEnding && !isUrgent ? serviceStopping() : undefined),
    );
  }
}

const serviceStopping = (): Refusal =>
  new Refusal('service_stopping', 'the service is ending; try again when it has started, or on another node');
