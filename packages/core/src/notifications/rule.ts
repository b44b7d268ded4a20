import { isTimeZone } from '@granary/common/time-zone';
import { ALERT_SEVERITIES, type Alert } from '@granary/contract/alerts';
import { hasLabels, wantedLabel } from '@granary/contract/devices/label-match';
import type { Labels } from '@granary/contract/devices/labels';
import { Refusal } from '@granary/contract/errors';
import type { ValidationIssue } from '@granary/contract/input/schema';
import { issueOf } from '@granary/contract/input/validation-issues';
import {
  type NotificationRule,
  type NotificationRuleInput,
  type NotificationTarget,
  WEEKDAYS,
} from '@granary/contract/notifications';
import type { PushSettings, PushSettingsInput } from '@granary/contract/push';
import { sentence } from '@granary/contract/sentences/codes';
import { toIso } from '@granary/contract/time';
import { documentKind } from '../documents.ts';
import type { Place } from '../keys.ts';

const WINDOW_SECONDS = 60;
const AT_ONCE_MAX = 5;

/** The part of a rule that a person decides; ids and times are columns of their own. */
export interface RuleContent extends Omit<NotificationRule, 'rule_id' | 'created_at' | 'updated_at'> {
  /** Given only in the settings of a person for their own devices: which ended operations the person is told about. */
  readonly operations?: PushSettings['operations'];
}

export interface StoredRule {
  readonly ruleId: string;
  /** The person whose own settings for Web Push these are; `null` for a rule of the site. */
  readonly ownerId: string | null;
  readonly content: RuleContent;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** The stored form of a rule. */
export const RULE_DOCUMENT = documentKind<RuleContent>([], (content) => {
  if (!Array.isArray(content['targets'])) throw new Error('the rule has no targets');
});

/** The rule with defaults for all fields that were not given, or a refusal that names every fault. */
export function ruleContent(input: NotificationRuleInput): RuleContent {
  const faults = [
    ...repeatedTargets(input),
    ...quietFaults(input),
    ...escalationFaults(input),
    ...rotaFaults(input),
  ];
  if (faults.length > 0) throw new Refusal('invalid_input', 'the notification rule is not valid', faults);
  const { match = {}, quiet_hours: quiet = null, summary = {} } = input;
  return {
    name: input.name,
    enabled: input.enabled ?? true,
    match: {
      severity_min: match.severity_min ?? 'warning',
      types: match.types ?? null,
      facilities: match.facilities ?? null,
      device_ids: match.device_ids ?? null,
      ...(match.labels === undefined ? {} : { labels: match.labels }),
    },
    targets: input.targets,
    quiet_hours: quiet && {
      ...quiet,
      days: quiet.days ?? [...WEEKDAYS],
      critical_too: quiet.critical_too ?? false,
    },
    summary: {
      window_seconds: summary.window_seconds ?? WINDOW_SECONDS,
      at_once_max: summary.at_once_max ?? AT_ONCE_MAX,
    },
    resolved: input.resolved ?? true,
    escalation: input.escalation ?? [],
    rota: input.rota ?? null,
  };
}

/** Refuses repeated targets, because the same person would get the same message twice. */
function repeatedTargets({ targets, escalation = [] }: NotificationRuleInput): ValidationIssue[] {
  const lists = [
    { path: '/targets', targets },
    ...escalation.map((step, i) => ({ path: `/escalation/${i}/targets`, targets: step.targets })),
  ];
  return lists.flatMap(({ path, targets: listed }) => {
    const texts = listed.map((target) => JSON.stringify(target));
    return texts.flatMap((text, i) =>
      texts.indexOf(text) < i ? [issueOf(`${path}/${i}`, sentence('is_listed_twice'))] : [],
    );
  });
}

function quietFaults({ quiet_hours: quiet }: NotificationRuleInput): ValidationIssue[] {
  if (quiet === undefined || quiet === null) return [];
  const faults: ValidationIssue[] = [];
  if (!isTimeZone(quiet.time_zone)) {
    faults.push(
      issueOf('/quiet_hours/time_zone', sentence('must_be', { what: [sentence('time_zone_name')] })),
    );
  }
  if (quiet.from === quiet.to) {
    faults.push(issueOf('/quiet_hours/to', sentence('must_not_be_from')));
  }
  return faults;
}

function escalationFaults({ escalation = [] }: NotificationRuleInput): ValidationIssue[] {
  return escalation.flatMap(({ after_minutes: minutes }, i) => {
    const earlier = escalation[i - 1]?.after_minutes ?? 0;
    if (minutes > earlier) return [];
    return [issueOf(`/escalation/${i}/after_minutes`, sentence('must_be_above_step', { limit: earlier }))];
  });
}

function rotaFaults({ targets, escalation = [], rota = null }: NotificationRuleInput): ValidationIssue[] {
  if (rota === null) return targets.length > 0 ? [] : [issueOf('/targets', sentence('must_have_an_item'))];
  if (escalation.length === 0) return [];
  return [issueOf('/rota', sentence('must_have_just_one_of', { fields: 'escalation, rota' }))];
}

interface Step {
  readonly afterMinutes: number;
  readonly targets: readonly NotificationTarget[];
}

/** The steps after the first one: those of the escalation, or the people of the rota, of whom the first is told immediately. */
export const stepsOf = ({ escalation, rota }: RuleContent): readonly Step[] =>
  rota === null
    ? escalation.map(({ after_minutes: afterMinutes, targets }) => ({ afterMinutes, targets }))
    : rota.people.map((person_id, i) => ({ afterMinutes: i * rota.minutes, targets: [{ person_id }] }));

/** The minutes after which a person of the rota is told again; `null` if nobody is told again. */
export const roundMinutesOf = ({ rota }: RuleContent): number | null =>
  rota && rota.people.length * rota.minutes;

/** The targets of a step; step 0 is the rule itself. Empty for a step that the rule no longer has. */
export const targetsOf = (content: RuleContent, step: number): readonly NotificationTarget[] =>
  step === 0 ? content.targets : (stepsOf(content)[step - 1]?.targets ?? []);

/** Every target of the rule and of its escalation, each one once. */
export function allTargets(content: RuleContent): NotificationTarget[] {
  const all = [...content.targets, ...stepsOf(content).flatMap(({ targets }) => targets)];
  return [...new Map(all.map((target) => [JSON.stringify(target), target])).values()];
}

/** Whether the rule is about this alert. */
export function isMatch(
  { match }: RuleContent,
  alert: Pick<Alert, 'severity' | 'type'>,
  place: Place & { readonly labels: Labels },
): boolean {
  return (
    ALERT_SEVERITIES.indexOf(alert.severity) >= ALERT_SEVERITIES.indexOf(match.severity_min) &&
    (match.types?.includes(alert.type) ?? true) &&
    (match.facilities?.includes(place.facility) ?? true) &&
    (match.device_ids?.includes(place.deviceId) ?? true) &&
    hasLabels(place.labels, (match.labels ?? []).map(wantedLabel))
  );
}

/** The rule that stores the settings of a person for their own devices. */
export const pushRule = (ownerId: string, settings: PushSettingsInput, timeZone: string): RuleContent => ({
  ...ruleContent({
    name: 'Web Push',
    match: {
      severity_min: settings.severity_min,
      ...(settings.facilities && { facilities: settings.facilities }),
    },
    targets: [{ person_id: ownerId }],
    quiet_hours: settings.quiet_hours && { time_zone: timeZone, ...settings.quiet_hours },
    resolved: settings.resolved,
  }),
  operations: settings.operations,
});

/** The settings of a person who has not decided yet. */
export const FIRST_PUSH_SETTINGS: PushSettings = {
  severity_min: 'warning',
  facilities: null,
  operations: 'own',
  resolved: true,
  quiet_hours: null,
};

export const pushSettings = ({
  match,
  operations = 'none',
  resolved,
  quiet_hours,
}: RuleContent): PushSettings => ({
  severity_min: match.severity_min,
  facilities: match.facilities,
  operations,
  resolved,
  quiet_hours,
});

export const ruleRecord = ({ ruleId, content, createdAtMs, updatedAtMs }: StoredRule): NotificationRule => ({
  rule_id: ruleId,
  ...content,
  created_at: toIso(createdAtMs),
  updated_at: toIso(updatedAtMs),
});
