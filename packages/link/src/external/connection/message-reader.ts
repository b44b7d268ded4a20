import type { IPublishPacket } from 'mqtt-packet';
import { PUBACK_HEADER } from '../../mqtt/packet-encoder.ts';
import { AcknowledgementQueue } from '../../session/acknowledgements.ts';
import { RECEIVE_MAX } from '../limits.ts';
import type { BrokerConnection } from './broker-connection.ts';

/** Resolves when the message may be acknowledged; rejects when it must be delivered again. */
export type Take = (packet: IPublishPacket) => Promise<void>;

/** Reads the messages of one connection and acknowledges them in their order, each when it is stored. */
export class MessageReader {
  readonly #take: Take;
  readonly #acknowledgements = new AcknowledgementQueue();
  #connection: BrokerConnection | null = null;
  #inFlight = 0;
  #isFlushPlanned = false;
  #isStopped = false;

  constructor(take: Take) {
    this.#take = take;
  }

  /** Sets the connection. Messages of a kept session may arrive before this call. */
  attach(connection: BrokerConnection): void {
    this.#connection = connection;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Stops taking messages; the broker delivers further ones again. */
  stop(): void {
    this.#isStopped = true;
    this.#connection?.pause();
  }

  readonly message = (packet: IPublishPacket): void => {
    if (this.#isStopped) return;
    this.#inFlight += 1;
    // MQTT 3.1.1 has no limit for the receiver, so the connection is paused instead.
    if (this.#inFlight >= RECEIVE_MAX) this.#connection?.pause();
    const message =
      packet.qos === 0 ? null : this.#acknowledgements.add(PUBACK_HEADER, packet.messageId ?? 0);
    this.#take(packet).then(
      () => {
        this.#stored();
        if (message === null) return;
        this.#acknowledgements.ready(message);
        this.#planFlush();
      },
      (error: unknown) => {
        this.#stored();
        this.#connection?.fail(error instanceof Error ? error : new Error(String(error)));
      },
    );
  };

  /** Writes the acknowledgements that are ready. */
  readonly flush = (): void => {
    this.#isFlushPlanned = false;
    const bytes = this.#acknowledgements.takeReady();
    if (bytes !== null) this.#connection?.acknowledge(bytes);
  };

  #stored(): void {
    this.#inFlight -= 1;
    if (this.#inFlight === RECEIVE_MAX - 1 && !this.#isStopped) this.#connection?.resume();
  }

  /** Collects all acknowledgements of one commit into one write. */
  #planFlush(): void {
    if (this.#isFlushPlanned) return;
    this.#isFlushPlanned = true;
    setImmediate(this.flush);
  }
}
