import { type Static, Type } from 'typebox';
import { ALERT_SEVERITIES, ALERT_TYPES } from './alerts.ts';
import { OptionalActor } from './audit.ts';
import { checker, closed, described } from './input/schema.ts';
import { form, line, noteNotEmpty } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import { sentence } from './sentences/codes.ts';

export const ALARM_HELP_MAX = 1_000;

const Text = noteNotEmpty(1_000);
const Rule = Type.String({
  maxLength: 100,
  pattern: `^[A-Za-z0-9_-]{1,64} (above|below) (${ALERT_SEVERITIES.join('|')})$`,
  ...form(sentence('threshold_rule')),
});

/** The text of a site about an alert: what a person should know to act on it. */
export const AlarmHelpTexts = closed({ cause: Text, consequence: Text, action: Text });

/** The alerts of a type to which a text applies: those in a facility, those of a threshold rule, or both. */
export const AlarmHelpPlace = closed({
  facility: Type.Optional(described('Only for alerts there.', line(200))),
  rule: Type.Optional(described('Only for the alerts of this threshold rule: the `rule` of an alert.', Rule)),
});

export const AlarmHelp = closed({
  alert_type: Type.Enum(ALERT_TYPES),
  facility: described('`null` for every facility.', Type.Union([Type.String(), Type.Null()])),
  rule: described('`null` for every rule.', Type.Union([Rule, Type.Null()])),
  ...AlarmHelpTexts.properties,
  updated_at: Timestamp,
  updated_by: OptionalActor,
});

export type AlarmHelpTexts = Static<typeof AlarmHelpTexts>;
export type AlarmHelpPlace = Static<typeof AlarmHelpPlace>;
export type AlarmHelp = Static<typeof AlarmHelp>;

export const checkAlarmHelpTexts = checker(AlarmHelpTexts);
export const checkAlarmHelpPlace = checker(AlarmHelpPlace);
