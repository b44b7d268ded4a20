import { formatNumber, unitSymbol } from '../../format/numbers.ts';

const DAY_S = 86_400;

/** The labels of the time axis, in the zone of the viewer; where a day begins, its date. */
export function timeLabels(splits: readonly number[], stepS: number, language: string): string[] {
  const date = new Intl.DateTimeFormat(
    language,
    stepS >= 300 * DAY_S ? { year: 'numeric' } : dateParts(stepS),
  );
  const clock = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return splits.map((seconds) => {
    const time = new Date(seconds * 1_000);
    const isMidnight = time.getHours() === 0 && time.getMinutes() === 0;
    return stepS >= DAY_S || isMidnight ? date.format(time) : clock.format(time);
  });
}

const dateParts = (stepS: number): Intl.DateTimeFormatOptions =>
  stepS >= 28 * DAY_S ? { month: 'short', year: '2-digit' } : { day: 'numeric', month: 'short' };

/** Each label has its unit and no more digits than the step needs. */
export function valueLabels(
  splits: readonly number[],
  step: number,
  unit: string,
  language: string,
): string[] {
  const decimals = step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step)));
  return splits.map((value) => `${formatNumber(value, decimals, language)} ${unitSymbol(unit)}`);
}
