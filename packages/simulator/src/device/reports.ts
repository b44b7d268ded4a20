/** An acknowledgement of a command, or a report of its progress. */
export type Report<Ack, Progress> =
  | { readonly subject: 'ack'; readonly payload: Ack }
  | { readonly subject: 'progress'; readonly payload: Progress };

/** Far more reports than a device has at a time; beyond that the oldest are dropped, and the service can request them. */
const WAITING_MAX = 100;

/** The queue of reports; progress of the same job is merged into one report. */
export class Reports<Ack, Progress> {
  readonly #merge: (waiting: Progress, newer: Progress) => Progress | null;
  #waiting: readonly Report<Ack, Progress>[] = [];

  /** `merge` returns one report in place of two, or `null` when they concern different jobs. */
  constructor(merge: (waiting: Progress, newer: Progress) => Progress | null) {
    this.#merge = merge;
  }

  ack(payload: Ack): void {
    this.#waiting = [...this.#waiting, { subject: 'ack', payload } as const].slice(-WAITING_MAX);
  }

  progress(newest: Progress): void {
    let payload = newest;
    const others = this.#waiting.filter((report) => {
      const merged = report.subject === 'ack' ? null : this.#merge(report.payload, payload);
      payload = merged ?? payload;
      return merged === null;
    });
    this.#waiting = [...others, { subject: 'progress', payload } as const].slice(-WAITING_MAX);
  }

  take(): Report<Ack, Progress> | undefined {
    const [next, ...others] = this.#waiting;
    this.#waiting = others;
    return next;
  }
}
