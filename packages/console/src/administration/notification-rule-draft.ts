import type {
  NotificationRule,
  NotificationRuleInput,
  NotificationTarget,
} from '@granary/contract/notifications';
import { ALERT_SEVERITIES, ALERT_TYPES, WEEKDAYS } from '@granary/contract/outline';

/** The contents of the form of a notification rule. Targets are lines of text: e-mail addresses and ids of webhooks and people. */
export interface RuleDraft {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly severityMin: string;
  readonly types: readonly string[];
  readonly facilities: readonly string[];
  readonly deviceIds: readonly string[];
  /** Labels such as `product=wheat, organic`. */
  readonly labels: string;
  readonly targets: string;
  readonly tellsEnd: boolean;
  readonly hasQuietHours: boolean;
  readonly quietFrom: string;
  readonly quietTo: string;
  readonly timeZone: string;
  readonly quietDays: readonly string[];
  readonly areCriticalQuiet: boolean;
  readonly escalation: readonly StepDraft[];
  /** The ids of the people of a rota, in their order; a rota replaces an escalation. */
  readonly rota: readonly string[];
  readonly rotaMinutes: string;
}

export interface StepDraft {
  readonly afterMinutes: string;
  readonly targets: string;
}

export const emptyRule = (timeZone: string): RuleDraft => ({
  name: '',
  isEnabled: true,
  severityMin: 'warning',
  types: [],
  facilities: [],
  deviceIds: [],
  labels: '',
  targets: '',
  tellsEnd: true,
  hasQuietHours: false,
  quietFrom: '22:00',
  quietTo: '06:00',
  timeZone,
  quietDays: [...WEEKDAYS],
  areCriticalQuiet: false,
  escalation: [],
  rota: [],
  rotaMinutes: '10',
});

export function draftOfRule(rule: NotificationRule, timeZone: string): RuleDraft {
  const { match, quiet_hours: quiet } = rule;
  return {
    ...emptyRule(timeZone),
    name: rule.name,
    isEnabled: rule.enabled,
    tellsEnd: rule.resolved,
    targets: linesOf(rule.targets),
    severityMin: match.severity_min,
    types: match.types ?? [],
    facilities: match.facilities ?? [],
    deviceIds: match.device_ids ?? [],
    labels: (match.labels ?? []).join(', '),
    ...(quiet === null
      ? {}
      : {
          hasQuietHours: true,
          quietFrom: quiet.from,
          quietTo: quiet.to,
          timeZone: quiet.time_zone,
          quietDays: quiet.days,
          areCriticalQuiet: quiet.critical_too,
        }),
    escalation: rule.escalation.map(({ after_minutes, targets }) => ({
      afterMinutes: String(after_minutes),
      targets: linesOf(targets),
    })),
    ...(rule.rota === null ? {} : { rota: rule.rota.people, rotaMinutes: String(rule.rota.minutes) }),
  };
}

/** The rule that is sent. A rule is replaced as a whole, so its summary, which the form does not show, is taken from `before`. */
export function ruleOf(draft: RuleDraft, before: NotificationRule | null): NotificationRuleInput {
  const days = WEEKDAYS.filter((day) => draft.quietDays.includes(day));
  const types = ALERT_TYPES.filter((type) => draft.types.includes(type));
  const labels = draft.labels.split(',').flatMap((label) => label.trim() || []);
  return {
    name: draft.name.trim(),
    enabled: draft.isEnabled,
    resolved: draft.tellsEnd,
    match: {
      severity_min: ALERT_SEVERITIES.find((severity) => severity === draft.severityMin) ?? 'warning',
      ...(types.length === 0 ? {} : { types }),
      ...(draft.facilities.length === 0 ? {} : { facilities: [...draft.facilities] }),
      ...(draft.deviceIds.length === 0 ? {} : { device_ids: [...draft.deviceIds] }),
      ...(labels.length === 0 ? {} : { labels }),
    },
    targets: targetsOf(draft.targets),
    quiet_hours: draft.hasQuietHours
      ? {
          from: draft.quietFrom,
          to: draft.quietTo,
          time_zone: draft.timeZone.trim(),
          ...(days.length === 0 ? {} : { days }),
          critical_too: draft.areCriticalQuiet,
        }
      : null,
    escalation: draft.escalation.map(({ afterMinutes, targets }) => ({
      after_minutes: Number(afterMinutes),
      targets: targetsOf(targets),
    })),
    rota: draft.rota.length === 0 ? null : { people: [...draft.rota], minutes: Number(draft.rotaMinutes) },
    ...(before === null ? {} : { summary: before.summary }),
  };
}

/** The targets of a text: one in each line, or separated by commas or semicolons. */
export const targetsOf = (text: string): NotificationTarget[] =>
  text
    .split(/[\n,;]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      if (line.includes('@')) return { email: line };
      return line.startsWith('per_') ? { person_id: line } : { webhook_id: line };
    });

const linesOf = (targets: readonly NotificationTarget[]): string => targets.map(targetText).join('\n');

export function targetText(target: NotificationTarget): string {
  if ('email' in target) return target.email;
  return 'webhook_id' in target ? target.webhook_id : target.person_id;
}
