import { Refusal } from '@granary/contract/errors';
import { type FastifyInstance, fastify } from 'fastify';
import { requestIds } from '../ids.ts';
import { alertRoutes } from './alerts.ts';
import { collectMethods } from './allowed-methods.ts';
import { guard } from './auth.ts';
import { commandRoutes } from './commands.ts';
import { configurationRoutes } from './configuration.ts';
import { deviceRoutes } from './devices.ts';
import { answerError, errorHandler } from './error-map.ts';
import { eventRoutes } from './events.ts';
import { fieldReadingRoutes } from './field-readings.ts';
import { healthRoutes } from './health.ts';
import { keyRoutes } from './keys.ts';
import { missionRoutes } from './missions.ts';
import { operationRoutes } from './operations.ts';
import type { RouteParts } from './parts.ts';
import { answerPlantError } from './plant-errors.ts';
import { plantRoutes } from './plants.ts';
import { RateLimiter } from './rate-limit.ts';
import { ingestRoutes, siloTelemetryRoutes } from './telemetry.ts';

const BODY_BYTES_MAX = 1024 * 1024;
const SANE_REQUEST_ID = /^[\w.:-]{1,128}$/;

/** Every address of the service in one list. */
export function createHttpServer(parts: RouteParts): FastifyInstance {
  const { settings, now } = parts;
  const nextRequestId = requestIds();
  const app = fastify({
    bodyLimit: BODY_BYTES_MAX,
    genReqId: ({ headers }) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : nextRequestId();
    },
    // Found before it is known what the address belongs to.
    frameworkErrors: (error, request, reply) => {
      const answer = request.url.startsWith(`${settings.sandboxPath}/`) ? answerPlantError : answerError;
      errorHandler(parts.logger, answer)(error, request, reply);
    },
    forceCloseConnections: 'idle',
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
  app.setErrorHandler(errorHandler(parts.logger, answerError));
  app.setNotFoundHandler(() => {
    throw new Refusal('route_not_found', 'there is nothing at this address');
  });
  const refuseOtherMethods = collectMethods(app);

  const limiter = settings.rateLimit === null ? null : new RateLimiter(settings.rateLimit, now);
  const group = (prefix: string, register: (routes: FastifyInstance) => void): void => {
    app.register(
      async (routes) => {
        guard(routes, parts.keyring, limiter);
        register(routes);
      },
      { prefix },
    );
  };

  healthRoutes(app, parts);
  group('/v1', (routes) => keyRoutes(routes, parts));
  group('/v1', (routes) => eventRoutes(routes, parts));
  group(`/v1/${settings.siloSegment}`, (routes) => {
    deviceRoutes(routes, parts, 'silo');
    siloTelemetryRoutes(routes, parts);
    ingestRoutes(routes, parts, 'silo');
    operationRoutes(routes, parts);
    alertRoutes(routes, parts, 'silo');
    configurationRoutes(routes, parts, 'silo');
  });
  group(`/v1/${settings.fieldSegment}`, (routes) => {
    deviceRoutes(routes, parts, 'field');
    fieldReadingRoutes(routes, parts);
    ingestRoutes(routes, parts, 'field');
    commandRoutes(routes, parts);
    missionRoutes(routes, parts);
    alertRoutes(routes, parts, 'field');
    configurationRoutes(routes, parts, 'field');
  });
  group(settings.sandboxPath, (routes) => plantRoutes(routes, parts));
  app.register(refuseOtherMethods);
  return app;
}
