import { patternText } from './place-form.ts';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000 };
const DURATION = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|m|min|h)$/;

/** A duration such as `500ms`, `1s`, `5m` or `1h`. */
export const Duration = patternText(DURATION.source, 'a duration such as 500ms, 1s, 5m or 1h');

/** Returns the milliseconds of a duration that the schema has accepted. */
export function durationMs(text: string): number {
  const [, amount = '0', unit = 'ms'] = DURATION.exec(text) ?? [];
  return Math.round(Number(amount) * (UNIT_MS[unit] ?? 1));
}

export const isDuration = (text: unknown): boolean => typeof text === 'string' && DURATION.test(text);
