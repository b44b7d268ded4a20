import { READINGS_PER_MESSAGE_MAX } from '@granary/contract/telemetry/telemetry';
import { SECOND_MS } from '@granary/contract/time';
import {
  type ActiveFaults,
  type CommonFault,
  type JobFault,
  linkIsLost,
  linkIsLostBy,
  type ReadingFault,
} from '../faults.ts';
import type { Reading } from '../physics/numbers.ts';
import { ServiceConnection, type ServiceConnectionOptions } from '../service-connection.ts';
import { SerialSender } from './report-queue.ts';

/** Readings that a device keeps while it cannot send, about a day at the usual interval; beyond that the oldest are dropped. */
const OUTBOX_LENGTH_MAX = 10_000;

/** The largest number of readings that are sent one by one; a longer queue follows an outage and is sent in arrays. */
const SINGLES_MAX = 10;

/** The tick interval while the device carries something out, and until it stands still afterwards. */
const BUSY_INTERVAL_MS = SECOND_MS;

/** The model of a device: its physical state, and the part that carries out commands and reports on them. */
export interface DeviceModel<R extends Reading> {
  /** Without power the device neither measures nor sends nor receives. */
  readonly hasPower: boolean;
  /** The time for which the device has been carrying something out; `null` when it is idle. */
  readonly runMs: number | null;
  /** The device carries something out, is not yet at rest, or has reports to send. */
  isBusy(): boolean;
  /** The expected time until the present work ends; `null` when it is not known. */
  endsInMs(): number | null;
  advanceTo(nowMs: number): void;
  /** Returns whether the device now carries out something else. */
  obey(payload: string): boolean;
  configure?(payload: string): void;
  linkChanged?(isUp: boolean): void;
  measure(): R;
  /** Sends the pending reports, including one about the present work. */
  report(): void;
  keep(): Promise<void>;
}

type DeviceFault = CommonFault | JobFault;

export interface DeviceOptions<Fault extends string> {
  readonly link: Omit<ServiceConnectionOptions, 'onCommand' | 'onConfiguration'>;
  readonly intervalMs: number;
  readonly faults: ReadonlySet<Fault>;
  readonly now: () => number;
}

/** The parts in which the devices of one profile differ from others. */
export interface DeviceParts<R extends Reading, Model, Fault extends string> {
  readonly createReadingFault: (faults: ActiveFaults<Fault | DeviceFault>) => ReadingFault<R>;
  readonly createModel: (environment: Environment<Fault>) => Model;
}

/** The parts of the device that its model uses; the set of faults changes over time. */
interface Environment<Fault extends string> {
  readonly link: ServiceConnection;
  readonly faults: ActiveFaults<Fault | DeviceFault>;
  readonly nowMs: number;
}

/** A simulated device: measures at every interval, carries out commands, and sends readings and reports. */
export class Device<R extends Reading, Model extends DeviceModel<R>, Fault extends string> {
  readonly link: ServiceConnection;
  readonly model: Model;
  readonly #options: DeviceOptions<Fault>;
  readonly #createReadingFault: DeviceParts<R, Model, Fault>['createReadingFault'];
  readonly #faults: Set<Fault | DeviceFault>;
  readonly #startedMs: number;
  readonly #outbox = new Outbox<R>();
  readonly #sender = new SerialSender(() => this.#sendNext());
  #applyFaults: ReadingFault<R>;
  #isLinkLost = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: DeviceOptions<Fault>, parts: DeviceParts<R, Model, Fault>) {
    this.#options = options;
    this.#createReadingFault = parts.createReadingFault;
    this.#faults = new Set(options.faults);
    this.#applyFaults = parts.createReadingFault(this.#faults);
    this.#startedMs = options.now();
    this.link = new ServiceConnection({
      ...options.link,
      onCommand: (payload) => this.#obey(payload),
      onConfiguration: (payload) => this.model.configure?.(payload),
      onChange: (change) => {
        this.model.linkChanged?.(change.state === 'up');
        options.link.onChange(change);
      },
    });
    this.model = parts.createModel({ link: this.link, faults: this.#faults, nowMs: this.#startedMs });
  }

  start(): void {
    this.link.start();
    this.#tick();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.link.stop();
    await this.model.keep();
  }

  /** Switches a fault on or off at the next tick; readings that a fault still holds back when it ends are lost. */
  fault(name: Fault | DeviceFault, isOn: boolean): void {
    if (isOn) this.#faults.add(name);
    else this.#faults.delete(name);
    this.#applyFaults = this.#createReadingFault(this.#faults);
  }

  #tick(): void {
    const nowMs = this.#options.now();
    this.model.advanceTo(nowMs);
    if (this.model.hasPower) {
      this.#outbox.add(this.#applyFaults(this.model.measure()));
      this.#sender.sendAll();
      this.model.report();
    }
    this.#cutOrRestoreLink(nowMs);
    this.#tickAfter(this.#waitMs());
  }

  #obey(payload: string): void {
    this.model.advanceTo(this.#options.now());
    if (!this.model.hasPower) return;
    const isChanged = this.model.obey(payload);
    this.model.report();
    if (isChanged) this.#tickAfter(this.#waitMs());
  }

  #tickAfter(waitMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tick(), waitMs);
  }

  /** Returns the time until the next tick. A tick is at the expected end of the present work, so that the end is reported in time. */
  #waitMs(): number {
    const { intervalMs } = this.#options;
    if (!this.model.isBusy()) return intervalMs;
    const endsInMs = this.model.endsInMs() ?? 0;
    return Math.min(intervalMs, BUSY_INTERVAL_MS, endsInMs > 0 ? endsInMs : BUSY_INTERVAL_MS);
  }

  #cutOrRestoreLink(nowMs: number): void {
    const isLost =
      !this.model.hasPower ||
      (this.#faults.has('link-loss') && linkIsLost(nowMs - this.#startedMs)) ||
      (this.#faults.has('link-loss-while-running') && linkIsLostBy(this.model.runMs));
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

/** The readings that are not sent yet. */
export class Outbox<R extends Reading> {
  readonly #readings: R[] = [];

  add(readings: readonly R[]): void {
    this.#readings.push(...readings);
    this.#readings.splice(0, Math.max(0, this.#readings.length - OUTBOX_LENGTH_MAX));
  }

  /** Removes and returns the next message; `undefined` when the queue is empty. */
  take(): R | readonly R[] | undefined {
    return this.#readings.length > SINGLES_MAX
      ? this.#readings.splice(0, READINGS_PER_MESSAGE_MAX)
      : this.#readings.shift();
  }
}
