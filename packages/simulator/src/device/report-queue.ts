import type { Checker } from '@granary/contract/input/schema';
import { LinkStoppedError, type ServiceConnection } from '../service-connection.ts';

/** Far more reports than a device has at a time; beyond that the oldest are dropped, and the service can request them. */
const WAITING_MAX = 100;

/** Sends messages one at a time, each after the previous one was delivered. */
export class SerialSender {
  readonly #sendNext: () => Promise<void> | undefined;
  #isUnderWay = false;

  constructor(sendNext: () => Promise<void> | undefined) {
    this.#sendNext = sendNext;
  }

  /** Sends until nothing is left; has no effect while a run is already in progress. */
  sendAll(): void {
    if (!this.#isUnderWay) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isUnderWay = true;
    try {
      for (let sent = this.#sendNext(); sent !== undefined; sent = this.#sendNext()) await sent;
    } catch (failure) {
      if (!(failure instanceof LinkStoppedError)) throw failure;
    } finally {
      this.#isUnderWay = false;
    }
  }
}

/** Returns the decoded message; `undefined` when it is invalid. */
export function parseMessage<Message>(checker: Checker<Message>, payload: string): Message | undefined {
  const message = parseJson(payload);
  return checker.accepts(message) ? message : undefined;
}

export function parseJson(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return undefined;
  }
}

export interface ReportQueueOptions<Progress> {
  readonly link: ServiceConnection;
  /** Stores the state that the device must not lose. */
  readonly keep: () => Promise<void>;
  readonly onTrouble: (reason: string) => void;
  /** Returns one report in place of two; `null` when they concern different jobs. */
  readonly merge: (waiting: Progress, newer: Progress) => Progress | null;
}

/** Sends acknowledgements and progress one after the other, each only after the state it reports is stored. */
export class ReportQueue<Ack, Progress> {
  readonly #options: ReportQueueOptions<Progress>;
  readonly #reports: Reports<Ack, Progress>;
  readonly #sender = new SerialSender(() => this.#sendNext());
  #silentUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: ReportQueueOptions<Progress>) {
    this.#options = options;
    this.#reports = new Reports(options.merge);
  }

  ack(payload: Ack): void {
    this.#reports.ack(payload);
  }

  progress(payload: Progress): void {
    this.#reports.progress(payload);
  }

  silenceUntil(timeMs: number): void {
    this.#silentUntilMs = timeMs;
  }

  isSilentAt(nowMs: number): boolean {
    return nowMs < this.#silentUntilMs;
  }

  send(nowMs: number): void {
    if (!this.isSilentAt(nowMs)) this.#sender.sendAll();
  }

  async keep(): Promise<void> {
    const { keep, onTrouble } = this.#options;
    try {
      await keep();
    } catch (failure) {
      onTrouble(`its memory cannot be kept: ${failure instanceof Error ? failure.message : failure}`);
    }
  }

  #sendNext(): Promise<void> | undefined {
    const report = this.#reports.take();
    return report === undefined ? undefined : this.#send(report.subject, report.payload);
  }

  async #send(subject: 'ack' | 'progress', payload: Ack | Progress): Promise<void> {
    await this.keep();
    await this.#options.link.deliver(subject, payload);
  }
}

/** An acknowledgement of a command, or a report of its progress. */
export type Report<Ack, Progress> =
  | { readonly subject: 'ack'; readonly payload: Ack }
  | { readonly subject: 'progress'; readonly payload: Progress };

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
