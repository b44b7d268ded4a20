import { areOtherClocks, dayAs, ownZone, placeOfZone, timeAs } from '@granary/common/time-text';
import { isTimeZone, localMs } from '@granary/common/time-zone';
import { unitSymbol } from '@granary/contract/telemetry/channels';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { pageZone } from '../context/page-zone.ts';
import { conversion, METRIC, shownAs, units } from '../context/units.ts';

const KM_M = 1_000;
const TONNE_KG = 1_000;

const numberFormats = new Map<string, Intl.NumberFormat>();

/** A number in the viewer's language, with the digits that its unit justifies and a minus sign. */
export function formatNumber(
  value: number,
  decimals: number,
  language: string,
  leastDecimals = decimals,
): string {
  // The formats are cached, because making one takes longer than formatting a hundred values.
  const key = `${language} ${leastDecimals} ${decimals}`;
  let format = numberFormats.get(key);
  if (format === undefined) {
    format = new Intl.NumberFormat(language, {
      minimumFractionDigits: leastDecimals,
      maximumFractionDigits: decimals,
      // A value that rounds to zero has no sign.
      signDisplay: 'negative',
    });
    numberFormats.set(key, format);
  }
  return format.format(value).replace('-', '−');
}

/** The number of decimals by unit; for a unit that is not listed, three significant digits are shown. */
const DECIMALS: Readonly<Record<string, number>> = {
  percent: 0,
  celsius: 1,
  fahrenheit: 1,
  kg: 0,
  lb: 0,
  bushel: 0,
  volt: 2,
  dbm: 0,
  lux: 0,
  hpa: 0,
  mm: 1,
  ppm: 0,
  degree: 5,
  degrees: 5,
};

export { unitSymbol };

/** A value with its unit, such as `21.4 °C`, in the unit of the person and in one line; bushels are those of the silo. */
export function formatValue(
  stored: number,
  storedUnit: string,
  language: string,
  deviceId: string | null = null,
): string {
  const { unit, toShown } = shownAs(storedUnit, deviceId);
  const value = toShown(stored);
  const decimals = DECIMALS[unit.toLowerCase()] ?? decimalsFor(value);
  return `${formatNumber(value, decimals, language)}\u00a0${unitSymbol(unit)}`;
}

/** A quantity with its digits; if it was converted, with one digit more than a scale shows. */
export function formatQuantity(
  stored: number,
  storedUnit: string,
  language: string,
  deviceId: string | null = null,
  decimals = 3,
): string {
  const { unit, toShown } = shownAs(storedUnit, deviceId);
  const ofUnit = unit === 't' || unit === 'short_ton' ? 3 : 1;
  const most = unit === storedUnit ? decimals : ofUnit;
  return `${formatNumber(toShown(stored), most, language, 0)}\u00a0${unitSymbol(unit)}`;
}

/** An amount with kilograms beside any other unit, for texts before something is moved: "500 lb (226.8 kg)". */
export function formatBoth(
  stored: number,
  storedUnit: string,
  language: string,
  deviceId: string | null,
): string {
  const shown = formatQuantity(stored, storedUnit, language, deviceId);
  if (/^(?:kg|t|g)(?:\/|$)/.test(shownAs(storedUnit, deviceId).unit)) return shown;
  const { unit, toShown } = conversion(storedUnit, { ...METRIC, mass: 'kg' }, null);
  return `${shown} (${formatNumber(toShown(stored), 1, language, 0)}\u00a0${unit})`;
}

function decimalsFor(value: number): number {
  const size = Math.abs(value);
  if (size >= 100) return 0;
  return size >= 10 ? 1 : 2;
}

/** A mass; from one tonne on it is in tonnes, unless the person has chosen a unit. */
export function formatMass(kg: number, language: string, deviceId: string | null = null): string {
  if (units.value.mass !== METRIC.mass) return formatValue(kg, 'kg', language, deviceId);
  const isTonnes = Math.abs(kg) >= TONNE_KG;
  const amount = isTonnes ? formatNumber(kg / TONNE_KG, 2, language) : formatNumber(kg, 0, language);
  return `${amount}\u00a0${isTonnes ? 't' : 'kg'}`;
}

/** A length such as `412 m` or `3.4 km`. */
export const formatLength = (metres: number, language: string): string =>
  metres >= KM_M
    ? `${formatNumber(metres / KM_M, metres >= 10 * KM_M ? 0 : 1, language)}\u00a0km`
    : `${formatNumber(metres, 0, language)}\u00a0m`;

/** An age or a duration such as "8 s", "3 min", "2 h 5 min", "4 d". */
export function formatDuration(ms: number): string {
  const size = Math.max(0, ms);
  if (size < MINUTE_MS) return `${Math.floor(size / SECOND_MS)}\u00a0s`;
  if (size < HOUR_MS) return `${Math.floor(size / MINUTE_MS)}\u00a0min`;
  if (size >= DAY_MS) return `${Math.floor(size / DAY_MS)}\u00a0d`;
  const minutes = Math.floor((size % HOUR_MS) / MINUTE_MS);
  const hours = `${Math.floor(size / HOUR_MS)}\u00a0h`;
  return minutes === 0 ? hours : `${hours} ${minutes}\u00a0min`;
}

const isToday = (timeMs: number, nowMs: number, timeZone: string): boolean =>
  Math.floor(localMs(timeMs, timeZone) / DAY_MS) === Math.floor(localMs(nowMs, timeZone) / DAY_MS);

/** A time in the time zone of the site, unless another zone is given; times of today have no date. */
export function formatTime(
  timestamp: string | number,
  nowMs: number,
  language: string,
  timeZone: string = pageZone.value,
): string {
  const timeMs = new Date(timestamp).getTime();
  return timeAs(isToday(timeMs, nowMs, timeZone) ? 'second' : 'dayAndSecond', timeMs, language, timeZone);
}

/** Hour and minute at a place, with the day if it is not today there. */
export function formatMinute(
  timestamp: string | number,
  nowMs: number,
  language: string,
  timeZone: string = pageZone.value,
): string {
  const timeMs = new Date(timestamp).getTime();
  return timeAs(isToday(timeMs, nowMs, timeZone) ? 'clock' : 'dayAndMinute', timeMs, language, timeZone);
}

/** Weekday, day and minute, for every day. */
export const formatDated = (timestamp: string | number, language: string, timeZone: string): string =>
  timeAs('weekdayAndMinute', new Date(timestamp).getTime(), language, timeZone);

let zoneOfViewer: string | undefined;

export function viewerZone(): string {
  zoneOfViewer ??= ownZone();
  return zoneOfViewer;
}

/** The zone of a silo; that of the viewer if the browser does not know it. */
export const zoneOf = ({ time_zone }: { readonly time_zone: string }): string =>
  isTimeZone(time_zone) ? time_zone : viewerZone();

/** The place after which a zone is named, if its clocks show another time than the viewer's; otherwise `null`. */
export const otherZone = (timeZone: string, atMs: number): string | null =>
  areOtherClocks(timeZone, viewerZone(), atMs) ? placeOfZone(timeZone) : null;

/** A local day, which has no time zone. */
export const formatDate = (day: string, language: string): string => dayAs('date', day, language);

/** Times of day such as `06:00`, in the form of the viewer's language. */
export const timesInWords = (times: readonly string[], language: string): string =>
  times.map((time) => timeAs('clock', Date.parse(`1970-01-01T${time}Z`), language, 'UTC')).join(', ');

/** Hour and minute with the name of their zone, for a clock on the screen. */
export const formatClock = (nowMs: number, language: string): string =>
  timeAs('clockOfZone', nowMs, language, pageZone.value);

/** The exact time, for the text that appears on hover. */
export const utcTime = (timestamp: string | number): string =>
  `${new Date(timestamp).toISOString().replace('T', ' ').replace('Z', '')} UTC`;
