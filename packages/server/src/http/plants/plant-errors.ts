import type { PlantError } from '@granary/contract/plants';
import type { FastifyReply } from 'fastify';
import type { Answerer } from '../protocol/error-map.ts';

/** To a client that erred the plant store says 400, whatever it did, except that it has no key. */
const statusAs = (status: number): number => (status > 401 && status < 500 ? 400 : status);

/** `error` is the status that the same fault has in the device groups, so programs can still tell faults apart. */
export const answerPlantError: Answerer = (refusal, status, _request, reply: FastifyReply) => {
  const { message, details = [] } = refusal;
  const faults = details.map((fault) => `${fault.path} ${fault.message}`.trim()).join('; ');
  const body: PlantError = { error: status, message: faults === '' ? message : `${message}: ${faults}` };
  reply.code(statusAs(status)).send(body);
};
