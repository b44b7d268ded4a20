import { join } from 'node:path';
import type { DeclaredUnitsOf } from '@granary/contract/bridges';
import { SECOND_MS } from '@granary/contract/time';
import type { AttachedDevice, DeviceHealth, DriverParts, Sample } from '../drivers/driver.ts';
import { messageOf } from '../message-of.ts';
import { type Site, unitsFileOf } from '../site/site-file.ts';
import { type BridgeClock, bootId } from './clock.ts';
import { DeclaredUnits, type OtherUnit, otherUnitText } from './declared-units.ts';
import { Journal } from './journal.ts';
import { readingOf } from './message.ts';
import { Replay } from './replay.ts';
import { DeviceSession } from './session.ts';

/** The limit of the time for which readings wait, if the service accepts connections but does not tell its time. */
const HOLD_MS_MAX = 15 * SECOND_MS;

interface DeliveryParts {
  readonly clock: BridgeClock;
  readonly mqttUrl: () => string;
  /** Returns the secret of a device; `null` while it has none. */
  readonly secretOf: (deviceId: string) => string | null;
  /** Returns whether the service can be asked for its time. */
  readonly canAsk: () => boolean;
  /** Is called when a device is connected while the time of the service is not known. */
  readonly askForTime: () => void;
  readonly log: DriverParts['log'];
}

/** Brings the values of the attached devices to the service: a session for each device, and a journal for what has to wait. */
export class Delivery {
  readonly #parts: DeliveryParts;
  readonly #journal: Journal;
  readonly #replay: Replay;
  readonly #units: DeclaredUnits;
  /** The sensors of each device whose values are not sent, because their unit differs. */
  readonly #otherUnits = new Map<string, readonly OtherUnit[]>();
  readonly #sessions = new Map<string, DeviceSession>();
  readonly #lastSamples = new Map<string, Sample>();
  #devices: readonly AttachedDevice[] = [];
  /** The time since when the service accepts connections while its time is not known. */
  #heldSinceMs: number | null = null;
  #isReleased = false;

  private constructor(parts: DeliveryParts, site: Site, units: DeclaredUnits) {
    const { clock, log } = parts;
    this.#parts = parts;
    this.#units = units;
    this.#journal = new Journal({
      file: join(site.dataDir, 'journal.sqlite'),
      hoursMax: site.journalHoursMax,
      bytesMax: site.journalBytesMax,
      now: clock.now,
      aheadMs: clock.confirmedAheadMs,
      bootId: bootId(),
      log,
    });
    this.#replay = new Replay(
      this.#journal,
      () => this.#sessions,
      () => this.#mayDeliver(),
    );
  }

  static async start(parts: DeliveryParts, site: Site): Promise<Delivery> {
    const delivery = new Delivery(parts, site, await DeclaredUnits.read(unitsFileOf(site)));
    delivery.#journal.start();
    delivery.#replay.start();
    return delivery;
  }

  /** When this resolves, every reading is sent or in the journal. */
  async stop(): Promise<void> {
    this.#replay.stop();
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
    this.#journal.stop();
  }

  get journal(): Pick<Journal, 'status' | 'waitingOf' | 'totalOf' | 'keepTotal'> {
    return this.#journal;
  }

  get unaskedUnits(): string[] {
    return this.#units.unasked;
  }

  /** Returns the last sample of a device since it was attached. */
  lastSampleOf(deviceId: string): Sample | undefined {
    return this.#lastSamples.get(deviceId);
  }

  sessionOf(deviceId: string): Pick<DeviceSession, 'isConnected' | 'fault'> | undefined {
    return this.#sessions.get(deviceId);
  }

  /** Returns the sensors whose values are not sent; `undefined` if there are none. */
  otherUnitsOf(deviceId: string): readonly OtherUnit[] | undefined {
    return this.#otherUnits.get(deviceId);
  }

  /** Takes the devices of a site as it is now; their units are compared before their next samples. */
  compareDevices(devices: readonly AttachedDevice[]): void {
    this.#devices = devices;
    this.#units.ask(devices);
    this.#compareUnits(devices);
  }

  /** Ends the sessions of removed devices and prepares those of new ones. */
  async followDevices(): Promise<void> {
    const deviceIds = new Set(this.#devices.map(({ id }) => id));
    for (const [deviceId, session] of this.#sessions) {
      if (deviceIds.has(deviceId)) continue;
      this.#sessions.delete(deviceId);
      this.#lastSamples.delete(deviceId);
      await session.close();
    }
    for (const deviceId of deviceIds)
      if (!this.#sessions.has(deviceId)) this.#sessions.set(deviceId, this.#newSession(deviceId));
  }

  /** Connects devices again, with a new address or secret. */
  async reopen(isMeant: (deviceId: string) => boolean): Promise<void> {
    const sessions = [...this.#sessions].filter(([deviceId]) => isMeant(deviceId));
    await Promise.all(sessions.map(([, session]) => session.reopen()));
  }

  take(sample: Sample): void {
    this.#lastSamples.set(sample.deviceId, sample);
    const session = this.#sessions.get(sample.deviceId);
    const others = this.#otherUnits.get(sample.deviceId);
    const values =
      others === undefined
        ? sample.values
        : sample.values.filter(({ sensor }) => others.every((other) => other.sensor !== sensor));
    const reading = readingOf({ ...sample, values }, this.#parts.clock.unconfirmedAheadMs());
    session?.open();
    if (reading !== null) session?.deliver(reading);
  }

  /** Opens and closes sessions: a session is open while the field device answers, and until its waiting readings are delivered. */
  followHealth(devices: readonly DeviceHealth[]): void {
    this.release();
    for (const { deviceId, state } of devices) {
      const session = this.#sessions.get(deviceId);
      if (state === 'answering' || this.#journal.waitingOf(deviceId) > 0) session?.open();
      else void session?.close();
    }
  }

  /** Sends the readings that have waited for the time of the service. */
  release(): void {
    if (this.#isReleased || !this.#mayDeliver()) return;
    this.#isReleased = true;
    for (const session of this.#sessions.values()) session.sendNewest();
    this.#replay.wake();
    if (!this.#parts.clock.isConfirmed)
      this.#parts.log('warn', 'readings are sent with the time of this machine', {});
  }

  async learnUnits(asked: readonly string[], declared: Readonly<Record<string, DeclaredUnitsOf>>) {
    try {
      await this.#units.learn(asked, declared);
    } catch (error) {
      this.#parts.log('warn', 'the units of sensors cannot be kept on disk', { reason: messageOf(error) });
    }
    const devices = new Set(asked);
    this.#compareUnits(this.#devices.filter(({ id }) => devices.has(id)));
  }

  /** Finds values in another unit than that of their sensor. They would be wrong and look right, so they are not sent. */
  #compareUnits(devices: readonly AttachedDevice[]): void {
    for (const { id: deviceId, mapping } of devices) {
      const others = this.#units.otherUnitsOf(deviceId, mapping);
      const reason = otherUnitText(others);
      const before = otherUnitText(this.#otherUnits.get(deviceId) ?? []);
      if (others.length === 0) this.#otherUnits.delete(deviceId);
      else this.#otherUnits.set(deviceId, others);
      if (reason !== '' && reason !== before)
        this.#parts.log('error', 'values of a device are not sent: their unit is not the declared one', {
          deviceId,
          mapping: mapping.name,
          reason,
        });
    }
  }

  #newSession(deviceId: string): DeviceSession {
    const { clock, mqttUrl, secretOf, askForTime, log } = this.#parts;
    return new DeviceSession({
      deviceId,
      mqttUrl,
      secret: () => secretOf(deviceId),
      journal: this.#journal,
      log,
      onConnected: () => {
        this.#heldSinceMs ??= performance.now();
        if (!clock.isConfirmed) askForTime();
        this.#replay.wake();
      },
      mayDeliver: () => this.#mayDeliver(),
      aheadMs: clock.confirmedAheadMs,
    });
  }

  /** Returns whether readings may be sent. With the time of a wrong clock, the service would refuse them or show them at a wrong time. */
  #mayDeliver(): boolean {
    if (this.#parts.clock.isConfirmed || !this.#parts.canAsk()) return true;
    return this.#heldSinceMs !== null && performance.now() - this.#heldSinceMs > HOLD_MS_MAX;
  }
}
