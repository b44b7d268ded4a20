import type { GroupName } from '@granary/contract/endpoints/declaration/groups';
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../process/settings.ts';
import { alarmHelpRoutes } from './alarm-help.ts';
import { alertRoutes } from './alerts.ts';
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
import { mcpRoutes } from './mcp/mcp.ts';
import { meRoutes } from './me.ts';
import { metricsRoutes } from './metrics/metrics.ts';
import { missionRoutes } from './missions/missions.ts';
import { notificationRoutes } from './notifications.ts';
import { operationRoutes } from './operations/operations.ts';
import { proposalListRoutes, proposalRoutes } from './operations/proposals.ts';
import { peopleRoutes } from './people.ts';
import { plantRoutes } from './plants.ts';
import { pushRoutes } from './push.ts';
import { referenceRoutes } from './reference/reference.ts';
import { reportRoutes } from './reports.ts';
import type { RouteDependencies } from './route-dependencies.ts';
import { sessionRoutes, signInRoutes } from './session/session.ts';
import { shiftRoutes } from './shifts.ts';
import { policyRoutes } from './sign-on/policy.ts';
import { SIGN_ON_ROUTES, signOnAdminRoutes } from './sign-on/sign-on.ts';
import { siteRoutes } from './site/site.ts';
import { fieldReadingRoutes } from './telemetry/field-readings.ts';
import { ingestRoutes, siloTelemetryRoutes } from './telemetry/telemetry.ts';
import { terminalRoutes, terminalSessionRoutes } from './terminals.ts';
import { viewRoutes } from './views.ts';
import { webhookRoutes } from './webhooks/webhooks.ts';

type AddRoutes = (routes: FastifyInstance, parts: RouteDependencies) => void;

interface SliceRoutes {
  readonly root: GroupName;
  readonly add: AddRoutes;
  /** Without this function the routes are always there. */
  readonly isOn?: (settings: Settings) => boolean;
  /** True when the routes need no key and no session. */
  readonly isOpen?: boolean;
}

const hasPage = ({ console }: Settings): boolean => console;
const inApi = (add: AddRoutes): SliceRoutes => ({ root: 'api', add });
const ofPage = (add: AddRoutes): SliceRoutes => ({ root: 'api', add, isOn: hasPage });
const beforeSignIn = (add: AddRoutes): SliceRoutes => ({ root: 'api', add, isOn: hasPage, isOpen: true });

/** The slices of the interface for which this service was made, with everything else that these slices offer. */
const INTERFACE: readonly SliceRoutes[] = [
  { root: 'silo', add: (routes, parts) => deviceRoutes(routes, parts, SILO_GROUP) },
  { root: 'silo', add: siloTelemetryRoutes },
  { root: 'silo', add: operationRoutes },
  { root: 'silo', add: (routes, parts) => alertRoutes(routes, parts, 'silo') },
  { root: 'silo', add: (routes, parts) => configurationRoutes(routes, parts, 'silo') },
  { root: 'field', add: commandRoutes },
  { root: 'field', add: fieldReadingRoutes },
  { root: 'field', add: missionRoutes },
  { root: 'sandbox', add: plantRoutes },
];

const DEVICES: readonly SliceRoutes[] = [
  { root: 'silo', add: (routes, parts) => linkRoutes(routes, parts, 'silo') },
  { root: 'silo', add: (routes, parts) => ingestRoutes(routes, parts, 'silo') },
  { root: 'silo', add: proposalRoutes },
  { root: 'silo', add: siloForesightRoutes },
  { root: 'field', add: (routes, parts) => deviceRoutes(routes, parts, FIELD_GROUP) },
  { root: 'field', add: (routes, parts) => linkRoutes(routes, parts, 'field') },
  { root: 'field', add: (routes, parts) => ingestRoutes(routes, parts, 'field') },
  { root: 'field', add: (routes, parts) => alertRoutes(routes, parts, 'field') },
  { root: 'field', add: (routes, parts) => configurationRoutes(routes, parts, 'field') },
];

const FACILITIES: readonly AddRoutes[] = [
  keyRoutes,
  peopleRoutes,
  policyRoutes,
  eventRoutes,
  newestValuesRoutes,
  siteRoutes,
  bulkRoutes,
  fleetRoutes,
  icarRoutes,
  foresightRoutes,
  shiftRoutes,
  proposalListRoutes,
  reportRoutes,
  viewRoutes,
  bridgeRoutes,
  alarmHelpRoutes,
  exportRoutes,
  notificationRoutes,
  webhookRoutes,
  auditRoutes,
];

const PAGE: readonly AddRoutes[] = [
  sessionRoutes,
  signOnAdminRoutes,
  meRoutes,
  pushRoutes,
  confirmationRoutes,
  terminalRoutes,
  terminalSessionRoutes,
];

const SERVICE: readonly SliceRoutes[] = [
  { root: 'service', add: consoleRoutes, isOn: hasPage, isOpen: true },
  beforeSignIn(signInRoutes),
  { root: 'service', add: healthRoutes, isOpen: true },
  { root: 'service', add: referenceRoutes, isOpen: true },
  { root: 'service', add: metricsRoutes, isOn: ({ metrics }) => metrics === 'open', isOpen: true },
  { root: 'service', add: metricsRoutes, isOn: ({ metrics }) => metrics === 'key' },
  { root: 'service', add: mcpRoutes },
  { root: 'api', add: brokerRoutes, isOpen: true },
];

/** All routes of the service, by slice. */
export const ROUTES: readonly SliceRoutes[] = [
  ...INTERFACE,
  ...DEVICES,
  ...FACILITIES.map(inApi),
  ...PAGE.map(ofPage),
  ...SIGN_ON_ROUTES.map(beforeSignIn),
  ...SERVICE,
];
