import type { DeviceLink } from '../link/device-link.ts';
import { Reports } from './reports.ts';
import { SerialSender } from './serial-sender.ts';

export interface ReportQueueOptions<Progress> {
  readonly link: DeviceLink;
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
