import assert from 'node:assert/strict';
import type { App } from '@granary/app/app';
import { DAY_MS } from '@granary/contract/time';
import { grantOf } from '@granary/core/keys';
import { NOW_MS, readyFieldDevice, readySilo, weigh } from './fixtures.ts';
import * as alarmHelp from './slices/alarm-help.ts';
import * as alerts from './slices/alerts.ts';
import * as audit from './slices/audit.ts';
import * as bridges from './slices/bridges.ts';
import * as bulk from './slices/bulk.ts';
import * as commands from './slices/commands.ts';
import * as configuration from './slices/configuration.ts';
import * as confirmations from './slices/confirmations.ts';
import * as devices from './slices/devices.ts';
import * as events from './slices/events.ts';
import * as field from './slices/field.ts';
import * as foresight from './slices/foresight.ts';
import * as guesses from './slices/guesses.ts';
import * as idempotency from './slices/idempotency.ts';
import * as keys from './slices/keys.ts';
import * as missions from './slices/missions.ts';
import * as notifications from './slices/notifications.ts';
import * as operations from './slices/operations.ts';
import * as people from './slices/people.ts';
import * as plants from './slices/plants.ts';
import * as proposals from './slices/proposals.ts';
import * as reports from './slices/reports.ts';
import * as session from './slices/session.ts';
import * as shifts from './slices/shifts.ts';
import * as signOn from './slices/sign-on.ts';
import * as site from './slices/site.ts';
import * as telemetry from './slices/telemetry.ts';
import * as terminals from './slices/terminals.ts';
import * as views from './slices/views.ts';
import * as webhooks from './slices/webhooks.ts';
import { SESSION_OF_LASTING, type WhoMay, type WriteRound, type Writes } from './write-round.ts';

/** What the tests know of the writes of a slice. */
interface TestedSlice {
  readonly whoMay: Readonly<Record<string, WhoMay>>;
  readonly writes: Readonly<Record<string, Writes>>;
}

/** Every slice with writes is in this list; a test compares it with the slices of the app. */
const TESTED: Readonly<Record<string, TestedSlice>> = {
  alarmHelp,
  alerts,
  audit,
  bridges,
  bulk,
  commands,
  configuration,
  confirmations,
  devices,
  events,
  field,
  foresight,
  guesses,
  idempotency,
  keys,
  missions,
  notifications,
  operations,
  people,
  plants,
  proposals,
  reports,
  session,
  shifts,
  signOn,
  site,
  telemetry,
  terminals,
  views,
  webhooks,
};

export const EVERY_WRITE = Object.fromEntries(
  Object.entries(TESTED).map(([slice, { writes }]) => [slice, writes]),
);
export const WHO_MAY = Object.fromEntries(
  Object.entries(TESTED).map(([slice, { whoMay }]) => [slice, whoMay]),
);

export interface Outcome {
  readonly write: string;
  readonly error: unknown;
}

/** Does every write once, all of them at the same time. */
export async function outcomesOf(round: WriteRound): Promise<Outcome[]> {
  const outcomes: Promise<Outcome>[] = [];
  for (const [slice, writes] of Object.entries(EVERY_WRITE)) {
    for (const [name, write] of Object.entries(writes)) {
      for (const one of write(round)) {
        const outcome = (error: unknown): Outcome => ({ write: `${slice}.${name}`, error });
        outcomes.push(one.then(() => outcome(null), outcome));
      }
    }
  }
  return await Promise.all(outcomes);
}

async function lowSilo(app: App): Promise<WriteRound['alerts'][number]> {
  const deviceNo = await readySilo(app);
  await weigh(app, deviceNo, 100, NOW_MS + 1);
  await app.alerts.evaluate({ deviceNos: [deviceNo], nowMs: NOW_MS + 1 });
  const page = { deviceNo, filter: 'open', beforeAlertId: null, limit: 1 } as const;
  const [alert] = await app.alerts.list(page);
  assert(alert !== undefined);
  return { deviceNo, alertId: alert.alertId };
}

/** The rows that all rounds of a store share. */
export async function prepareRounds(app: App): Promise<Pick<WriteRound, 'silos' | 'rovers' | 'alerts'>> {
  const alerts = [await lowSilo(app), await lowSilo(app)];
  const silos = [await readySilo(app), ...alerts.map(({ deviceNo }) => deviceNo)];
  const rovers = [await readyFieldDevice(app), await readyFieldDevice(app)];
  for (const keyId of ['key_shared', 'key_lasting']) {
    const rights = { kind: 'service' as const, grants: [grantOf(['read'])], expiresAtMs: null };
    await app.keys.create({ keyId, hash: keyId, name: keyId, createdAtMs: NOW_MS, ...rights });
  }
  await app.keys.create({
    keyId: 'key_bridge',
    hash: 'key_bridge',
    name: 'bridge',
    createdAtMs: NOW_MS,
    kind: 'service',
    grants: [grantOf(['ingest'])],
    expiresAtMs: null,
  });
  const person = {
    keyId: 'per_shared',
    login: 'shared',
    name: 'Ada',
    email: null,
    grants: [grantOf(['read'])],
  };
  const code = {
    hash: 'code of shared',
    keyId: 'per_shared',
    createdAtMs: NOW_MS,
    expiresAtMs: NOW_MS + DAY_MS,
  };
  await app.people.invite({ ...person, createdAtMs: NOW_MS }, code);
  // This person confirms requests of others.
  const grants = [grantOf(['read', 'operate'])];
  const lasting = { ...person, keyId: 'per_lasting', login: 'lasting', grants, createdAtMs: NOW_MS };
  await app.people.invite(lasting, { ...code, hash: 'code of lasting', keyId: 'per_lasting' });
  await app.session.create({
    keyId: 'per_lasting',
    hash: SESSION_OF_LASTING,
    codeHash: null,
    formerHash: null,
    nowMs: NOW_MS,
  });
  return { silos, rovers, alerts };
}
