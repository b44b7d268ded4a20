import { Compressor } from './background/compressor.ts';
import { purger } from './background/purger.ts';
import { reporter } from './background/reports/reporter.ts';
import { retention } from './background/retention.ts';
import type { MakeWorker, Worker, WorkerParts } from './background/worker.ts';
import { alarmHelpRoutes } from './http/alarm-help.ts';
import { alertRoutes } from './http/alerts.ts';
import { auditRoutes } from './http/audit.ts';
import { bridgeRoutes } from './http/bridges/bridges.ts';
import { brokerRoutes } from './http/broker/broker.ts';
import { bulkRoutes } from './http/bulk.ts';
import { commandRoutes } from './http/commands/commands.ts';
import { confirmationRoutes } from './http/confirmations.ts';
import { consoleRoutes } from './http/console/console.ts';
import {
  configurationRoutes,
  deviceRoutes,
  FIELD_GROUP,
  linkRoutes,
  SILO_GROUP,
} from './http/devices/devices.ts';
import { eventRoutes, newestValuesRoutes } from './http/events/events.ts';
import { exportRoutes } from './http/exports.ts';
import { fleetRoutes } from './http/fleet/fleet.ts';
import { foresightRoutes, siloForesightRoutes } from './http/foresight.ts';
import { healthRoutes } from './http/health.ts';
import { icarRoutes } from './http/icar.ts';
import { keyRoutes } from './http/keys.ts';
import { mcpRoutes } from './http/mcp/mcp.ts';
import { meRoutes } from './http/me.ts';
import { metricsRoutes } from './http/metrics/metrics.ts';
import { missionRoutes } from './http/missions/missions.ts';
import { notificationRoutes } from './http/notifications.ts';
import { operationRoutes } from './http/operations/operations.ts';
import { proposalListRoutes, proposalRoutes } from './http/operations/proposals.ts';
import { peopleRoutes } from './http/people.ts';
import { plantRoutes } from './http/plants.ts';
import { pushRoutes } from './http/push.ts';
import { referenceRoutes } from './http/reference/reference.ts';
import { reportRoutes } from './http/reports.ts';
import type { AddRoutes, SliceRoutes } from './http/route-dependencies.ts';
import { sessionRoutes, signInRoutes } from './http/session/session.ts';
import { shiftRoutes } from './http/shifts.ts';
import { policyRoutes } from './http/sign-on/policy.ts';
import { SIGN_ON_ROUTES, signOnAdminRoutes } from './http/sign-on/sign-on.ts';
import { siteRoutes } from './http/site/site.ts';
import { fieldReadingRoutes } from './http/telemetry/field-readings.ts';
import { ingestRoutes, siloTelemetryRoutes } from './http/telemetry/telemetry.ts';
import { terminalRoutes, terminalSessionRoutes } from './http/terminals.ts';
import { viewRoutes } from './http/views.ts';
import { webhookRoutes } from './http/webhooks/webhooks.ts';
import type { Settings } from './process/settings.ts';

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

/** The workers of slices, in the order in which they start. */
export const WORKERS: readonly MakeWorker[] = [
  retention,
  purger,
  (parts) => new Compressor(parts),
  reporter,
  homeAssistantWorker,
];

/** The code for Home Assistant is loaded only where it is set. */
async function homeAssistantWorker({ settings, ...parts }: WorkerParts): Promise<Worker | null> {
  if (settings.homeAssistant === null) return null;
  const { HomeAssistant } = await import('./background/home-assistant/home-assistant.ts');
  return new HomeAssistant({ ...parts, access: settings.homeAssistant });
}
