import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { DAY_FLAGS } from '@granary/core/foresight/types';
import type { Replayed } from './replay.ts';

const EVERY_DAYS = 9;
const PAST_DAYS = 42;
const AHEAD_DAYS = [1, 3, 7] as const;
/** Programs of Debian (`python3-statsmodels`, `r-cran-forecast`); a program that is not installed is left out. */
const PROGRAMS = [
  { name: 'statsmodels ETS', command: '/usr/bin/python3', script: 'ceiling.py' },
  { name: 'R forecast ets', command: '/usr/bin/Rscript', script: 'ceiling.R' },
] as const;

interface Sample {
  readonly past: readonly number[];
  /** The use in the next 1, 3 and 7 days. */
  readonly actual: readonly number[];
  readonly own: readonly number[];
}

export interface Ceiling {
  readonly name: string;
  /** The mean error of the use over 3 days divided by that of the other program; `ratios` has those over 1, 3 and 7 days. */
  readonly ratio: number;
  readonly ratios: readonly number[];
}

/** Compares the errors with those of other programs, which are given the same daily use. */
export function ceilingErrors(runs: readonly Replayed[]): Ceiling[] {
  const samples = runs.flatMap(samplesOf);
  const input = `${samples.map(({ past }) => past.map((kg) => kg.toFixed(1)).join(' ')).join('\n')}\n`;
  return PROGRAMS.flatMap(({ name, command, script }) => {
    if (!existsSync(command)) return [];
    const path = new URL(script, import.meta.url).pathname;
    const { stdout, status } = spawnSync(command, [path], { input, encoding: 'utf8', maxBuffer: 1 << 26 });
    if (status !== 0) return [];
    const theirs = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number));
    const ratios = AHEAD_DAYS.map((days, index) => {
      let [own, other] = [0, 0];
      for (const [at, sample] of samples.entries()) {
        const actual = sample.actual[index] ?? 0;
        const scale = Math.max(sample.past.reduce((sum, kg) => sum + kg, 0) / PAST_DAYS, 1);
        own += Math.abs((sample.own[index] ?? 0) - actual) / scale;
        other += Math.abs(plausible(theirs[at]?.[index] ?? 0, sample.past, days) - actual) / scale;
      }
      return own / other;
    });
    return [{ name, ratio: ratios[1] ?? Number.NaN, ratios }];
  });
}

/**
 * Limits a prediction of another program: some of its models grow without bounds or have no answer, and one of these would
 * decide the mean.
 */
function plausible(kg: number, past: readonly number[], days: number): number {
  const most = 1.5 * Math.max(...past) * days;
  return Number.isNaN(kg) ? (past.reduce((sum, one) => sum + one, 0) * days) / past.length : clamp(kg, most);
}

const clamp = (kg: number, most: number): number => Math.min(Math.max(kg, 0), most);

function samplesOf({ history }: Replayed): Sample[] {
  if (history === null) return [];
  const { firstDay, kg, flags, origins } = history;
  const samples: Sample[] = [];
  for (const { day, kg: own } of origins) {
    const at = day - firstDay;
    if (day % EVERY_DAYS !== 0 || at < PAST_DAYS || own.length === 0) continue;
    const ahead = kg.slice(at, at + 7);
    const isWhole = ahead.length === 7 && ahead.every((one) => one !== null);
    const isCut = flags.slice(at, at + 7).some((flag) => (flag & (DAY_FLAGS.gap | DAY_FLAGS.empty)) !== 0);
    if (!isWhole || isCut) continue;
    const past: number[] = [];
    for (const one of kg.slice(at - PAST_DAYS, at)) past.push(Math.max(0, one ?? past.at(-1) ?? 0));
    const actual = AHEAD_DAYS.map((count) =>
      ahead.slice(0, count).reduce<number>((sum, one) => sum + (one ?? 0), 0),
    );
    if ((actual[2] ?? 0) <= 0) continue;
    samples.push({ past, actual, own: [own[0] ?? 0, own[2] ?? 0, own[4] ?? 0] });
  }
  return samples;
}
