import { type Static, Type } from 'typebox';
import { Difference } from './audit.ts';
import { DeviceCredentials, FieldRegistration, SiloRegistration } from './devices/devices.ts';
import { LabelChanges } from './devices/labels.ts';
import { DeviceId } from './ids.ts';
import { type Checker, checker, closed, described, type ValidationIssue } from './input/schema.ts';
import {
  EmailTarget,
  EscalationStep,
  NOTIFICATION_RULES_MAX,
  NotificationRuleInput,
  PersonTarget,
} from './notifications.ts';
import type { DeviceGroup } from './profiles/groups.ts';
import { PROFILE_NAMES, PROFILES } from './profiles/profiles.ts';
import { NewSignInPolicy } from './sign-on.ts';
import { NewWebhook, WEBHOOKS_MAX } from './webhooks.ts';

export const CHANGE_ACTIONS = ['create', 'update', 'unchanged'] as const;

export const SiteChange = closed({
  path: described('The place in the document: `/devices/0`.', Type.String()),
  id: described(
    'The id of a device, the address of a webhook, the name of a notification rule, or `sign_in_policy`.',
    Type.String(),
  ),
  action: Type.Enum(CHANGE_ACTIONS),
  differences: described('Empty for what is created, and for what is unchanged.', Type.Array(Difference)),
});

export const Applied = closed({
  dry_run: Type.Boolean(),
  created: Type.Integer({ minimum: 0 }),
  updated: Type.Integer({ minimum: 0 }),
  unchanged: Type.Integer({ minimum: 0 }),
  changes: described('In the order of the document.', Type.Array(SiteChange)),
  text: described(
    'The changes in words, one line each; what is unchanged is not named.',
    Type.Array(Type.String()),
  ),
  credentials: described(
    'The secrets of the devices that were created, shown this once; empty for a dry run.',
    Type.Array(DeviceCredentials),
  ),
  webhook_secrets: described(
    'The secrets of the webhooks that were created, shown this once; empty for a dry run.',
    Type.Array(closed({ webhook_id: Type.String(), url: Type.String(), secret: Type.String() })),
  ),
});

const ApplyQuery = closed({ dry_run: Type.Optional(Type.Enum(['true', 'false'])) });

/** Limits the document to the devices of one facility. */
const ExportQuery = closed({ facility: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) });

export type SiteChange = Static<typeof SiteChange>;
export type Applied = Static<typeof Applied>;

export const checkApplyQuery = checker(ApplyQuery);
export const checkExportQuery = checker(ExportQuery);

/** A larger site is described by several documents, for example one for each facility. */
export const SITE_DEVICES_MAX = 500;
const SITE_SECTIONS = ['devices', 'webhooks', 'notification_rules'] as const;
const SECTION_CHECKS: Readonly<Record<SiteSection, SectionCheck>> = {
  devices: {
    key: 'device_id',
    title: 'device',
    faults: (entry) => siteDeviceFaults(entry),
  },
  webhooks: { key: 'url', title: 'webhook', faults: (entry) => checkWebhook.faults(entry) },
  notification_rules: { key: 'name', title: 'rule', faults: (entry) => checkRule.faults(entry) },
};
/** A person repairs all faults of a document together, so more of them are listed than for other bodies. */
const FAULTS_MAX = 200;
const NAME_CHARS_MAX = 100;
const HAS_CAPACITY: Readonly<Record<DeviceGroup, boolean>> = { silo: true, field: false };

/** A document names a webhook by its address, because its id differs in every service. */
const SiteTarget = Type.Union([
  EmailTarget,
  closed({ webhook_url: NewWebhook.properties.url }),
  PersonTarget,
]);
const SiteTargets = Type.Array(SiteTarget, { maxItems: 20, uniqueItems: true });

const SiteEscalationStep = closed({ ...EscalationStep.properties, targets: SiteTargets });

/** A notification rule; its name identifies it. */
export const SiteNotificationRule = closed({
  ...NotificationRuleInput.properties,
  targets: SiteTargets,
  escalation: Type.Optional(Type.Array(SiteEscalationStep, { maxItems: 10 })),
});

export type SiteTarget = Static<typeof SiteTarget>;
export type SiteNotificationRule = Static<typeof SiteNotificationRule>;

const { capacity } = SiloRegistration.properties;
const { name, model, firmware_version, location, sensors } = FieldRegistration.properties;

/** A device with its configuration. Optional fields that are not given stay as they are, or have their defaults in a new device. */
export const SiteDevice = closed({
  device_id: DeviceId,
  profile: Type.Enum(PROFILE_NAMES),
  name,
  model,
  firmware_version,
  location,
  labels: Type.Optional(described('Merged into the stored labels; `null` removes one.', LabelChanges)),
  capacity: Type.Optional(described('Of silo scales, and only of those.', capacity)),
  sensors,
  configuration: Type.Optional(
    described(
      'Merged into the stored configuration, as `PUT …/config` does.',
      Type.Record(Type.String(), Type.Unknown()),
    ),
  ),
});

/** A part of a site as one document. Things that it does not name stay as they are. */
export const SiteDocument = closed({
  version: Type.Literal(1),
  devices: Type.Optional(Type.Array(SiteDevice, { maxItems: SITE_DEVICES_MAX })),
  webhooks: Type.Optional(
    described(
      'Without secrets; the address identifies a webhook.',
      Type.Array(NewWebhook, { maxItems: WEBHOOKS_MAX }),
    ),
  ),
  notification_rules: Type.Optional(Type.Array(SiteNotificationRule, { maxItems: NOTIFICATION_RULES_MAX })),
  sign_in_policy: Type.Optional(
    described(
      'Replaces the policy of signing in as a whole, as `PUT /v1/sign-in-policy` does.',
      NewSignInPolicy,
    ),
  ),
});

export type SiteDevice = Static<typeof SiteDevice>;
export type SiteDocument = Static<typeof SiteDocument>;

export type SiteSection = (typeof SITE_SECTIONS)[number];

interface SectionCheck {
  /** The field that identifies an entry. */
  readonly key: string;
  readonly title: string;
  readonly faults: (entry: unknown) => ValidationIssue[];
}

const checkDevice = checker(SiteDevice);

export const siteDeviceFaults = (entry: unknown): ValidationIssue[] =>
  checkDevice.accepts(entry)
    ? [...capacityFaults(entry), ...configurationFaults(entry)]
    : checkDevice.faults(entry);

const checkWebhook = checker(NewWebhook);
const checkRule = checker(SiteNotificationRule);

const checkFields = checker(SiteDocument);
const List = Type.Optional(Type.Array(Type.Unknown()));
const checkOutline = checker(
  closed({ ...SiteDocument.properties, devices: List, webhooks: List, notification_rules: List }),
);

export const checkSiteDocument: Checker<SiteDocument> = {
  schema: SiteDocument,
  accepts: (value): value is SiteDocument => checkFields.accepts(value) && entryFaults(value).length === 0,
  faults: (value) => {
    if (!checkOutline.accepts(value)) return checkOutline.faults(value);
    const faults = entryFaults(value);
    return faults.length > 0 ? faults : checkFields.faults(value);
  },
};

type Entries = Readonly<Partial<Record<SiteSection, readonly unknown[]>>>;

const entryFaults = (document: Entries): ValidationIssue[] =>
  SITE_SECTIONS.flatMap((section) => {
    const entries = document[section] ?? [];
    const { key, title, faults } = SECTION_CHECKS[section];
    const found = entries.flatMap((entry, index) =>
      prefixed(`/${section}/${index}`, faults(entry)).map(({ path, message }) => ({
        path,
        message: message + nameOf(title, keyOf(entry, key)),
      })),
    );
    return [...found, ...repeatedKeys(section, key, entries)];
  }).slice(0, FAULTS_MAX);

const prefixed = (prefix: string, faults: readonly ValidationIssue[]): ValidationIssue[] =>
  faults.map(({ path, message }) => ({ path: prefix + path, message }));

const keyOf = (entry: unknown, key: string): unknown =>
  typeof entry === 'object' && entry !== null
    ? Object.entries(entry).find(([name]) => name === key)?.[1]
    : undefined;

/** A position in a long document is hard to find, so the fault also names its entry. */
const nameOf = (title: string, key: unknown): string =>
  typeof key === 'string' && key !== '' && key.length <= NAME_CHARS_MAX ? ` (${title} ${key})` : '';

function repeatedKeys(section: SiteSection, key: string, entries: readonly unknown[]): ValidationIssue[] {
  const firstWith = new Map<unknown, number>();
  return entries.flatMap((entry, index) => {
    const value = keyOf(entry, key);
    if (typeof value !== 'string') return [];
    const first = firstWith.get(value);
    firstWith.set(value, first ?? index);
    if (first === undefined) return [];
    return [
      { path: `/${section}/${index}/${key}`, message: `must differ from that of /${section}/${first}` },
    ];
  });
}

export const hasCapacity = (profile: SiteDevice['profile']): boolean => HAS_CAPACITY[PROFILES[profile].group];

function capacityFaults({ profile, capacity: given }: SiteDevice): ValidationIssue[] {
  const isRequired = hasCapacity(profile);
  if (isRequired === (given !== undefined)) return [];
  return [{ path: '/capacity', message: isRequired ? 'is required' : `is not known of a ${profile}` }];
}

export function configurationFaults({
  profile,
  configuration,
}: Pick<SiteDevice, 'profile' | 'configuration'>): ValidationIssue[] {
  if (configuration === undefined) return [];
  const { checkConfigurationPatch: check } = PROFILES[profile];
  return check.accepts(configuration) ? [] : prefixed('/configuration', check.faults(configuration));
}
