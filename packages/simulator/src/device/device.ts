import { SECOND_MS } from '@granary/contract/time';
import type { FaultName } from '../faults/fault.ts';
import { linkIsLost } from '../faults/link-loss.ts';
import type { ReadingFault } from '../faults/reading-fault.ts';
import { linkIsLostBy } from '../faults/run-faults.ts';
import type { Reading } from '../physics/reading.ts';
import { DeviceLink, type DeviceLinkOptions } from './device-link.ts';
import { Outbox } from './outbox.ts';
import { SerialSender } from './serial-sender.ts';

/** The pace while something is carried out, and until everything has come to rest after it. */
const BUSY_INTERVAL_MS = SECOND_MS;

/** What is inside a device: its body, and whatever carries out its commands and reports on them. */
export interface DeviceModel<R extends Reading> {
  /** Without it nothing is measured, said or heard. */
  readonly hasPower: boolean;
  /** How long it has been carrying something out; `null` when it does not. */
  readonly runMs: number | null;
  /** Something is carried out, has yet to come to rest, or has yet to be said. */
  isBusy(): boolean;
  /** Until what it carries out should end; `null` when that cannot be told. */
  endsInMs(): number | null;
  advanceTo(nowMs: number): void;
  /** Answers whether something else is carried out than before. */
  obey(payload: string): boolean;
  configure?(payload: string): void;
  noticeLink?(isUp: boolean): void;
  measure(): R;
  /** Sends what is to be said, the newest on what it carries out included. */
  report(): void;
  keep(): Promise<void>;
}

export interface DeviceOptions<R extends Reading> {
  readonly link: Omit<DeviceLinkOptions, 'onCommand' | 'onConfiguration'>;
  readonly intervalMs: number;
  readonly faults: ReadonlySet<FaultName>;
  readonly createReadingFault: (names: ReadonlySet<FaultName>) => ReadingFault<R>;
  readonly now: () => number;
}

/** What the inside is given of the rest of the device. The set of faults changes with time. */
export interface Environment {
  readonly link: DeviceLink;
  readonly faults: ReadonlySet<FaultName>;
  readonly nowMs: number;
}

/** Sensors, a controller and a modem: measures at every interval, does as it is told, and sends what it can. */
export class Device<R extends Reading, I extends DeviceModel<R>> {
  readonly link: DeviceLink;
  protected readonly inside: I;
  readonly #options: DeviceOptions<R>;
  readonly #faults: Set<FaultName>;
  readonly #startedMs: number;
  readonly #outbox = new Outbox<R>();
  readonly #courier = new SerialSender(() => this.#sendNext());
  #disturb: ReadingFault<R>;
  #isLinkLost = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: DeviceOptions<R>, createInside: (surroundings: Environment) => I) {
    this.#options = options;
    this.#faults = new Set(options.faults);
    this.#disturb = options.createReadingFault(this.#faults);
    this.#startedMs = options.now();
    this.link = new DeviceLink({
      ...options.link,
      onCommand: (payload) => this.#obey(payload),
      onConfiguration: (payload) => this.inside.configure?.(payload),
      onChange: (change) => {
        this.inside.noticeLink?.(change.state === 'up');
        options.link.onChange(change);
      },
    });
    this.inside = createInside({ link: this.link, faults: this.#faults, nowMs: this.#startedMs });
  }

  start(): void {
    this.link.start();
    this.#tick();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.link.stop();
    await this.inside.keep();
  }

  /** Takes effect at the next tick. What a fault has held back when it ends is lost. */
  fault(name: FaultName, isOn: boolean): void {
    if (isOn) this.#faults.add(name);
    else this.#faults.delete(name);
    this.#disturb = this.#options.createReadingFault(this.#faults);
  }

  #tick(): void {
    const nowMs = this.#options.now();
    this.inside.advanceTo(nowMs);
    if (this.inside.hasPower) {
      this.#outbox.add(this.#disturb(this.inside.measure()));
      this.#courier.go();
      this.inside.report();
    }
    this.#loseOrFindLink(nowMs);
    this.#tickAfter(this.#waitMs());
  }

  #obey(payload: string): void {
    this.inside.advanceTo(this.#options.now());
    if (!this.inside.hasPower) return;
    const isChanged = this.inside.obey(payload);
    this.inside.report();
    if (isChanged) this.#tickAfter(this.#waitMs());
  }

  #tickAfter(waitMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tick(), waitMs);
  }

  /** What is carried out is looked at when it should end, so that its end is not noticed late. */
  #waitMs(): number {
    const { intervalMs } = this.#options;
    if (!this.inside.isBusy()) return intervalMs;
    const endsInMs = this.inside.endsInMs() ?? 0;
    return Math.min(intervalMs, BUSY_INTERVAL_MS, endsInMs > 0 ? endsInMs : BUSY_INTERVAL_MS);
  }

  #loseOrFindLink(nowMs: number): void {
    const isLost =
      !this.inside.hasPower ||
      (this.#faults.has('link-loss') && linkIsLost(nowMs - this.#startedMs)) ||
      (this.#faults.has('link-loss-while-running') && linkIsLostBy(this.inside.runMs));
    if (isLost === this.#isLinkLost) return;
    this.#isLinkLost = isLost;
    if (isLost) this.link.cut();
    else this.link.restore();
  }

  #sendNext(): Promise<void> | undefined {
    const next = this.#outbox.take();
    return next === undefined ? undefined : this.link.deliver('telemetry', next);
  }
}
