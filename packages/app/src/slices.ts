import * as alarmHelp from './alarm-help.ts';
import * as alerts from './alerts/alerts.ts';
import * as audit from './audit/audit.ts';
import * as bridges from './bridges/bridges.ts';
import * as bulk from './bulk/bulk.ts';
import * as commands from './commands/commands.ts';
import * as field from './commands/field-jobs.ts';
import * as configuration from './configuration/configuration.ts';
import * as confirmations from './confirmations.ts';
import * as devices from './devices/devices.ts';
import * as events from './events/events.ts';
import * as exports from './exports/exports.ts';
import * as fleet from './fleet/fleet.ts';
import * as foresight from './foresight/foresight.ts';
import * as idempotency from './idempotency.ts';
import * as keys from './keys/keys.ts';
import * as missions from './missions/missions.ts';
import * as notifications from './notifications/notifications.ts';
import * as operations from './operations/operations.ts';
import * as proposals from './operations/proposals.ts';
import * as people from './people/people.ts';
import * as plants from './plants.ts';
import * as reports from './reports/reports.ts';
import * as guesses from './session/guesses.ts';
import * as session from './session/session.ts';
import * as shifts from './shifts/shifts.ts';
import * as signOn from './sign-on/sign-on.ts';
import * as site from './site/site.ts';
import * as telemetry from './telemetry/telemetry.ts';
import * as terminals from './terminals.ts';
import * as views from './views.ts';
import * as webhooks from './webhooks/webhooks.ts';

/**
 * All slices; everything else is derived from this list. A write is one transaction and returns its result and its effects.
 * Arguments and results must be structured clones, because writes may run in another thread.
 *
 * Old records are removed in this order, so alerts come before the operations and missions that they refer to.
 */
export const SLICES = {
  telemetry,
  events,
  idempotency,
  alerts,
  notifications,
  proposals,
  operations,
  commands,
  missions,
  webhooks,
  audit,
  foresight,
  shifts,
  session,
  devices,
  configuration,
  keys,
  guesses,
  people,
  signOn,
  terminals,
  confirmations,
  field,
  fleet,
  reports,
  views,
  bridges,
  bulk,
  alarmHelp,
  exports,
  plants,
  site,
};

export type SliceName = keyof typeof SLICES;
