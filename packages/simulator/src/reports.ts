import type { OperationAck, OperationProgress } from '@granary/contract/link';

/** What a silo says of its operations. */
export type Report =
  | { readonly subject: 'ack'; readonly payload: OperationAck }
  | { readonly subject: 'progress'; readonly payload: OperationProgress };

/** Far more than a silo has to say at a time; then the oldest are given up, and can be asked for. */
const WAITING_MAX = 100;

/** Reports that wait to be sent. Of an operation's progress only the newest matters. */
export class Reports {
  #waiting: readonly Report[] = [];

  add(report: Report): void {
    const others =
      report.subject === 'ack'
        ? this.#waiting
        : this.#waiting.filter(
            ({ subject, payload }) =>
              subject === 'ack' || payload.operation_id !== report.payload.operation_id,
          );
    this.#waiting = [...others, report].slice(-WAITING_MAX);
  }

  take(): Report | undefined {
    const [next, ...others] = this.#waiting;
    this.#waiting = others;
    return next;
  }
}
