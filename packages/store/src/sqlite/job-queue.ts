import type { Job } from './messages.ts';

/** After this much work a group is committed, so that an urgent write that arrives meanwhile does not wait for longer. */
const GROUP_MS_MAX = 10;
const JOBS_PER_GROUP_MAX = 256;

/** Decides which waiting jobs share the next commit. */
export class JobQueue {
  readonly #urgent: Job[] = [];
  readonly #others: Job[] = [];
  readonly #nowMs: () => number;
  /** The last group left other jobs waiting because of an urgent one, so the next group takes one of them in any case. */
  #haveOthersWaited = false;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  get isEmpty(): boolean {
    return this.#urgent.length === 0 && this.#others.length === 0;
  }

  add(job: Job): void {
    (job.isUrgent ? this.#urgent : this.#others).push(job);
  }

  /**
   * The jobs of one group, each chosen when the one before it has ended, so that an urgent job waits for one other job at
   * most. `refill` adds the jobs that have arrived meanwhile. A group with an urgent job ends with it.
   */
  *nextGroup(refill: () => void): Generator<Job, void> {
    const startedMs = this.#nowMs();
    const mustTakeOther = this.#haveOthersWaited;
    this.#haveOthersWaited = false;
    let hasUrgent = false;
    let hasOther = false;
    for (let count = 0; count < JOBS_PER_GROUP_MAX; count++) {
      refill();
      const urgent = this.#urgent.shift();
      if (urgent !== undefined) {
        hasUrgent = true;
        yield urgent;
        continue;
      }
      const isOver = hasUrgent ? hasOther || !mustTakeOther : this.#nowMs() - startedMs >= GROUP_MS_MAX;
      if (isOver && (hasUrgent || hasOther)) break;
      const other = this.#others.shift();
      if (other === undefined) break;
      hasOther = true;
      yield other;
    }
    this.#haveOthersWaited = hasUrgent && !hasOther && this.#others.length > 0;
  }

  /** Removes all waiting jobs, because none of them can be written now. */
  takeAll(): Job[] {
    return [...this.#urgent.splice(0), ...this.#others.splice(0)];
  }
}
