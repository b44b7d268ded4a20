import { Refusal } from '@granary/contract/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { onceBodyTells, urgencyOf } from './urgency.ts';

/** While the service ends only stops are served, until the device link is closed; everything else is refused. */
export class EndingService {
  #isEnding = false;

  begin(): void {
    this.#isEnding = true;
  }

  refusalOf(request: FastifyRequest, reply: FastifyReply): Refusal | undefined {
    if (!this.#isEnding) return undefined;
    // Connections end with their last answer, so that the service can.
    reply.header('connection', 'close');
    return urgencyOf(request) === false ? serviceStopping() : undefined;
  }

  /** The same check for routes whose urgency depends on the body. */
  refuseByBody(app: FastifyInstance): void {
    onceBodyTells(app, (isUrgent, _request, _reply, done) =>
      done(this.#isEnding && !isUrgent ? serviceStopping() : undefined),
    );
  }
}

const serviceStopping = (): Refusal =>
  new Refusal('service_stopping', 'the service is ending; try again when it has started, or on another node');
