import { NOTIFICATION_RULES_MAX } from '@granary/contract/notifications';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import type { Applied, SiteDocument } from '@granary/contract/site';
import { WEBHOOKS_MAX } from '@granary/contract/webhooks';
import { auditedChange } from '@granary/core/audit';
import { storedConfiguration } from '@granary/core/configuration/versions';
import { UNLIMITED } from '@granary/core/keys';
import { RULE_DOCUMENT, type StoredRule } from '@granary/core/notifications/rule';
import { appliedRecord, auditedChanges, type PlanRequest, planSite } from '@granary/core/site/plan-site';
import type { DescribedDevice } from '@granary/core/site/site-device';
import type { StoredWebhook } from '@granary/core/webhooks/webhook';
import type { Sql } from '@granary/store/sql';
import { configurationsOf } from '../configuration/configuration-rows.ts';
import { type Committed, committed } from '../effects.ts';
import { listDevicesOfFleet } from '../fleet/device-list.ts';
import { listRules, lockPosition } from '../notifications/rule-rows.ts';
import { refuseLimited } from '../rights.ts';
import { readPolicy, savePolicy } from '../sign-on/sign-on.ts';
import type { Transaction } from '../transaction.ts';
import { listWebhooks, lockWebhook } from '../webhooks/webhook-rows.ts';
import { lockKnownDevices, type NewSecrets, writePlan } from './write-plan.ts';

const NONE: KnownNotifications = { webhooks: [], rules: [] };

export interface Application extends PlanRequest, NewSecrets {
  readonly isDryRun: boolean;
}

export interface DescribedPage {
  readonly facility: string | null;
  readonly afterDeviceId: string | null;
  readonly limit: number;
}

export type ApplicationResult = Omit<Applied, 'credentials' | 'webhook_secrets'>;

export const reads = {
  /** Lists the devices in the order of their ids. */
  async devices(sql: Sql, { facility, ...page }: DescribedPage): Promise<DescribedDevice[]> {
    const devices = { limits: UNLIMITED, facility, zone: null, deviceId: null };
    const clock = { nowMs: 0, missedReportsMax: 0 };
    const everyOne = { profileName: null, status: null, texts: null, isRemoved: false, clock };
    const found = await listDevicesOfFleet(sql, { devices, ...everyOne, ...page });
    const bodies = await configurationsOf(
      sql,
      found.map(({ deviceNo }) => deviceNo),
    );
    return found.flatMap((device) => {
      const body = bodies.get(device.deviceNo);
      if (body === undefined) return [];
      return [{ ...device, configuration: storedConfiguration<DeviceConfiguration>(body) }];
    });
  },
};

export const writes = {
  /** Creates and changes everything in the document, or nothing. A dry run only plans the changes. */
  async apply(tx: Transaction, application: Application): Promise<Committed<ApplicationResult>> {
    const { document, isDryRun } = application;
    const policy = await readPolicy(tx.sql);
    const { webhooks, rules } = await lockKnownNotifications(tx.sql, document);
    const devices = await lockKnownDevices(
      tx.sql,
      (document.devices ?? []).map(({ device_id }) => device_id),
    );
    await refuseLimited(tx, 'export or apply a document');
    const known = { devices, webhooks, rules, policy };
    const plan = planSite(application, known);
    const record = appliedRecord(plan, isDryRun);
    if (isDryRun) return { ...committed(record), audited: 'nothing' };
    const audited = auditedChanges(plan, application, known).map(({ change, ...subject }) => ({
      ...subject,
      input: auditedChange(change),
    }));
    for (const { action, after } of plan.sign_in_policy) {
      if (action !== 'unchanged') await savePolicy(tx.sql, after);
    }
    return { ...committed(record, ...(await writePlan(tx, plan, devices, application))), audited };
  },
};

interface KnownNotifications {
  readonly webhooks: readonly StoredWebhook[];
  readonly rules: readonly StoredRule[];
}

/**
 * Locks all webhooks and rules until the transaction ends, if the document names any. They are locked before the devices: every
 * transaction that takes both locks takes them in this order, so that no two transactions wait for each other.
 */
async function lockKnownNotifications(
  sql: Sql,
  { webhooks = [], notification_rules: rules = [] }: SiteDocument,
): Promise<KnownNotifications> {
  if (webhooks.length + rules.length === 0) return NONE;
  await lockPosition(sql);
  const ofRules = { afterRuleId: null, limit: NOTIFICATION_RULES_MAX };
  const known = await listWebhooks(sql, { afterWebhookId: null, limit: WEBHOOKS_MAX });
  const locked: StoredWebhook[] = [];
  for (const { webhookId } of known) {
    const webhook = await lockWebhook(sql, webhookId);
    if (webhook !== undefined) locked.push(webhook);
  }
  return { webhooks: locked, rules: await listRules(sql, RULE_DOCUMENT, ofRules, () => undefined) };
}
