import { instantOf, localMs } from '@granary/common/time-zone';
import type { ReportPeriod } from '@granary/contract/reports';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { weekdayOf } from '../foresight/local-calendar.ts';

/** The number of days in the chart of a report about a single day. */
const CHART_DAYS = 7;

/** The days of a report. The number of a day is that of its date: days since 1970-01-01. */
export interface ReportDays {
  readonly period: ReportPeriod;
  readonly timeZone: string;
  readonly firstDay: number;
  /** The first day after the period. */
  readonly endDay: number;
  readonly chartFirstDay: number;
  readonly fromMs: number;
  readonly toMs: number;
}

export const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** `null` for a date that does not exist, and for one before 1970. */
export function dayOf(date: string): number | null {
  const day = Date.parse(date) / DAY_MS;
  return day >= 0 && dateOf(day) === date ? day : null;
}

/** The first day of the period that contains the day. */
function startOf(period: ReportPeriod, day: number): number {
  if (period === 'daily') return day;
  if (period === 'weekly') return day - weekdayOf(day);
  return day + 1 - new Date(day * DAY_MS).getUTCDate();
}

/** The first day of the next period. No period has more than 31 days. */
const endOf = (period: ReportPeriod, start: number): number =>
  period === 'monthly' ? startOf(period, start + 31) : start + (period === 'weekly' ? 7 : 1);

export function daysAround(period: ReportPeriod, day: number, timeZone: string): ReportDays {
  const firstDay = startOf(period, day);
  const endDay = endOf(period, firstDay);
  return {
    period,
    timeZone,
    firstDay,
    endDay,
    chartFirstDay: period === 'daily' ? endDay - CHART_DAYS : firstDay,
    fromMs: instantOf(firstDay * DAY_MS, timeZone),
    toMs: instantOf(endDay * DAY_MS, timeZone),
  };
}

/** When a report is sent: at this time of the first day after its period. */
export interface SendingTime {
  readonly period: ReportPeriod;
  /** The time of day, such as `06:00`. */
  readonly time: string;
  readonly timeZone: string;
}

const timeOfDayMs = ({ time }: SendingTime): number => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * HOUR_MS + minutes * MINUTE_MS;
};

/** The first sending time after this time. */
export function nextSendingMs(sending: SendingTime, afterMs: number): number {
  const { period, timeZone } = sending;
  const sentOn = (day: number): number => instantOf(day * DAY_MS + timeOfDayMs(sending), timeZone);
  const start = startOf(period, Math.floor(localMs(afterMs, timeZone) / DAY_MS));
  return sentOn(start) > afterMs ? sentOn(start) : sentOn(endOf(period, start));
}

/** The days of the report that was due last. */
export function lastSentDays(sending: SendingTime, nowMs: number): ReportDays {
  const { period, timeZone } = sending;
  const day = Math.floor((localMs(nowMs, timeZone) - timeOfDayMs(sending)) / DAY_MS);
  return daysAround(period, startOf(period, day) - 1, timeZone);
}

/** The days of the last period that is over. */
export const lastDays = (period: ReportPeriod, nowMs: number, timeZone: string): ReportDays =>
  lastSentDays({ period, time: '00:00', timeZone }, nowMs);
