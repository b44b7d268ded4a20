import { SECOND_MS } from '@granary/contract/time';
import { ControlPanel, type ControlPanelOptions } from './control-panel.ts';
import { Courier } from './courier.ts';
import { DeviceLink, type DeviceLinkOptions } from './device-link.ts';
import type { Silo } from './farm.ts';
import { createReadingFault, type FaultName } from './faults/fault.ts';
import { linkIsLost } from './faults/link-loss.ts';
import { linkIsLostBy } from './faults/operation-faults.ts';
import type { ReadingFault } from './faults/reading-fault.ts';
import { Outbox } from './outbox.ts';
import { measure } from './scale.ts';

/** The pace while an operation runs and until the scale has come to rest after it. */
const BUSY_INTERVAL_MS = SECOND_MS;

export interface SiloDeviceOptions extends Pick<ControlPanelOptions, 'memory' | 'keep' | 'onTrouble'> {
  readonly silo: Silo;
  readonly link: Omit<DeviceLinkOptions, 'onCommand'>;
  readonly intervalMs: number;
  readonly faults: ReadonlySet<FaultName>;
  readonly now: () => number;
}

/** A silo with a scale, a gate and a modem: measures at every interval, does as it is told, and sends what it can. */
export class SiloDevice {
  readonly silo: Silo;
  readonly link: DeviceLink;
  readonly #intervalMs: number;
  readonly #faults: Set<FaultName>;
  readonly #now: () => number;
  readonly #startedMs: number;
  readonly #panel: ControlPanel;
  readonly #outbox = new Outbox();
  readonly #courier = new Courier(() => this.#sendNext());
  #disturb: ReadingFault;
  #isLinkLost = false;
  #timer: NodeJS.Timeout | undefined;

  constructor({ silo, link, intervalMs, faults, now, ...panel }: SiloDeviceOptions) {
    this.silo = silo;
    this.link = new DeviceLink({ ...link, onCommand: (payload) => this.#obey(payload) });
    this.#intervalMs = intervalMs;
    this.#faults = new Set(faults);
    this.#disturb = createReadingFault(this.#faults);
    this.#now = now;
    this.#startedMs = now();
    this.#panel = new ControlPanel(
      { ...panel, silo, link: this.link, faults: this.#faults },
      this.#startedMs,
    );
  }

  start(): void {
    this.link.start();
    this.#tick();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.link.stop();
    await this.#panel.keep();
  }

  /** What really lay in it when it was last looked at, whatever its scale says. */
  get weightKg(): number {
    return this.#panel.body.weightKg;
  }

  /** Takes effect at the next tick. What a fault has held back when it ends is lost. */
  fault(name: FaultName, isOn: boolean): void {
    if (isOn) this.#faults.add(name);
    else this.#faults.delete(name);
    this.#disturb = createReadingFault(this.#faults);
  }

  #tick(): void {
    const nowMs = this.#now();
    this.#panel.advanceTo(nowMs);
    this.#outbox.add(this.#disturb(measure(this.silo, this.#panel.body)));
    this.#courier.go();
    this.#panel.report();
    this.#loseOrFindLink(nowMs);
    this.#tickAfter(this.#waitMs());
  }

  #obey(payload: string): void {
    this.#panel.advanceTo(this.#now());
    const before = this.#panel.running;
    this.#panel.obey(payload);
    this.#panel.report();
    if (this.#panel.running !== before) this.#tickAfter(this.#waitMs());
  }

  #tickAfter(waitMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tick(), waitMs);
  }

  /** An operation is looked at when it should end, so that its end is not noticed late. */
  #waitMs(): number {
    if (!this.#panel.isBusy()) return this.#intervalMs;
    const { running } = this.#panel;
    const endsInMs = running === null ? 0 : Math.ceil(running.flow.durationMs - running.flowMs);
    return Math.min(this.#intervalMs, BUSY_INTERVAL_MS, endsInMs > 0 ? endsInMs : BUSY_INTERVAL_MS);
  }

  #loseOrFindLink(nowMs: number): void {
    const isLost =
      (this.#faults.has('link-loss') && linkIsLost(nowMs - this.#startedMs)) ||
      (this.#faults.has('link-loss-while-running') && linkIsLostBy(this.#panel.running));
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
