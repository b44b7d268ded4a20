import type { ThresholdRule } from '@granary/contract/configuration/shared-configuration';
import { SILO_USE_FIELDS } from '@granary/contract/outline';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import { minuteOf } from '../../kit/site-time.ts';
import { nameOfCode, type Texts } from '../../texts.ts';
import { numberOf, type SensorCable } from '../facts/sensors.ts';

/** These fields are edited on the map or with the forecast, or have only one possible value. */
const NOT_IN_FORM: ReadonlySet<string> = new Set([
  'base',
  'geofence',
  'operation_limits.rate_unit',
  ...SILO_USE_FIELDS,
]);

const TEXT_FIELDS = /^failsafe\./;
const TIME_FIELDS = /^maintenance\.next_scheduled$/;

/**
 * A configuration as the texts of a form: the keys are paths such as `thresholds.low_level`, the values are the contents of the fields.
 * A time is a minute of UTC.
 */
export type Draft = ReadonlyMap<string, string>;

/** The unit in which a field is stored. */
export const UNIT_OF: Readonly<Record<string, string>> = {
  'operation_limits.max_feed_rate': 'kg/min',
  'operation_limits.max_discharge_rate': 'kg/min',
  'motion.speed_m_s': 'm/s',
};

export const RULES = 'rules';

export function draftOf(configuration: DeviceConfiguration): Draft {
  const fields = Object.entries(configuration).flatMap(([section, values]): [string, string][] => {
    if (section === RULES) return [[RULES, JSON.stringify(values)]];
    if (NOT_IN_FORM.has(section)) return [];
    return Object.entries(values as Record<string, string | number>)
      .map(([name, value]): [string, string] => [`${section}.${name}`, String(value)])
      .filter(([path]) => !NOT_IN_FORM.has(path))
      .map(([path, text]) => [path, kindOf(path) === 'time' ? minuteOf(Date.parse(text)) : text]);
  });
  return new Map(fields);
}

export const changedPaths = (before: Draft, after: Draft): string[] =>
  [...after].filter(([path, text]) => before.get(path) !== text).map(([path]) => path);

export interface Conflict {
  readonly path: string;
  readonly mine: string;
  readonly theirs: string;
}

export interface Merged {
  /** The configuration of the other person with my changes. A field that both have changed has my value until somebody decides. */
  readonly draft: Draft;
  readonly conflicts: readonly Conflict[];
  /** The paths that only the other person has changed. */
  readonly taken: readonly string[];
}

/** Applies my changes to a configuration that another person has changed in the meantime. */
export function merged(base: Draft, mine: Draft, theirs: Draft): Merged {
  const myChanges = new Set(changedPaths(base, mine));
  const theirChanges = changedPaths(base, theirs);
  const conflicts = theirChanges
    .filter((path) => myChanges.has(path) && mine.get(path) !== theirs.get(path))
    .map((path) => ({ path, mine: mine.get(path) ?? '', theirs: theirs.get(path) ?? '' }));
  const draft = new Map(
    [...theirs].map(([path, text]) => [path, myChanges.has(path) ? (mine.get(path) ?? text) : text]),
  );
  return { draft, conflicts, taken: theirChanges.filter((path) => !myChanges.has(path)) };
}

export interface PatchResult {
  readonly patch: Readonly<Record<string, unknown>>;
  /** The paths of the fields that are empty or not a number. */
  readonly faulty: readonly string[];
}

export const kindOf = (path: string): 'number' | 'time' | 'text' => {
  if (TIME_FIELDS.test(path)) return 'time';
  return TEXT_FIELDS.test(path) ? 'text' : 'number';
};

/** The changes that are sent: only changed fields, so that nothing else can be overwritten. */
export function patchOf(stored: Draft, draft: Draft): PatchResult {
  const patch: Record<string, Record<string, unknown> | unknown> = {};
  const faulty: string[] = [];
  for (const path of changedPaths(stored, draft)) {
    const text = draft.get(path) ?? '';
    if (path === RULES) {
      patch[RULES] = JSON.parse(text);
      continue;
    }
    const value = fieldValue(path, text);
    if (value === null) faulty.push(path);
    const [section = '', name = ''] = path.split('.');
    patch[section] = { ...(patch[section] as object | undefined), [name]: value };
  }
  return { patch, faulty };
}

function fieldValue(path: string, text: string): string | number | null {
  if (text.trim() === '') return null;
  const kind = kindOf(path);
  if (kind === 'text') return text;
  if (kind === 'number') return Number.isFinite(Number(text)) ? Number(text) : null;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

export const parseRules = (text: string): ThresholdRule[] => JSON.parse(text);

/** This sign stands for the number of the point in a rule of all points of a cable. */
const POINT_NUMBER = '#';

/** One line of the editor: a rule of one sensor, or the same rule of all points of a cable. */
export interface RuleLine {
  /** The rule of the first point; its text has `#` in place of the number of the point. */
  readonly rule: ThresholdRule;
  readonly cable: SensorCable | null;
}

/** Makes one line of the rules that all points of a cable have in common, at the place of the first of them. */
export function ruleLines(rules: readonly ThresholdRule[], cables: readonly SensorCable[]): RuleLine[] {
  const cableOf = (id: string): SensorCable | undefined =>
    cables.find(({ sensors }) => sensors.some((one) => one.id === id));
  const keyOf = (rule: ThresholdRule): string => JSON.stringify({ ...numbered(rule), sensor_id: '' });
  const groups = new Map<string, { cable: SensorCable | null; members: ThresholdRule[] }>();
  for (const [index, rule] of rules.entries()) {
    // A text that has the sign itself would become another one, so its rule stays a line of its own.
    const hasSign = rule.message?.includes(POINT_NUMBER) === true;
    const cable = hasSign ? undefined : cableOf(rule.sensor_id);
    const key = cable === undefined ? String(index) : `${cable.prefix} ${keyOf(rule)}`;
    const group = groups.get(key) ?? { cable: cable ?? null, members: [] };
    group.members.push(rule);
    groups.set(key, group);
  }
  return [...groups.values()].flatMap(({ cable, members }): RuleLine[] => {
    const ids = new Set(members.map(({ sensor_id }) => sensor_id));
    const isWhole =
      cable !== null && members.length === cable.sensors.length && ids.size === cable.sensors.length;
    const [first] = members;
    return isWhole && first !== undefined
      ? [{ rule: numbered(first), cable }]
      : members.map((rule) => ({ rule, cable: null }));
  });
}

/** The rules of the lines, as the service stores them. */
export const rulesOf = (lines: readonly RuleLine[]): ThresholdRule[] =>
  lines.flatMap(({ rule, cable }) =>
    cable === null
      ? [rule]
      : cable.sensors.map(({ id }) => ({
          ...rule,
          sensor_id: id,
          ...(rule.message === undefined
            ? {}
            : { message: rule.message.replaceAll(POINT_NUMBER, String(numberOf({ id }))) }),
        })),
  );

/** The rule with `#` in place of the number of its point. */
function numbered(rule: ThresholdRule): ThresholdRule {
  if (rule.message === undefined) return rule;
  const number = new RegExp(`\\b${numberOf({ id: rule.sensor_id })}\\b`, 'g');
  return { ...rule, message: rule.message.replace(number, POINT_NUMBER) };
}

export const newRule = (sensor_id: string): ThresholdRule => ({ sensor_id, above: 0, severity: 'warning' });

export const sideOf = ({ above }: ThresholdRule): 'above' | 'below' =>
  above === undefined ? 'below' : 'above';

export const valueOfRule = ({ above, below }: ThresholdRule): number | null => above ?? below ?? null;

/** Sets the side of a rule, which has exactly one. */
export function withSide(rule: ThresholdRule, side: string): ThresholdRule {
  const { above, below, ...rest } = rule;
  const value = above ?? below ?? 0;
  return side === 'below' ? { ...rest, below: value } : { ...rest, above: value };
}

/** Sets the value of a rule; a text that is not a number changes nothing. */
export function withValue(rule: ThresholdRule, value: number): ThresholdRule {
  if (Number.isNaN(value)) return rule;
  return sideOf(rule) === 'below' ? { ...rule, below: value } : { ...rule, above: value };
}

type Words = Pick<Texts['devices']['configuration'], 'fields' | 'sections'>;

/** The name of a field; the name in the API where the page does not know the field yet. */
export const fieldName = (path: string, { fields, sections }: Words): string =>
  nameOfCode({ ...sections, ...fields }, path);
