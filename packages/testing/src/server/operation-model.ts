import type { OperationStatus } from '@granary/contract/operations';

type Reported = 'running' | 'completed' | 'stopped' | 'failed';

/**
 * The documented behaviour of an operation that the service has started, written from the documents and without the state machine, so that
 * both can be compared. It does not depend on time.
 */
export class OperationModel {
  amountKg = 0;
  isStopRequested = false;
  #status: OperationStatus = 'started';
  #isAnswered = false;
  #wasReopened = false;
  #hasFault = false;

  get isOver(): boolean {
    return ['completed', 'stopped', 'failed'].includes(this.#status);
  }

  get hasMovedAgain(): boolean {
    return this.#wasReopened;
  }

  /** Whether the service may answer this status; without a report for some time it may also answer `unconfirmed`. */
  allows(status: OperationStatus): boolean {
    const mayBeUnconfirmed = this.#status === 'started' || this.#status === 'in_progress';
    return status === this.#status || (status === 'unconfirmed' && mayBeUnconfirmed);
  }

  /** A stop is valid at any time; on a finished operation it changes nothing. */
  stop(): void {
    if (this.isOver) return;
    this.#status = 'stopping';
    this.isStopRequested = true;
  }

  /** A start is acknowledged once. An acceptance after the end means that the device moves although it should not. */
  acknowledge(accepted: boolean): void {
    if (this.#isAnswered) return;
    if (!accepted) {
      if (!this.isOver) this.#status = 'failed';
      return;
    }
    this.#isAnswered = true;
    this.#runs();
  }

  /** The newest report decides the amount. Only the report of an end ends the operation, and movement after an end is stopped. */
  report(state: Reported, amountKg: number): void {
    this.#isAnswered = true;
    this.amountKg = amountKg;
    if (state === 'running') this.#runs();
    else if (!this.isOver) this.#end(state);
  }

  /** A failure that the device reported is kept, whichever end it reports after that. */
  #end(state: Exclude<Reported, 'running'>): void {
    this.#hasFault ||= state === 'failed';
    this.#status = this.#hasFault ? 'failed' : state;
  }

  #runs(): void {
    if (this.isOver) {
      this.#status = 'stopping';
      this.isStopRequested = true;
      this.#wasReopened = true;
    } else if (this.#status !== 'stopping') {
      this.#status = 'in_progress';
    }
  }
}
