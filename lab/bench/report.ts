import { cpus, totalmem, type } from 'node:os';

/** One line of the report: the name of a measurement, its target and its result. */
export interface Finding {
  readonly name: string;
  readonly target: string;
  readonly figure: string;
  readonly met: boolean;
  readonly detail: string;
}

/** A finding with its time and processor, and the share of the processor time that the host took away meanwhile. */
export interface Measured extends Finding {
  readonly measured: string;
  readonly stolen: string;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

/** Two rates that are measured in turns, and the required result of the first one. */
export interface Comparison {
  readonly name: string;
  readonly rounds: number;
  /** The unit of both rates, such as `messages/s`. */
  readonly unit: string;
  /** The required share of the other rate. */
  readonly ratioMin?: number | undefined;
  readonly perSecondMin?: number;
  readonly detail: string;
}

/** The rates are measured in turns, so that disturbances of the machine affect both; the ratio is the median of the ratios of the rounds. */
export async function compareRates(
  { name, rounds, unit, ratioMin, perSecondMin, detail }: Comparison,
  measureOurs: () => Promise<number>,
  measureTheirs: () => Promise<number>,
): Promise<Finding> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const [own, other] = [await measureOurs(), await measureTheirs()];
    // The first round warms up.
    if (round === 0) continue;
    ours.push(own);
    theirs.push(other);
  }
  const ratio = median(ours.map((own, round) => own / (theirs[round] ?? Number.NaN)));
  const targets: string[] = [];
  if (ratioMin !== undefined) targets.push(String(ratioMin));
  if (perSecondMin !== undefined) targets.push(`${whole(perSecondMin)} ${unit}`);
  return {
    name,
    target: `at least ${targets.join(' and ')}`,
    figure: `${ratio.toFixed(2)}, ${whole(median(ours))} ${unit}`,
    met: ratio >= (ratioMin ?? 0) && median(ours) >= (perSecondMin ?? 0),
    detail: `against ${whole(median(theirs))} ${unit}; ${rounds} rounds in turns; ${detail}`,
  };
}

export function machine(): string {
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores (${processor()}), ${memoryGiB} GiB, ${type()}, Node ${process.version}`;
}

/** The name of the processor without meaningless words. */
const processor = (): string =>
  (cpus()[0]?.model ?? process.arch).replaceAll(/\(R\)|\(TM\)| Processor| CPU| @/g, '');

/** The date and the processor of a measurement that is made now. */
export const measuredNow = (): string => `${new Date().toISOString().slice(0, 10)}, ${processor()}`;

const NAME_OF_ROW = /^\| (.+?) \| /;
const HEAD = '|---|---|---|---|---|---|---|\n';

/** The page with the rows of these findings replaced or added; with `all` no other row is left. */
export function withFindings(page: string, findings: readonly Measured[], all: boolean): string {
  const end = page.indexOf(HEAD) + HEAD.length;
  const kept = all ? [] : page.slice(end).split('\n').filter(Boolean);
  const rows = new Map(kept.map((row) => [NAME_OF_ROW.exec(row)?.[1], row]));
  for (const { name, target, figure, met, detail, measured, stolen } of findings)
    rows.set(
      name,
      `| ${name} | ${target} | **${figure}** | ${met ? 'yes' : '**no**'} | ${detail} | ${measured} | ${stolen} |`,
    );
  return `${page.slice(0, end)}${[...rows.values()].join('\n')}\n`;
}
