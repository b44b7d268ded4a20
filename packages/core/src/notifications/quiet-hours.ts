import { instantOf, localMs } from '@granary/common/time-zone';
import { type NotificationRule, WEEKDAYS } from '@granary/contract/notifications';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';

export type QuietHoursOfRule = NonNullable<NotificationRule['quiet_hours']>;

/** The end of the quiet hours that hold at this time; `null` outside them. */
export function quietUntil(quiet: QuietHoursOfRule, nowMs: number): number | null {
  const { time_zone: timeZone, days } = quiet;
  const today = Math.floor(localMs(nowMs, timeZone) / DAY_MS) * DAY_MS;
  const fromMs = timeOfDayMs(quiet.from);
  const toMs = timeOfDayMs(quiet.to);
  // Quiet hours that pass midnight may have begun yesterday.
  for (const day of [today - DAY_MS, today]) {
    if (!days.includes(weekdayOf(day))) continue;
    const endDay = toMs <= fromMs ? day + DAY_MS : day;
    const end = instantOf(endDay + toMs, timeZone);
    if (nowMs >= instantOf(day + fromMs, timeZone) && nowMs < end) return end;
  }
  return null;
}

function timeOfDayMs(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return hours * HOUR_MS + minutes * MINUTE_MS;
}

/** 1 January 1970 was a Thursday. */
const weekdayOf = (day: number): (typeof WEEKDAYS)[number] =>
  WEEKDAYS[(((day / DAY_MS + 3) % 7) + 7) % 7] ?? 'mon';
