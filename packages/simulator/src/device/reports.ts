/** What a device says of what it was told to do. */
export type Report<Ack, Progress> =
  | { readonly subject: 'ack'; readonly payload: Ack }
  | { readonly subject: 'progress'; readonly payload: Progress };

/** Far more than a device has to say at a time; then the oldest are given up, and can be asked for. */
const WAITING_MAX = 100;

/** Reports that wait to be sent. Progress on the same thing is told in one. */
export class Reports<Ack, Progress> {
  readonly #merge: (waiting: Progress, newer: Progress) => Progress | null;
  #waiting: readonly Report<Ack, Progress>[] = [];

  /** `merge` answers what to say in place of both, `null` when they are about different things. */
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
