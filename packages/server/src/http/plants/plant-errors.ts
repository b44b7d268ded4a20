import type { PlantError } from '@granary/contract/plants';
import type { FastifyReply } from 'fastify';
import type { Answerer } from '../protocol/error-map.ts';

/** The plant store answers every client error with 400, except 401. */
const statusAs = (status: number): number => (status > 401 && status < 500 ? 400 : status);

/** `error` is the status that the same error has in the device groups, so that programs can distinguish errors. */
export const answerPlantError: Answerer = (refusal, status, _request, reply: FastifyReply) => {
  const { message, details = [] } = refusal;
  const faults = details.map((fault) => `${fault.path} ${fault.message}`.trim()).join('; ');
  const body: PlantError = { error: status, message: faults === '' ? message : `${message}: ${faults}` };
  reply.code(statusAs(status)).send(body);
};
