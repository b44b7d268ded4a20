import { Refusal } from '@granary/contract/errors';
import type { ValidationIssue } from '@granary/contract/input/schema';
import type { Applied, SiteChange } from '@granary/contract/site/apply';
import type { SiteDocument, SiteSection } from '@granary/contract/site/site-document';
import type { StoredRule } from '../notifications/rule.ts';
import type { StoredWebhook } from '../webhooks/webhook.ts';
import { differenceLine } from './differences.ts';
import { type PlannedDevice, planDevice } from './plan-device.ts';
import type { Planned } from './planned.ts';
import { issuesAt, refusalOr } from './refusal-issues.ts';
import type { DescribedDevice } from './site-device.ts';
import { type PlannedRule, planRule } from './site-rule.ts';
import { type PlannedWebhook, planWebhook } from './site-webhook.ts';

/** What is stored of the things that a document names. */
export interface KnownSite {
  readonly devices: ReadonlyMap<string, DescribedDevice>;
  readonly webhooks: readonly StoredWebhook[];
  readonly rules: readonly StoredRule[];
}

export interface PlanRequest {
  readonly document: SiteDocument;
  /** By address; only the plan finds out which webhooks are new. */
  readonly newWebhookIds: Readonly<Record<string, string>>;
  /** Addresses to which the service may not send. */
  readonly unreachableUrls: readonly string[];
  readonly canSendMail: boolean;
  readonly nowMs: number;
}

/** In the order of the document. */
export interface SitePlan {
  readonly devices: readonly PlannedDevice[];
  readonly webhooks: readonly PlannedWebhook[];
  readonly notification_rules: readonly PlannedRule[];
}

/** Plans the whole document, or refuses it with every fault that was found. */
export function planSite(request: PlanRequest, known: KnownSite): SitePlan {
  const { document, newWebhookIds, unreachableUrls, canSendMail, nowMs } = request;
  const { devices = [], webhooks = [], notification_rules: rules = [] } = document;
  const faults: ValidationIssue[] = [];
  const planEach = <Entry, Plan>(
    section: SiteSection,
    entries: readonly Entry[],
    planOne: (entry: Entry) => Plan,
  ): Plan[] =>
    entries.flatMap((entry, index) => {
      const plan = refusalOr(() => planOne(entry));
      if (!(plan instanceof Refusal)) return [plan];
      faults.push(...issuesAt(`/${section}/${index}`, plan));
      return [];
    });
  const names = webhookNames(document, known.webhooks, newWebhookIds);
  const plan: SitePlan = {
    devices: planEach('devices', devices, (wanted) =>
      planDevice(wanted, known.devices.get(wanted.device_id) ?? null, nowMs),
    ),
    webhooks: planEach('webhooks', webhooks, (wanted) => {
      const before = known.webhooks.filter(({ url }) => url === wanted.url);
      return planWebhook(wanted, before, !unreachableUrls.includes(wanted.url), nowMs);
    }),
    notification_rules: planEach('notification_rules', rules, (wanted) => {
      const before = known.rules.filter(({ content }) => content.name === wanted.name);
      return planRule(wanted, before, names, canSendMail);
    }),
  };
  const [first] = faults;
  if (first === undefined) return plan;
  const message = `the document cannot be applied, nothing was changed: ${first.path} ${first.message}`;
  throw new Refusal('apply_refused', message, faults);
}

/** Of the stored webhooks and of those that the document creates. */
function webhookNames(
  { webhooks = [] }: SiteDocument,
  known: readonly StoredWebhook[],
  newIds: PlanRequest['newWebhookIds'],
) {
  const created = webhooks.map(({ url }) => [url, newIds[url] ?? ''] as const);
  const stored = known.map(({ url, webhookId }) => [url, webhookId] as const);
  const idOf = new Map([...created, ...stored]);
  return { idOf, urlOf: new Map([...created, ...stored].map(([url, id]) => [id, url])) };
}

/** The answer about a plan, without the secrets of what was created. */
export function appliedRecord(
  { devices, webhooks, notification_rules }: SitePlan,
  isDryRun: boolean,
): Omit<Applied, 'credentials' | 'webhook_secrets'> {
  const changes = [
    ...changesOf('devices', devices, ({ deviceId }) => deviceId),
    ...changesOf('webhooks', webhooks, ({ url }) => url),
    ...changesOf('notification_rules', notification_rules, ({ name }) => name),
  ];
  const count = (wanted: SiteChange['action']) => changes.filter(({ action }) => action === wanted).length;
  return {
    dry_run: isDryRun,
    ...{ created: count('create'), updated: count('update'), unchanged: count('unchanged') },
    changes,
    text: changes.flatMap(({ id, action, differences }) =>
      action === 'create' ? [`+ ${id}`] : differences.map((difference) => differenceLine(id, difference)),
    ),
  };
}

const changesOf = <After>(
  section: SiteSection,
  planned: readonly Planned<After>[],
  idOf: (after: After) => string,
): SiteChange[] =>
  planned.map(({ after, action, differences }, index) => ({
    ...{ path: `/${section}/${index}`, id: idOf(after), action },
    differences: [...differences],
  }));
