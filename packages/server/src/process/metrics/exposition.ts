export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** The suffix is added to the name of the metric, as in `_sum`. */
  readonly suffix?: string;
}

/** One metric in the sense of Prometheus, with its values by labels. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly samples: readonly Sample[];
}

type Values = number | readonly Sample[];

const samplesOf = (values: Values): readonly Sample[] =>
  typeof values === 'number' ? [{ labels: {}, value: values }] : values;

/** The name of a counter ends in `_total`. */
export const counter = (name: string, help: string, values: Values): Metric => ({
  name,
  help,
  type: 'counter',
  samples: samplesOf(values),
});

export const gauge = (name: string, help: string, values: Values): Metric => ({
  name,
  help,
  type: 'gauge',
  samples: samplesOf(values),
});

/** The text format of Prometheus. */
export function exposition(metrics: readonly Metric[]): string {
  let text = '';
  for (const { name, help, type, samples } of metrics) {
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
    for (const { suffix = '', labels, value } of samples) {
      text += `${name}${suffix}${labelText(labels)} ${value}\n`;
    }
  }
  return text;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

/** The counts of a histogram, as data that can pass between threads. */
export interface HistogramFigures {
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Counts values by their size; an observation costs a short search and two additions. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  /** A value belongs to the first bound that is not below it. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    let index = 0;
    while (index < this.#bounds.length && value > (this.#bounds[index] ?? 0)) index++;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sum += value;
  }

  get figures(): HistogramFigures {
    return { counts: [...this.#counts], sum: this.#sum };
  }

  /** Adds the counts of a histogram with the same bounds. */
  add({ counts, sum }: HistogramFigures): void {
    for (const [index, count] of counts.entries()) this.#counts[index] = (this.#counts[index] ?? 0) + count;
    this.#sum += sum;
  }

  samples(labels: Labels = {}): Sample[] {
    let count = 0;
    const buckets = [...this.#bounds, '+Inf'].map((bound, index) => {
      count += this.#counts[index] ?? 0;
      return { suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: count };
    });
    return [
      ...buckets,
      { suffix: '_sum', labels, value: this.#sum },
      { suffix: '_count', labels, value: count },
    ];
  }
}
