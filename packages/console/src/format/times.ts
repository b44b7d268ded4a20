const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** An age or a duration as a person says it: "8 s", "3 min", "2 h 5 min", "4 d". */
export function formatDuration(ms: number): string {
  const size = Math.max(0, ms);
  if (size < MINUTE_MS) return `${Math.floor(size / SECOND_MS)} s`;
  if (size < HOUR_MS) return `${Math.floor(size / MINUTE_MS)} min`;
  if (size >= DAY_MS) return `${Math.floor(size / DAY_MS)} d`;
  const minutes = Math.floor((size % HOUR_MS) / MINUTE_MS);
  const hours = `${Math.floor(size / HOUR_MS)} h`;
  return minutes === 0 ? hours : `${hours} ${minutes} min`;
}

/** In the time zone of the viewer; today's times without their date. */
export function formatTime(timestamp: string | number, nowMs: number, language: string): string {
  const time = new Date(timestamp);
  const isToday = time.toDateString() === new Date(nowMs).toDateString();
  const clock: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', second: '2-digit' };
  const date: Intl.DateTimeFormatOptions = { year: 'numeric', month: 'short', day: 'numeric' };
  return new Intl.DateTimeFormat(language, isToday ? clock : { ...date, ...clock }).format(time);
}

/** The exact time, for the text that appears on hover. */
export const utcTime = (timestamp: string | number): string =>
  `${new Date(timestamp).toISOString().replace('T', ' ').replace('Z', '')} UTC`;
