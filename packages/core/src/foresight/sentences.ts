import type { Reason as ReasonRecord, SentenceValues } from '@granary/contract/foresight/forecasts';
import { DAY_MS, toIso } from '@granary/contract/time';
import type { Reason } from './types.ts';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const ANIMALS: Readonly<Record<string, string>> = {
  broiler: 'broilers',
  layer: 'layers',
  pig: 'pigs',
  dairy: 'dairy cows',
};

const dateOf = (day: number): string => toIso(day * DAY_MS).slice(0, 10);
const kg = (amount: number): string => `${Math.round(amount).toLocaleString('en')} kg`;
const count = (number: number, one: string): string => `${number} ${number === 1 ? one : `${one}s`}`;
const percent = (value: number): string => `${Math.round(Math.abs(value))} %`;

/** One sentence for people; programs write their own from code and values. */
export function reasonText(reason: Reason): string {
  switch (reason.code) {
    case 'uses': {
      const { kgPerDay, changePercent } = reason;
      if (changePercent === null || Math.round(changePercent) === 0) return `It uses ${kg(kgPerDay)} a day.`;
      return `It uses ${kg(kgPerDay)} a day, ${percent(changePercent)} ${changePercent > 0 ? 'more' : 'less'} than the week before.`;
    }
    case 'animals_curve':
      return `It is used as by ${ANIMALS[reason.kind] ?? 'animals'} of day ${reason.ageDays}, at ${percent(reason.percentOfCurve)} of their curve.`;
    case 'animals_end':
      return `The animals leave on ${dateOf(reason.day)}.`;
    case 'animals_do_not_match':
      return `The use is ${percent(reason.percentOfCurve)} of the curve of the animals, so the curve is not used.`;
    case 'animals_not_plausible':
      return `The configured animals cannot be right: look at ${reason.what}.`;
    case 'weekdays':
      return `Little is used on ${reason.quiet.map((day) => WEEKDAYS[day]).join(' and ')}.`;
    case 'refills':
      return `It was refilled ${count(reason.count, 'time')} in the last ${count(reason.days, 'day')}.`;
    case 'learning':
      return `${count(reason.days, 'full day')} of ${reason.needed} are known that a forecast needs.`;
    case 'stale':
      return reason.lastMs === null
        ? 'No weight was received yet.'
        : `The last weight is ${count(Math.round(reason.hours), 'hour')} old.`;
    case 'stuck':
      return `The weight has not changed since ${toIso(reason.sinceMs)}, though something should be used.`;
    case 'idle':
      return `Nothing was used for ${count(reason.days, 'day')}.`;
    case 'lasts_longer':
      return `It lasts for more than ${count(reason.days, 'day')}.`;
    case 'wide_range':
      return `The use changes so much that the latest time is ${reason.ratio.toFixed(1)} times as far away as the earliest.`;
    case 'capacity_not_plausible':
      return `The capacity of ${kg(reason.capacityKg)} does not fit the weight of ${kg(reason.levelKg)}.`;
    case 'level_not_plausible':
      return `A weight of ${kg(reason.levelKg)} cannot be right.`;
    case 'gaps':
      return `No weights were received for a part of ${count(reason.days, 'day')}.`;
    case 'order_overdue':
      return `The time to order passed ${count(Math.round(reason.hours), 'hour')} ago.`;
  }
}

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const shown = (name: string, value: unknown): [string, number | string | null] => {
  if (Array.isArray(value)) return [snake(name), value.join(',')];
  if (name === 'day' && typeof value === 'number') return ['day', dateOf(value)];
  if (name.endsWith('Ms')) return [snake(name.slice(0, -2)), typeof value === 'number' ? toIso(value) : null];
  return [snake(name), value as number | string | null];
};

export const reasonRecord = (reason: Reason): ReasonRecord => {
  const { code, ...values } = reason;
  return {
    code,
    text: reasonText(reason),
    values: Object.fromEntries(Object.entries(values).map(([name, value]) => shown(name, value))),
  };
};

type Values = Readonly<Record<string, number | string | null>>;

const number = (values: Values, name: string): string => String(values[name] ?? '?');

const FINDING_TEXTS: Readonly<Record<string, (values: Values) => string>> = {
  operation_moves_nothing: (v) =>
    `The operation has moved ${number(v, 'moved_kg')} kg in ${number(v, 'minutes')} minutes, of ${number(v, 'expected_kg')} kg that were expected.`,
  use_has_stopped: (v) =>
    `${number(v, 'used_kg')} kg were used in ${number(v, 'hours')} hours, of at least ${number(v, 'expected_at_least_kg')} kg that were expected.`,
  material_has_fallen: () => 'Material that had bridged has fallen at once.',
  steady_loss: (v) =>
    `It loses ${number(v, 'loss_kg_per_day')} kg a day that no operation explains, over ${number(v, 'nights')} nights.`,
  step_down: (v) => `${number(v, 'loss_kg')} kg were gone at once, without an operation.`,
  stuck: (v) =>
    `The weight has stayed at ${number(v, 'level_kg')} kg for ${number(v, 'unchanged_h')} hours, in which ${number(v, 'expected_use_kg')} kg should have been used.`,
  drift: (v) =>
    `The scale drifts by ${number(v, 'drift_kg_per_day')} kg a day, which nothing explains, over ${number(v, 'nights')} nights.`,
  less_than_noted: (v) =>
    `The scale shows ${number(v, 'measured_kg')} kg of the ${number(v, 'noted_kg')} kg on the delivery note.`,
  point_gets_warmer: (v) =>
    `A point of the cable has ${number(v, 'temperature_c')} °C, ${number(v, 'warmer_by_c')} °C more than around it, and gets warmer by ${number(v, 'slope_c_per_day')} °C a day.`,
  storage_life_used: (v) =>
    `${number(v, 'used_percent')} % of the safe storage time are used; ${number(v, 'remaining_days')} days are left at the present temperature.`,
  withdrawals_not_known: () =>
    'Not every removal is an operation of the service, so a loss cannot be told from use.',
  too_few_nights: (v) => `${number(v, 'nights')} of ${number(v, 'nights_needed')} nights are known.`,
};

/** A code without a sentence of its own is shown as words. */
export const findingText = (code: string, values: SentenceValues): string =>
  FINDING_TEXTS[code]?.(values) ??
  `${code.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase())}.`;
