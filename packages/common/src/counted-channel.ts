import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';

/** One end of a channel between two threads, with a shared count of the messages that were sent in one direction. */
export interface CountedChannel {
  readonly port: MessagePort;
  readonly sent: Int32Array;
}

export const newCount = (): Int32Array => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** Counts after sending, so that a receiver who sees the count can take the message. */
export function sendCounted({ port, sent }: CountedChannel, message: unknown): void {
  port.postMessage(message);
  Atomics.add(sent, 0, 1);
}

/**
 * Receives messages as events, and also at once on demand: comparing the counts costs nothing, while asking an empty port
 * costs a microsecond.
 */
export class CountedReceiver<Message> {
  readonly #channel: CountedChannel;
  readonly #received: (message: Message) => void;
  #count = 0;

  constructor(channel: CountedChannel, received: (message: Message) => void) {
    this.#channel = channel;
    this.#received = received;
  }

  start(): void {
    this.#channel.port.on('message', (message: Message) => this.#take(message));
  }

  /** Closes the channel, so that it does not keep the process alive. */
  stop(): void {
    this.#channel.port.close();
  }

  /** Takes all messages that were sent before this call. */
  takeArrived(): void {
    const { port, sent } = this.#channel;
    while (Atomics.load(sent, 0) !== this.#count) {
      const arrived = receiveMessageOnPort(port);
      // The message is being handled as an event at this moment.
      if (arrived === undefined) return;
      this.#take(arrived.message);
    }
  }

  #take(message: Message): void {
    this.#count = (this.#count + 1) | 0;
    this.#received(message);
  }
}
