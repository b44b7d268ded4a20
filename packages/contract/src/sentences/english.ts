import { ENGLISH_TEXTS } from '@granary/words/english';
import { unitSymbol } from '../telemetry/channels.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../time.ts';
import type { Sentence } from './sentence.ts';
import { inWords, missionText, type Reader, written } from './writing.ts';

const YEAR_MS = 365 * DAY_MS;
/** The limits choose the largest unit in which the time is at least 1.5, or 1 of the next larger unit if the time is close to it. */
const UNITS = [
  { ms: SECOND_MS, one: 's', many: 's', below: 90 * SECOND_MS },
  { ms: MINUTE_MS, one: 'min', many: 'min', below: 59.5 * MINUTE_MS },
  { ms: HOUR_MS, one: 'h', many: 'h', below: 36 * HOUR_MS },
  { ms: DAY_MS, one: 'day', many: 'days', below: YEAR_MS },
] as const;
const YEARS = { ms: YEAR_MS, one: 'year', many: 'years' } as const;

/** A length of time in one rounded number: `45 s`, `2 min`, `1 h`, `3 days`. */
export function durationText(lengthMs: number): string {
  const { ms, one, many } = UNITS.find(({ below }) => lengthMs < below) ?? YEARS;
  const count = Math.round(lengthMs / ms);
  return `${count} ${count === 1 ? one : many}`;
}

/** English as the service writes it: numbers with all their digits, and times in UTC. */
export const ENGLISH: Reader = {
  language: 'en',
  sentences: ENGLISH_TEXTS.sentences,
  words: ENGLISH_TEXTS.words,
  number: String,
  waypoint: String,
  percent: (value) => `${value.toFixed(1)} %`,
  time: (timestamp) => timestamp,
  date: (date) => date,
  duration: (seconds) => durationText(seconds * SECOND_MS),
  quantity: ({ value, unit }) => `${value} ${unitSymbol(unit)}`,
  mass: (kg) => `${kg} kg`,
  temperature: (celsius) => `${celsius} °C`,
  warming: (celsius) => `${celsius} °C`,
  place: ({ latitude, longitude }) => `${latitude}, ${longitude}`,
  sensor: inWords,
  mission: missionText,
  names: (names) => names.join(' and '),
  or: ' or ',
};

export function inEnglish(told: Sentence): string {
  const text = written(told, ENGLISH);
  if (text === null) throw new Error(`the sentence ${JSON.stringify(told)} is not complete`);
  return text;
}

/** Whether both sentences have the same English text. */
export const isSameSentence = (one: Sentence | null, other: Sentence | null): boolean =>
  one === null || other === null ? one === other : inEnglish(one) === inEnglish(other);

export const messageOf = <Code extends string>(told: Sentence<Code>) => ({
  message: inEnglish(told),
  message_code: told.code,
  message_values: { ...told.values },
});

export const statusOf = <Code extends string>(told: Sentence<Code>) => ({
  status_detail: inEnglish(told),
  status_code: told.code,
  status_values: { ...told.values },
});

/** The same fields for a reason in a list. */
export const reasonOf = <Code extends string>(told: Sentence<Code>) => ({
  code: told.code,
  text: inEnglish(told),
  values: { ...told.values },
});
