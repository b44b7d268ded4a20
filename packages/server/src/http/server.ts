import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { groupRoots } from '@granary/contract/endpoints/declaration/groups';
import { Refusal } from '@granary/contract/errors';
import { readJson } from '@granary/contract/input/json';
import type { CertificatePair } from '@granary/link/tls';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
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
import { alarmHelpRoutes } from './alarm-help.ts';
import { alertRoutes } from './alerts.ts';
import { prepareAttempts } from './audit/attempt.ts';
import { refusalRecorder } from './audit/refused-attempts.ts';
import { auditRoutes } from './audit.ts';
import { bridgeRoutes } from './bridges/bridges.ts';
import { brokerRoutes } from './broker/broker.ts';
import { bulkRoutes } from './bulk.ts';
import { commandRoutes } from './commands/commands.ts';
import { confirmationRoutes } from './confirmations.ts';
import { consoleRoutes } from './console/console.ts';
import { configurationRoutes, deviceRoutes, FIELD_GROUP, linkRoutes, SILO_GROUP } from './devices/devices.ts';
import { eventRoutes, newestValuesRoutes } from './events/events.ts';
import { exportRoutes } from './exports.ts';
import { fleetRoutes } from './fleet/fleet.ts';
import { foresightRoutes, siloForesightRoutes } from './foresight.ts';
import { healthRoutes } from './health.ts';
import { icarRoutes } from './icar.ts';
import { keyRoutes } from './keys.ts';
import { HttpListeners, timeLimits } from './listeners.ts';
import { mcpRoutes } from './mcp/mcp.ts';
import { meRoutes } from './me.ts';
import { metricsRoutes } from './metrics/metrics.ts';
import { missionRoutes } from './missions/missions.ts';
import { MqttUpgrade } from './mqtt-upgrade.ts';
import { notificationRoutes } from './notifications.ts';
import { operationRoutes } from './operations/operations.ts';
import { proposalListRoutes, proposalRoutes } from './operations/proposals.ts';
import { peopleRoutes } from './people.ts';
import { plantRoutes, withPlantErrors } from './plants.ts';
import { refuseUnrouted } from './protocol/accept.ts';
import { answerOddRequests, clientErrorHandler } from './protocol/connection-errors.ts';
import { answerError, errorHandler } from './protocol/error-map.ts';
import { acceptJsonBodies } from './protocol/json-body.ts';
import { pushRoutes } from './push.ts';
import { referenceRoutes } from './reference/reference.ts';
import { refuseUndeclaredRoutes } from './register.ts';
import { reportRoutes } from './reports.ts';
import { limitRequests } from './request-limit.ts';
import type { RouteDependencies } from './route-dependencies.ts';
import { sessionRoutes, signInRoutes } from './session/session.ts';
import { shiftRoutes } from './shifts.ts';
import { policyRoutes } from './sign-on/policy.ts';
import { identityProviderOf, SIGN_ON_ROUTES, signOnAdminRoutes } from './sign-on/sign-on.ts';
import { siteRoutes } from './site/site.ts';
import { fieldReadingRoutes } from './telemetry/field-readings.ts';
import { ingestRoutes, siloTelemetryRoutes } from './telemetry/telemetry.ts';
import { terminalRoutes, terminalSessionRoutes } from './terminals.ts';
import { viewRoutes } from './views.ts';
import { webhookRoutes } from './webhooks/webhooks.ts';

const BODY_BYTES_MAX = 1024 * 1024;
const SANE_REQUEST_ID = /^[\w.:-]{1,128}$/;

/** A random start and a counter make request ids unique without a new random number for each request. */
function requestIds(): () => string {
  const run = randomBytes(6).toString('hex');
  let count = 0;
  return () => `req_${run}_${(++count).toString(36)}`;
}

/** All routes of the service, on the ports of the settings. */
export function createHttpServer(
  parts: RouteDependencies,
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
    // Found before it is known what the address belongs to.
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(request, reply);
      errorHandler(logger, withPlantErrors(settings, answerError), recordRefusal)(error, request, reply);
    },
    clientErrorHandler: clientError,
    forceCloseConnections: 'idle',
    // While the service ends, `refusalOfEnding` answers with the error body, and stops are served.
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
  // One hook, because each hook costs time on every request; it runs before the body is read, which it does not need.
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply);
    requests.begin(request.raw, request.routeOptions.config);
    const refusal =
      refusalOfRequestLine(request, reply) ??
      ending.refusalOf(request, reply) ??
      connections.refusalOf(request, reply);
    if (refusal !== undefined || !request.is404) return done(refusal);
    // The page has relative links, so it has one address; this one is relative because of proxies.
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
  const accessChecks = {
    app: parts.app,
    keyring: parts.keyring,
    limiter,
    settings,
    failedLogins: new FailedLogins(logger, now),
    passwords: new PasswordChecks(parts),
  };
  const group = (prefix: string, register: (routes: FastifyInstance) => void): void => {
    app.register(
      async (routes) => {
        checkAccess(routes, accessChecks);
        register(routes);
      },
      { prefix },
    );
  };

  const roots = groupRoots(settings);
  healthRoutes(app, parts);
  referenceRoutes(app, settings);
  const addMetrics = (routes: FastifyInstance): void =>
    metricsRoutes(routes, parts, { requests, connections, turns });
  if (settings.metrics === 'open') addMetrics(app);
  if (settings.metrics === 'key') group(roots.service, addMetrics);
  group(roots.service, (routes) => mcpRoutes(routes, parts));
  group(roots.api, (routes) => keyRoutes(routes, parts));
  group(roots.api, (routes) => peopleRoutes(routes, parts));
  group(roots.api, (routes) => policyRoutes(routes, parts));
  if (settings.console) {
    consoleRoutes(app, settings, parts.consoleFolder, parts.app.people, logger);
    app.register(async (routes) => signInRoutes(routes, parts, accessChecks), { prefix: roots.api });
    group(roots.api, (routes) => sessionRoutes(routes, parts));
    const provider = identityProviderOf(parts);
    for (const add of SIGN_ON_ROUTES) {
      app.register(async (routes) => add(routes, parts, provider), { prefix: roots.api });
    }
    group(roots.api, (routes) => signOnAdminRoutes(routes, parts, provider, accessChecks.passwords));
    group(roots.api, (routes) => meRoutes(routes, parts, accessChecks.passwords));
    group(roots.api, (routes) => pushRoutes(routes, parts));
    group(roots.api, (routes) => confirmationRoutes(routes, parts, accessChecks.passwords));
    group(roots.api, (routes) => terminalRoutes(routes, parts));
    group(roots.api, (routes) => terminalSessionRoutes(routes, parts, accessChecks.passwords));
  }
  const { brokerSecret: secret } = settings;
  if (secret !== null) {
    const checks = { secret, failedLogins: accessChecks.failedLogins };
    app.register(async (routes) => brokerRoutes(routes, parts, checks), { prefix: roots.api });
  }
  group(roots.api, (routes) => eventRoutes(routes, parts));
  group(roots.api, (routes) => newestValuesRoutes(routes, parts));
  group(roots.api, (routes) => siteRoutes(routes, parts));
  group(roots.api, (routes) => bulkRoutes(routes, parts));
  group(roots.api, (routes) => fleetRoutes(routes, parts));
  group(roots.api, (routes) => icarRoutes(routes, parts));
  group(roots.api, (routes) => foresightRoutes(routes, parts));
  group(roots.api, (routes) => shiftRoutes(routes, parts));
  group(roots.api, (routes) => proposalListRoutes(routes, parts));
  group(roots.api, (routes) => reportRoutes(routes, parts));
  group(roots.api, (routes) => viewRoutes(routes, parts));
  group(roots.api, (routes) => bridgeRoutes(routes, parts));
  group(roots.api, (routes) => alarmHelpRoutes(routes, parts));
  group(roots.api, (routes) => exportRoutes(routes, parts));
  group(roots.api, (routes) => notificationRoutes(routes, parts));
  group(roots.api, (routes) => webhookRoutes(routes, parts));
  group(roots.api, (routes) => auditRoutes(routes, parts));
  group(roots.silo, (routes) => {
    deviceRoutes(routes, parts, SILO_GROUP);
    linkRoutes(routes, parts, 'silo');
    siloTelemetryRoutes(routes, parts);
    ingestRoutes(routes, parts, 'silo');
    operationRoutes(routes, parts);
    proposalRoutes(routes, parts);
    alertRoutes(routes, parts, 'silo');
    configurationRoutes(routes, parts, 'silo');
    siloForesightRoutes(routes, parts);
  });
  group(roots.field, (routes) => {
    deviceRoutes(routes, parts, FIELD_GROUP);
    linkRoutes(routes, parts, 'field');
    fieldReadingRoutes(routes, parts);
    ingestRoutes(routes, parts, 'field');
    commandRoutes(routes, parts);
    missionRoutes(routes, parts);
    alertRoutes(routes, parts, 'field');
    configurationRoutes(routes, parts, 'field');
  });
  group(roots.sandbox, (routes) => plantRoutes(routes, parts));
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
    // As Node does: who leaves it out is not to be trusted with a connection that others may share.
    reply.header('connection', 'close');
    return new Refusal('malformed_request', 'the header Host is missing');
  }
  // The forms for proxies and for the whole server; the router would take them for the path /.
  if (!url.startsWith('/')) {
    return new Refusal('malformed_request', 'the address of the request must be a path');
  }
  // PostgreSQL cannot store this character, and no id contains it.
  return url.includes('%00') ? new Refusal('invalid_input', 'the address holds a NUL character') : undefined;
}
