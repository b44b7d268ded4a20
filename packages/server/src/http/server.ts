import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { groupRoots } from '@granary/contract/endpoints/declaration/groups';
import { Refusal } from '@granary/contract/errors';
import { readJson } from '@granary/contract/input/json';
import type { CertificatePair } from '@granary/link/tls';
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { logRequests } from '../process/logging/logger.ts';
import { RequestMetrics } from '../process/metrics/request-metrics.ts';
import { checkAccess } from './access/auth.ts';
import { CallerAddresses } from './access/caller-address.ts';
import { ConnectionLimits } from './access/connection-limits.ts';
import { FailedLogins } from './access/failed-logins.ts';
import { PasswordChecks } from './access/password-checks.ts';
import { RateLimiter } from './access/rate-limit.ts';
import { RequestTurns } from './access/request-turns.ts';
import { EndingService } from './access/urgency.ts';
import { prepareAttempts } from './audit/attempt.ts';
import { refusalRecorder } from './audit/refused-attempts.ts';
import { HttpListeners, timeLimits } from './listeners.ts';
import { MqttUpgrade } from './mqtt-upgrade.ts';
import { withPlantErrors } from './plants.ts';
import { refuseUnrouted } from './protocol/accept.ts';
import { answerOddRequests, clientErrorHandler } from './protocol/connection-errors.ts';
import { answerError, errorHandler } from './protocol/error-map.ts';
import { acceptJsonBodies } from './protocol/json-body.ts';
import { refuseUndeclaredRoutes } from './register.ts';
import { limitRequests } from './request-limit.ts';
import type { SliceRoutes } from './route-dependencies.ts';
import type { ServerParts } from './server-parts.ts';
import { identityProviderOf } from './sign-on/sign-on.ts';

const BODY_BYTES_MAX = 1024 * 1024;
const SANE_REQUEST_ID = /^[\w.:-]{1,128}$/;

/** A random start and a counter make request ids unique without a new random number for each request. */
function requestIds(): () => string {
  const run = randomBytes(6).toString('hex');
  let count = 0;
  return () => `req_${run}_${(++count).toString(36)}`;
}

/** The routes of all slices, on the ports of the settings. */
export function createHttpServer(
  parts: ServerParts,
  slices: readonly SliceRoutes[],
  certificate: CertificatePair | null,
): HttpListeners {
  const { settings, now, logger } = parts;
  const { headersTimeout, connectionsCheckingInterval, ...limits } = timeLimits(settings);
  const recordRefusal = refusalRecorder(parts.refusedAttempts, now);
  const nextRequestId = requestIds();
  const clientError = clientErrorHandler(nextRequestId);
  const addresses = new CallerAddresses(settings.trustedProxies);
  const connections = new ConnectionLimits({
    connectionsMax: settings.httpConnectionsMax,
    connectionsPerAddressMax: settings.httpConnectionsPerAddressMax,
    isTrustedProxy: (address) => addresses.isTrustedProxy(address),
  });
  const hasExternalBroker = settings.broker !== null;
  const { publicUrl } = settings;
  const mqtt = new MqttUpgrade({
    link: parts.link,
    hasExternalBroker,
    connections,
    addresses,
    publicUrl,
    nextRequestId,
  });
  const app = fastify({
    bodyLimit: BODY_BYTES_MAX,
    genReqId: ({ headers }) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : nextRequestId();
    },
    // These errors are found before the route of the address is known.
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(request, reply);
      errorHandler(logger, withPlantErrors(settings, answerError), recordRefusal)(error, request, reply);
    },
    clientErrorHandler: clientError,
    forceCloseConnections: 'idle',
    // While the service ends, `ending.refusalOf` answers with the error body, and stops are served.
    return503OnClosing: false,
    ...limits,
    http: {
      headersTimeout,
      connectionsCheckingInterval,
      // Node would answer with an empty body; `refusalOfRequestLine` answers with the error body.
      requireHostHeader: false,
      shouldUpgradeCallback: (request) => mqtt.shouldUpgrade(request),
    },
  });
  addresses.decorate(app);
  const turns = new RequestTurns();
  const prepare = (server: Server): void => {
    answerOddRequests(server, nextRequestId);
    server.on('connection', () => turns.accepted());
    connections.watch(server);
    mqtt.watch(server);
  };
  app.addHook('preClose', async () => mqtt.stop());
  const ending = new EndingService();
  app.decorate('turns', turns);
  const requests = new RequestMetrics();
  requests.start();
  app.addHook('onClose', async () => requests.stop());
  const refusalOfUnrouted = refuseUnrouted(app);
  refuseUndeclaredRoutes(app);
  // SQLite is read without waiting, and a request waits for one write at most.
  limitRequests(app, settings.databaseUrl !== null);
  // There is one hook for everything, because each hook costs time on every request. It runs before the body is read and does not need it.
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply);
    requests.begin(request.raw, request.routeOptions.config);
    const refusal =
      refusalOfRequestLine(request, reply) ??
      ending.refusalOf(request, reply) ??
      connections.refusalOf(request, reply);
    if (refusal !== undefined || !request.is404) return done(refusal);
    // The page has relative links, so it has one address. The redirect is relative because a proxy may put the service below a path.
    if (request.method === 'GET' && request.url === '/docs/') return void reply.redirect('../docs', 308);
    done(refusalOfUnrouted(request, reply));
  });
  if (parts.accessLog !== null) logRequests(app, parts.accessLog);
  ending.refuseByBody(app);
  connections.refuseByBody(app);
  prepareAttempts(app, now);
  acceptJsonBodies(app, readJson);
  app.setErrorHandler(errorHandler(logger, answerError, recordRefusal));

  const { rateLimit: perSecond } = settings;
  const limiter =
    perSecond === null ? null : new RateLimiter({ perSecond, now, liveNodes: () => parts.nodes.liveCount });
  const checks = {
    reads: parts.reads,
    keyring: parts.keyring,
    limiter,
    settings,
    failedLogins: new FailedLogins(logger, now),
    passwords: new PasswordChecks(parts),
  };
  const figures = { requests, connections, turns };
  const routeParts = { ...parts, checks, figures, provider: identityProviderOf(parts) };
  const roots = groupRoots(settings);
  for (const { root, add, isOn, isOpen } of slices) {
    if (isOn?.(settings) === false) continue;
    app.register(
      async (routes) => {
        if (isOpen !== true) checkAccess(routes, checks);
        add(routes, routeParts);
      },
      { prefix: roots[root] },
    );
  }
  return new HttpListeners({
    settings,
    routes: app,
    certificate,
    prepare,
    clientError,
    shouldUpgrade: mqtt.shouldUpgrade,
    ending,
    turns,
  });
}

/** Answers depend on key and time, and some contain secrets, so they must not be cached. */
function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('cache-control', 'no-store');
  reply.header('x-content-type-options', 'nosniff');
}

function refusalOfRequestLine(
  { headers, raw, url }: FastifyRequest,
  reply: FastifyReply,
): Refusal | undefined {
  if (headers.host === undefined && raw.httpVersion === '1.1') {
    // Node does the same: a client without this header must not keep a connection that others may share.
    reply.header('connection', 'close');
    return new Refusal('malformed_request', 'the header Host is missing');
  }
  // Addresses that begin otherwise are for proxies or for the whole server; the router would take them for the path /.
  if (!url.startsWith('/')) {
    return new Refusal('malformed_request', 'the address of the request must be a path');
  }
  // PostgreSQL cannot store this character, and no id contains it.
  return url.includes('%00') ? new Refusal('invalid_input', 'the address holds a NUL character') : undefined;
}
