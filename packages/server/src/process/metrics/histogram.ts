import type { Labels, Sample } from './exposition.ts';

/** What a histogram has counted, as data that can pass between threads. */
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

  /** Adds what a histogram with the same bounds has counted. */
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
