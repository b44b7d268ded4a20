import { topicOf } from '@granary/contract/link/messages';
import { SECOND_MS } from '@granary/contract/time';
import type { CommandOptions, Delivery, LinkConfiguration } from '../port.ts';
import type { LinkRecords } from '../session/link-records.ts';
import type { ConnectedDevices } from './connected-devices.ts';
import type { BrokerConnection } from './connection/broker-connection.ts';
import { FIRST_ERROR, type Publication } from './connection/publish-window.ts';
import { type ExternalLimits, WAITING_MAX } from './limits.ts';

/** The code with which the broker accepts a message to which nobody is subscribed. */
const NO_SUBSCRIBERS = 16;

interface OutgoingParts {
  readonly limits: ExternalLimits;
  readonly connected: ConnectedDevices;
  readonly records: LinkRecords;
  /** `null` while there is no connection to the broker. */
  readonly connection: () => BrokerConnection | null;
  readonly now: () => number;
  /** Makes the service send the stored configuration again, which shows whether the published one is still the newest. */
  readonly verifyConfiguration: (deviceId: string) => void;
}

interface HeldCommand {
  readonly deviceId: string;
  readonly command: object;
  readonly options: CommandOptions;
  /** The end by `performance.now()`, so that an old command is not sent when the clock is set back. */
  readonly untilMs: number;
}

/** Sends messages to devices through the broker. */
export class Outgoing {
  readonly #parts: OutgoingParts;
  readonly #unacknowledged = new Set<string>();
  /**
   * The commands that are repeated until the device answers, such as stops, and that the broker has not passed on, oldest first.
   * They are sent as soon as the broker or the device is connected again: a stop must not wait for its next repetition.
   */
  readonly #held = new Map<string, HeldCommand>();
  /** The configurations that the broker has acknowledged and that are being compared with the stored ones. */
  readonly #verifying = new Map<string, number>();
  /** The devices whose configuration the broker has not accepted. */
  readonly #missing = new Set<string>();

  constructor(parts: OutgoingParts) {
    this.#parts = parts;
  }

  async sendCommand(deviceId: string, command: object, options: CommandOptions): Promise<Delivery> {
    const { records, limits } = this.#parts;
    const untilMs = performance.now() + limits.repeatedExpiryS * SECOND_MS;
    const delivery = await this.#sendCommand({ deviceId, command, options, untilMs });
    records.countUnsent(deviceId, delivery);
    if (delivery !== 'sent') return delivery;
    records.of(deviceId).messagesOut += 1;
    records.totals.messagesOut += 1;
    return delivery;
  }

  /** Publishes a configuration, retained, so that the device gets it whenever it subscribes. */
  sendConfiguration(deviceId: string, configuration: LinkConfiguration): void {
    const verified = this.#verifying.get(deviceId);
    this.#verifying.delete(deviceId);
    if (verified === configuration.version) return;
    this.#missing.add(deviceId);
    void this.#publishConfiguration(deviceId, configuration);
  }

  /** Called when the broker is connected again. */
  sendMissing(): void {
    for (const held of [...this.#held.values()]) void this.#sendCommand(held);
    for (const deviceId of this.#missing) this.#parts.verifyConfiguration(deviceId);
  }

  /** Called when the device is connected again. */
  deviceConnected(deviceId: string): void {
    for (const held of [...this.#held.values()]) if (held.deviceId === deviceId) void this.#sendCommand(held);
  }

  /**
   * Publishes a configuration. Another node may have published a newer version before, so the stored one is read again and sent
   * if it differs.
   */
  async #publishConfiguration(deviceId: string, configuration: LinkConfiguration): Promise<void> {
    const { limits, connection, verifyConfiguration } = this.#parts;
    const payload = JSON.stringify(configuration);
    const message = { topic: topicOf(deviceId, 'config'), payload, isRetained: true, expiryS: null };
    const publication = await connection()?.publish(message, limits.acknowledgementMs);
    if (publication === undefined || !isTaken(publication)) return;
    this.#missing.delete(deviceId);
    this.#verifying.set(deviceId, configuration.version);
    verifyConfiguration(deviceId);
  }

  async #sendCommand(sent: HeldCommand): Promise<Delivery> {
    const { limits, connected, now, connection } = this.#parts;
    const { deviceId, command, options, untilMs } = sent;
    const { expiresAtMs, repeatKey } = options;
    const leftMs = expiresAtMs === null ? untilMs - performance.now() : expiresAtMs - now();
    const key = repeatKey === null ? null : `${deviceId} ${repeatKey}`;
    if (key !== null && expiresAtMs === null) this.#hold(key, sent);
    if (leftMs <= 0) return 'expired';
    const broker = connection();
    if (broker === null || !this.#maySend(deviceId, options, broker)) return 'not_connected';
    if (key !== null && this.#unacknowledged.has(key)) return 'in_flight';
    if (key !== null) this.#unacknowledged.add(key);
    const topic = topicOf(deviceId, 'command');
    const expiryS = Math.max(1, Math.floor(leftMs / SECOND_MS));
    const message = { topic, payload: JSON.stringify(command), isRetained: false, expiryS };
    const newest = connected.newest(deviceId);
    const publication = await broker.publish(message, limits.acknowledgementMs);
    if (key !== null) this.#unacknowledged.delete(key);
    if (typeof publication === 'object' && publication.code === NO_SUBSCRIBERS) {
      // The device may have subscribed, and reported it, since the broker answered.
      if (connected.newest(deviceId) === newest) connected.notSubscribed(deviceId);
      else if (key !== null) return this.#sendCommand(sent);
      return 'not_subscribed';
    }
    if (key !== null && isTaken(publication)) this.#held.delete(key);
    // A message without an answer may have arrived, so the sender must not believe that nothing moves.
    return publication === 'unanswered' || isTaken(publication) ? 'sent' : 'not_connected';
  }

  #hold(key: string, command: HeldCommand): void {
    this.#held.delete(key);
    this.#held.set(key, command);
    const nowMs = performance.now();
    for (const [oldKey, { untilMs }] of this.#held) {
      if (untilMs > nowMs && this.#held.size <= WAITING_MAX) return;
      this.#held.delete(oldKey);
    }
  }

  /**
   * A command that can start a movement is sent only to a connected device. A command that is repeated until the device
   * answers, such as a stop, is sent in any case if the broker supports expiry, because the broker knows best which devices are
   * connected.
   */
  #maySend(deviceId: string, { expiresAtMs, repeatKey }: CommandOptions, broker: BrokerConnection): boolean {
    if (this.#parts.connected.isReachable(deviceId)) return true;
    return expiresAtMs === null && repeatKey !== null && broker.login.version === 5;
  }
}

const isTaken = (publication: Publication): boolean =>
  typeof publication === 'object' && publication.code < FIRST_ERROR;
