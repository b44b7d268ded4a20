import { alarmHelp } from './endpoints/alarm-help.ts';
import { alerts } from './endpoints/alerts.ts';
import { audit } from './endpoints/audit.ts';
import { bridges } from './endpoints/bridges.ts';
import { bulk } from './endpoints/bulk.ts';
import { commands } from './endpoints/commands.ts';
import { configuration } from './endpoints/configuration.ts';
import { confirmations } from './endpoints/confirmations.ts';
import { console } from './endpoints/console.ts';
import { devices } from './endpoints/devices.ts';
import { exports } from './endpoints/exports.ts';
import { fleet } from './endpoints/fleet.ts';
import { foresight } from './endpoints/foresight.ts';
import { health } from './endpoints/health.ts';
import { icar } from './endpoints/icar.ts';
import { keys } from './endpoints/keys.ts';
import { mcp } from './endpoints/mcp.ts';
import { me } from './endpoints/me.ts';
import { missions } from './endpoints/missions.ts';
import { notifications } from './endpoints/notifications.ts';
import { operations } from './endpoints/operations.ts';
import { people } from './endpoints/people.ts';
import { plants } from './endpoints/plants.ts';
import { proposals } from './endpoints/proposals.ts';
import { push } from './endpoints/push.ts';
import { reference } from './endpoints/reference.ts';
import { reports } from './endpoints/reports.ts';
import { session } from './endpoints/session.ts';
import { shifts } from './endpoints/shifts.ts';
import { signOn } from './endpoints/sign-on.ts';
import { site } from './endpoints/site.ts';
import { readings, telemetry } from './endpoints/telemetry.ts';
import { terminals } from './endpoints/terminals.ts';
import { views } from './endpoints/views.ts';
import { webhooks } from './endpoints/webhooks.ts';

/**
 * Every slice of the service but the event log, whose schema is made from the events of these. The typed client, the routes,
 * the references, the types of events and the reserved paths follow from this list.
 */
export const CHANGING_SLICES = {
  devices,
  telemetry,
  configuration,
  operations,
  proposals,
  commands,
  missions,
  alerts,
  fleet,
  bulk,
  foresight,
  shifts,
  reports,
  views,
  bridges,
  alarmHelp,
  exports,
  keys,
  people,
  me,
  push,
  session,
  signOn,
  terminals,
  confirmations,
  notifications,
  site,
  icar,
  readings,
  webhooks,
  audit,
  plants,
  console,
  mcp,
  health,
  reference,
};
