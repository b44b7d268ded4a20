import { dayAs, placeOfZone, timeAhead, timeAs } from '@granary/common/time-text';
import { convertUnit } from '@granary/common/units';
import type { Actor } from '@granary/contract/audit';
import type { Report, ReportSilo } from '@granary/contract/reports';
import { checkedTimeMs, DAY_MS } from '@granary/contract/time';
import type { Units } from '@granary/contract/views';
import { type ServiceTexts, serviceTexts } from '@granary/words/all-languages';
import type { Language } from '@granary/words/languages';

/** An order that is due within this time is listed as a thing to do. */
const ORDER_AHEAD_MS = 3 * DAY_MS;
const SUBJECT_CHARS_MAX = 160;
const METRIC_TONNE_KG = 1_000;
const SYMBOLS = { kg: 'kg', t: 't', lb: 'lb', short_ton: 'sh tn' } as const;

/** The language, units and addresses for one reader of a report. */
export interface ReportReader {
  readonly language: Language;
  readonly mass: Units['mass'];
  /** The name of the schedule that sends the report; `null` if a person asked for it. */
  readonly schedule: string | null;
  /** Where people reach the operators' page; `null` if that is not known. */
  readonly consoleUrl: string | null;
}

/** A report that will be sent, as it is stored until then. */
export interface MailedReport {
  readonly report: Report;
  readonly reader: ReportReader;
  readonly attachesCsv: boolean;
}

/** The text functions of a report, in the language and units of its reader. */
export interface ReportTexts {
  readonly words: ServiceTexts['mailedReport'];
  readonly nowMs: number;
  mass(kg: number | null, bushelKg?: number | null): string;
  time(timestamp: string): string;
  date(timestamp: string): string;
  /** Writes a time in the future as the operators' page does. */
  ahead(timestamp: string): string;
  day(date: string, form: Parameters<typeof dayAs>[0]): string;
  number(value: number): string;
}

export function textsOf(
  { language, mass }: ReportReader,
  { time_zone: timeZone, made_at: madeAt }: Report,
): ReportTexts {
  const words = serviceTexts(language).mailedReport;
  const nowMs = checkedTimeMs(madeAt);
  const number = (value: number, digits = 0): string =>
    new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value);
  const written = (kg: number, unit: keyof typeof SYMBOLS): string => {
    const isLarge = unit === 't' || unit === 'short_ton';
    return `${number(convertUnit(kg, 'kg', unit) ?? kg, isLarge ? 1 : 0)}\u00a0${SYMBOLS[unit]}`;
  };
  return {
    words,
    nowMs,
    number,
    mass: (kg, bushelKg = null) => {
      if (kg === null) return '–';
      if (mass === 'bushel' && bushelKg !== null) return `${number(kg / bushelKg)}\u00a0bu`;
      if (mass !== 'metric' && mass !== 'bushel') return written(kg, mass);
      return written(kg, Math.abs(kg) < METRIC_TONNE_KG ? 'kg' : 't');
    },
    time: (timestamp) => timeAs('weekdayAndMinute', checkedTimeMs(timestamp), language, timeZone),
    date: (timestamp) => timeAs('weekdayAndDate', checkedTimeMs(timestamp), language, timeZone),
    ahead: (timestamp) => timeAhead(checkedTimeMs(timestamp), { nowMs, language, timeZone, halfDays: words }),
    day: (date, form) => dayAs(form, date, language),
  };
}

const oneLine = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ');

/** The name of the actor, with the name of the person who confirmed the request. */
export function whoOf(actor: Actor, words: ReportTexts['words']): string {
  const name = actor.actor ?? actor.key_name;
  const second = actor.confirmed_by?.name;
  return second === undefined ? name : words.confirmedBy({ name, second });
}

const isToOrder = ({ order_by: orderBy }: ReportSilo, { made_at: madeAt }: Report): boolean =>
  orderBy !== null && checkedTimeMs(orderBy) <= checkedTimeMs(madeAt) + ORDER_AHEAD_MS;

/** The silos to order for, the most urgent first. */
export const toOrder = (report: Report): ReportSilo[] =>
  report.silos
    .filter((silo) => isToOrder(silo, report))
    .sort((a, b) => checkedTimeMs(a.order_by ?? '') - checkedTimeMs(b.order_by ?? ''));

export function periodText(
  { period, first_date: first, last_date: last }: Report,
  { day }: ReportTexts,
): string {
  if (period === 'monthly') return day(first, 'longMonth');
  if (period === 'daily') return day(first, 'longDate');
  return `${day(first, 'day')} – ${day(last, 'date')}`;
}

export const placeText = ({ facility, label }: Report, { words }: ReportTexts): string =>
  [facility ?? words.allFacilities, ...(label === null ? [] : [label])].join(' · ');

/** The report names its clock, because the reader may be in another time zone. */
export const clocksText = ({ time_zone: zone }: Report, { words }: ReportTexts): string =>
  words.timesOf({ place: placeOfZone(zone) });

/** The subject of a message. */
export function reportSubject(report: Report, reader: ReportReader): string {
  const texts = textsOf(reader, report);
  const { words } = texts;
  const orders = toOrder(report).length;
  const urgent = [
    ...(orders === 0 ? [] : [`${words.order}: ${orders}`]),
    ...(report.open_critical.length === 0
      ? []
      : [
          `${words.critical}: ${report.open_critical.length}${report.has_more.includes('open_critical') ? '+' : ''}`,
        ]),
  ];
  const title = `${words.titles[report.period]} ${periodText(report, texts)}, ${placeText(report, texts)}`;
  const subject = oneLine([title, ...urgent].join(' · ')).replaceAll('=?', '= ?');
  const characters = [...subject];
  return characters.length <= SUBJECT_CHARS_MAX
    ? subject
    : `${characters.slice(0, SUBJECT_CHARS_MAX - 1).join('')}…`;
}

/** The report for programs that show no HTML: the things to do, and the figures. */
export function reportText(report: Report, reader: ReportReader): string {
  const texts = textsOf(reader, report);
  const { words, mass, time } = texts;
  const { raised } = report;
  const orders = toOrder(report).map(
    (silo) => `${silo.name}: ${mass(silo.order_kg, silo.bushel_kg)}, ${orderText(silo, texts)}`,
  );
  const critical = report.open_critical.map(
    ({ device_name: name, type, since }) => `${name}: ${words.types[type]}, ${time(since)}`,
  );
  const lines = [
    `${words.titles[report.period]}, ${periodText(report, texts)}, ${placeText(report, texts)}`,
    clocksText(report, texts),
    '',
    `${words.toDo}:`,
    ...(orders.length + critical.length === 0 ? [words.nothingToDo] : [...orders, ...critical]),
    ...(report.has_more.includes('open_critical') ? [words.more] : []),
    '',
    `${words.stock}: ${mass(known(report, 'end_kg'))} (${changeText(report, texts)})`,
    `${words.used}: ${mass(known(report, 'use_kg'))}`,
    `${words.delivered}: ${mass(known(report, 'in_kg'))}`,
    `${words.alerts}: ${raised.total}`,
    ...footerOf(report, reader, texts),
  ];
  return `${lines.map(oneLine).join('\n')}\n`;
}

/** The order as the operators' page shows it at the time of the report. */
export function orderText({ order_by: orderBy }: ReportSilo, { words, nowMs, ahead }: ReportTexts): string {
  if (orderBy === null) return '';
  return checkedTimeMs(orderBy) <= nowMs ? words.orderOverdue : words.orderBy({ time: ahead(orderBy) });
}

/** `null` if nothing is known of any silo, because an unknown sum is not zero. */
export const known = ({ silos, totals }: Report, name: 'end_kg' | 'use_kg' | 'in_kg'): number | null =>
  silos.every((silo) => silo[name] === null) ? null : totals[name];

export function changeText({ silos, totals }: Report, { mass }: ReportTexts): string {
  if (silos.every(({ begin_kg, end_kg }) => begin_kg === null || end_kg === null)) return '–';
  const { change_kg: change } = totals;
  return `${change < 0 ? '−' : '+'}${mass(Math.abs(change))}`;
}

export function footerOf(
  report: Report,
  { schedule, consoleUrl }: ReportReader,
  texts: ReportTexts,
): string[] {
  const { words, time } = texts;
  return [
    words.made({ time: time(report.made_at), zone: report.time_zone }),
    ...(schedule === null ? [] : [words.reason({ name: schedule })]),
    ...(consoleUrl === null ? [] : [`${words.openConsole}: ${consoleUrl}/#/reports`]),
  ];
}
