import { DeviceLink, type DeviceLinkOptions, LinkStoppedError } from './device-link.ts';
import type { Silo } from './farm.ts';
import { createReadingFault, type FaultName } from './faults/fault.ts';
import { linkIsLost } from './faults/link-loss.ts';
import type { ReadingFault } from './faults/reading-fault.ts';
import { Outbox } from './outbox.ts';
import { measure } from './scale.ts';
import { restingBody, type SiloBody, stepBody } from './silo-body.ts';

export interface SiloDeviceOptions {
  readonly silo: Silo;
  readonly link: DeviceLinkOptions;
  readonly intervalMs: number;
  readonly faults: ReadonlySet<FaultName>;
  readonly now: () => number;
}

/** A silo with a scale and a modem: measures at every interval, and sends what it measured as soon as it can. */
export class SiloDevice {
  readonly silo: Silo;
  readonly link: DeviceLink;
  readonly #intervalMs: number;
  readonly #faults: ReadonlySet<FaultName>;
  readonly #disturb: ReadingFault;
  readonly #now: () => number;
  readonly #outbox = new Outbox();
  readonly #startedMs: number;
  #body: SiloBody;
  #timer: NodeJS.Timeout | undefined;
  #isSending = false;

  constructor({ silo, link, intervalMs, faults, now }: SiloDeviceOptions) {
    this.silo = silo;
    this.link = new DeviceLink(link);
    this.#intervalMs = intervalMs;
    this.#faults = faults;
    this.#disturb = createReadingFault(faults);
    this.#now = now;
    this.#startedMs = now();
    this.#body = restingBody(silo, this.#startedMs);
  }

  start(): void {
    this.link.start();
    this.#tick();
    this.#timer = setInterval(() => this.#tick(), this.#intervalMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.link.stop();
  }

  #tick(): void {
    const nowMs = this.#now();
    this.#body = stepBody(this.silo, this.#body, nowMs);
    this.#outbox.add(this.#disturb(measure(this.silo, this.#body)));
    if (this.#faults.has('link-loss')) this.#loseLinkAt(nowMs);
    if (!this.#isSending) void this.#send();
  }

  #loseLinkAt(nowMs: number): void {
    if (linkIsLost(nowMs - this.#startedMs)) this.link.cut();
    else this.link.restore();
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    try {
      for (let next = this.#outbox.take(); next !== undefined; next = this.#outbox.take()) {
        await this.link.deliver('telemetry', next);
      }
    } catch (failure) {
      if (!(failure instanceof LinkStoppedError)) throw failure;
    } finally {
      this.#isSending = false;
    }
  }
}
