import { cpus, totalmem, type } from 'node:os';

/** One line of the report: the name of a measurement, its target and its result. */
export interface Finding {
  readonly name: string;
  readonly target: string;
  readonly figure: string;
  readonly met: boolean;
  readonly detail: string;
}

/** A finding, and the share of the processor time that the host took away from this machine meanwhile. */
export interface Measured extends Finding {
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

/** Two rates that are measured in turns, and what the first one has to reach. */
export interface Comparison {
  readonly name: string;
  readonly rounds: number;
  /** Of both rates, such as `messages/s`. */
  readonly unit: string;
  /** The part of the other rate. */
  readonly ratioMin?: number | undefined;
  readonly perSecondMin?: number;
  readonly detail: string;
}

/** In turns, so that what disturbs the machine affects both; the ratio is the median of those of the rounds. */
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
  const processors = cpus();
  const model = processors[0]?.model ?? 'unknown';
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  return `${processors.length} cores (${model}, ${process.arch}), ${memoryGiB} GiB, ${type()}, Node ${process.version}`;
}

export interface RunFacts {
  readonly date: string;
  /** The same of the whole run. */
  readonly stolen: string;
}

export function asMarkdown(findings: readonly Measured[], { date, stolen }: RunFacts): string {
  const rows = findings.map(
    (finding) =>
      `| ${finding.name} | ${finding.target} | **${finding.figure}** | ${finding.met ? 'yes' : '**no**'} | ${finding.detail} | ${finding.stolen} |`,
  );
  return `# Benchmarks

Figures of \`npm run bench\`, case by case. The service runs in its built form and in a process of its own; a figure is the median of
its rounds. Both sides of a ratio are measured in the same run, in turns; the ratio is the median of those of the rounds. The load
generator shares the machine, as it would on a developer's desk. [performance.md](performance.md) says what the time goes into.

- Date: ${date}
- Machine: ${machine()}
- Processor time that the host of this machine took away during the run: ${stolen}. The last column has that of each case. A case that loses more
  than a tenth is measured again, up to three times, and the attempt that lost least counts, whatever its result is.

| what | target | measured | met | detail | taken by the host |
|---|---|---|---|---|---|
${rows.join('\n')}
`;
}
