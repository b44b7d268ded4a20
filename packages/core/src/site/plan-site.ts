import type { AuditedChange } from '@granary/contract/audit';
import type { ThresholdRule } from '@granary/contract/configuration/shared-configuration';
import type { DevicePatch } from '@granary/contract/devices/devices';
import { Refusal } from '@granary/contract/errors';
import type { ValidationIssue } from '@granary/contract/input/schema';
import type { ConfigurationPatch, DeviceConfiguration } from '@granary/contract/profiles/profiles';
import type { SignInPolicy } from '@granary/contract/sign-on';
import type { Applied, SiteChange, SiteDevice, SiteDocument, SiteSection } from '@granary/contract/site';
import { ruleSensors } from '../alerts/rules/threshold-rules.ts';
import { refuseBadRules } from '../configuration/rule-checks.ts';
import { changeDevice } from '../devices/change-device.ts';
import { wayBack } from '../fleet/removal.ts';
import type { StoredRule } from '../notifications/rule.ts';
import { profileOf } from '../profiles/profiles.ts';
import { sensorsOf } from '../sensors/declared-sensors.ts';
import { policyOf } from '../sign-on.ts';
import type { StoredWebhook } from '../webhooks/webhook.ts';
import { differenceLine, differences, type Planned } from './differences.ts';
import { type DescribedDevice, siteDevice } from './site-device.ts';
import { type PlannedRule, planRule, siteRule } from './site-rule.ts';
import { type PlannedWebhook, planWebhook, siteWebhook } from './site-webhook.ts';

const POLICY = 'sign_in_policy';

/** The stored state of the things that a document names. */
export interface KnownSite {
  readonly devices: ReadonlyMap<string, DescribedDevice>;
  readonly webhooks: readonly StoredWebhook[];
  readonly rules: readonly StoredRule[];
  readonly policy: SignInPolicy;
}

export interface PlanRequest {
  readonly document: SiteDocument;
  /** The ids for new webhooks, by address; only the plan finds out which webhooks are new. */
  readonly newWebhookIds: Readonly<Record<string, string>>;
  /** The addresses to which the service may not send. */
  readonly unreachableUrls: readonly string[];
  readonly canSendMail: boolean;
  readonly nowMs: number;
}

/** The planned changes, in the order of the document. */
export interface SitePlan {
  readonly devices: readonly PlannedDevice[];
  readonly webhooks: readonly PlannedWebhook[];
  readonly notification_rules: readonly PlannedRule[];
  /** Has at most one element. */
  readonly sign_in_policy: readonly Planned<SignInPolicy>[];
}

/** An entry of the audit log about one of the changes of a document. */
export interface SiteAuditEntry {
  readonly deviceId: string | null;
  readonly facility: string | null;
  readonly resourceId: string | null;
  readonly change: Omit<AuditedChange, 'left_out'>;
}

/** Plans the whole document, or refuses it with every fault that was found. */
export function planSite(request: PlanRequest, known: KnownSite): SitePlan {
  const { document, newWebhookIds, unreachableUrls, canSendMail, nowMs } = request;
  const { devices = [], webhooks = [], notification_rules: rules = [] } = document;
  const faults: ValidationIssue[] = [];
  const planEach = <Entry, Plan>(
    section: SiteSection,
    entries: readonly Entry[],
    nameOf: (entry: Entry) => string,
    planOne: (entry: Entry) => Plan,
  ): Plan[] =>
    entries.flatMap((entry, index) => {
      const plan = refusalOr(() => planOne(entry));
      if (!(plan instanceof Refusal)) return [plan];
      const name = nameOf(entry);
      for (const { path, message } of issuesAt(`/${section}/${index}`, plan)) {
        faults.push({ path, message: `${message} (${name})` });
      }
      return [];
    });
  const names = webhookNames(document, known.webhooks, newWebhookIds);
  const plan: SitePlan = {
    devices: planEach('devices', devices, deviceName, (wanted) =>
      planDevice(wanted, known.devices.get(wanted.device_id) ?? null, nowMs),
    ),
    webhooks: planEach(
      'webhooks',
      webhooks,
      ({ url }) => `webhook ${url}`,
      (wanted) => {
        const before = known.webhooks.filter(({ url }) => url === wanted.url);
        return planWebhook(wanted, before, !unreachableUrls.includes(wanted.url), nowMs);
      },
    ),
    notification_rules: planEach(
      'notification_rules',
      rules,
      ({ name }) => `rule "${name}"`,
      (wanted) => {
        const before = known.rules.filter(({ content }) => content.name === wanted.name);
        return planRule(wanted, before, names, canSendMail);
      },
    ),
    sign_in_policy: planPolicy(document, known.policy, faults),
  };
  const [first] = faults;
  if (first === undefined) return plan;
  const message = `the document cannot be applied, nothing was changed: ${first.path} ${first.message}`;
  throw new Refusal('apply_refused', message, faults);
}

function planPolicy(
  { sign_in_policy: wanted }: SiteDocument,
  before: SignInPolicy,
  faults: ValidationIssue[],
): Planned<SignInPolicy>[] {
  if (wanted === undefined) return [];
  const after = refusalOr(() => policyOf(wanted));
  if (after instanceof Refusal) {
    faults.push(...issuesAt(`/${POLICY}`, after));
    return [];
  }
  const changed = differences(before, after);
  return [{ after, action: changed.length === 0 ? 'unchanged' : 'update', differences: changed }];
}

const deviceName = ({ device_id }: { readonly device_id: string }): string => `device ${device_id}`;

/** The addresses and ids of the stored webhooks and of the webhooks that the document creates. */
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

const entries = <After>(
  planned: readonly Planned<After>[],
  describe: (after: After) => object,
  of: (after: After) => Omit<SiteAuditEntry, 'change'> & { readonly name: string },
): SiteAuditEntry[] =>
  planned.flatMap(({ after, action, differences: changed }) => {
    if (action === 'unchanged') return [];
    const { name, ...subject } = of(after);
    const all = action === 'create' ? differences({}, describe(after)) : [...changed];
    return [{ ...subject, change: { action, name, differences: all } }];
  });

export const auditedDevices = (devices: readonly PlannedDevice[]): SiteAuditEntry[] =>
  entries(devices, siteDevice, ({ deviceId, facility }) => ({
    name: deviceId,
    deviceId,
    facility,
    resourceId: null,
  }));

/** The changes of the plan for the audit log; for a created thing, every field that is given. */
export function auditedChanges(plan: SitePlan, request: PlanRequest, known: KnownSite): SiteAuditEntry[] {
  const names = webhookNames(request.document, known.webhooks, request.newWebhookIds);
  return [
    ...auditedDevices(plan.devices),
    ...entries(plan.webhooks, siteWebhook, ({ url }) => ({
      name: url,
      deviceId: null,
      facility: null,
      resourceId: names.idOf.get(url) ?? null,
    })),
    ...entries(
      plan.notification_rules,
      (rule) => siteRule(rule, names),
      ({ name }) => ({ name, deviceId: null, facility: null, resourceId: name }),
    ),
    ...entries(
      plan.sign_in_policy,
      (policy) => policy,
      () => ({ name: POLICY, deviceId: null, facility: null, resourceId: null }),
    ),
  ];
}

/** The answer about a plan, without the secrets of created things. */
export function appliedRecord(
  { devices, webhooks, notification_rules, sign_in_policy: policy }: SitePlan,
  isDryRun: boolean,
): Omit<Applied, 'credentials' | 'webhook_secrets'> {
  const changes = [
    ...changesOf('devices', devices, ({ deviceId }) => deviceId),
    ...changesOf('webhooks', webhooks, ({ url }) => url),
    ...changesOf('notification_rules', notification_rules, ({ name }) => name),
    ...policy.map(({ action, differences: changed }) => ({
      path: `/${POLICY}`,
      id: POLICY,
      action,
      differences: [...changed],
    })),
  ];
  const count = (wanted: SiteChange['action']) => changes.filter(({ action }) => action === wanted).length;
  return {
    dry_run: isDryRun,
    created: count('create'),
    updated: count('update'),
    unchanged: count('unchanged'),
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
    path: `/${section}/${index}`,
    id: idOf(after),
    action,
    differences: [...differences],
  }));

export type PlannedDevice = Planned<DescribedDevice>;

/** Decides by the rules of the single requests, and refuses what they refuse. `before` is `null` for a new device. */
export function planDevice(wanted: SiteDevice, before: DescribedDevice | null, nowMs: number): PlannedDevice {
  if (before !== null && before.removedAtMs !== null) {
    throw new Refusal('apply_refused', `is a device that was removed; ${wayBack(before)}`);
  }
  const registeredAs = before?.profile ?? wanted.profile;
  if (registeredAs !== wanted.profile) {
    const message = `is registered as ${registeredAs}, which cannot be changed`;
    throw new Refusal('invalid_input', message, [{ path: '/profile', message }]);
  }
  if (before !== null) return planChange(before, wanted);
  return { after: changed(undescribed(wanted, nowMs), wanted), action: 'create', differences: [] };
}

type DeviceChanges = DevicePatch & Pick<SiteDevice, 'configuration'>;

/** The change of a registered device. */
export function planChange(before: DescribedDevice, wanted: DeviceChanges): PlannedDevice {
  const after = changed(before, wanted);
  const differing = differences(siteDevice(before), siteDevice(after));
  return { after, action: differing.length === 0 ? 'unchanged' : 'update', differences: differing };
}

function changed(before: DescribedDevice, wanted: DeviceChanges): DescribedDevice {
  const described = changeDevice(before, wanted);
  return { ...described, configuration: plannedConfiguration(wanted, described) };
}

/** A new device before the document describes it. */
const undescribed = ({ device_id, profile }: SiteDevice, nowMs: number): DescribedDevice => ({
  deviceId: device_id,
  profile,
  name: '',
  model: '',
  firmwareVersion: '',
  facility: '',
  zone: '',
  capacityKg: null,
  sensorDocument: null,
  labels: {},
  removedAtMs: null,
  configuration: profileOf(profile).initialConfiguration(nowMs),
});

function plannedConfiguration(
  { configuration: patch }: DeviceChanges,
  { profile, sensorDocument, capacityKg, configuration: current }: DescribedDevice,
): DeviceConfiguration {
  if (patch === undefined) return current;
  // The document was checked against the schema of this profile.
  const checked = patch as ConfigurationPatch & { readonly rules?: readonly ThresholdRule[] };
  const planned = refusalOr(() => {
    const configuration = profileOf(profile).patchConfiguration(current, checked);
    if (checked.rules !== undefined) {
      refuseBadRules(checked.rules, ruleSensors(sensorsOf(profile, sensorDocument), capacityKg ?? undefined));
    }
    return configuration;
  });
  if (!(planned instanceof Refusal)) return planned;
  throw new Refusal(planned.code, planned.message, issuesAt('/configuration', planned));
}

/** Returns a refusal as a value, so that the other parts of a document are decided, too. */
export function refusalOr<Result>(decide: () => Result): Result | Refusal {
  try {
    return decide();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** The issues of a refusal about the part of a document at this path. */
export const issuesAt = (prefix: string, { details, message }: Refusal): ValidationIssue[] =>
  (details ?? [{ path: '', message }]).map((issue) => ({ ...issue, path: prefix + issue.path }));
