import type { ServerResponse } from 'node:http';
import { type Frame, heartbeat } from '../../background/events/frame.ts';
import { StreamConnection } from './stream-connection.ts';

/** One reader of the event log and its position; a reader that is disconnected can reconnect and resume. */
export class EventStream extends StreamConnection {
  readonly #selects: (frame: Frame) => boolean;
  #position: number;

  constructor(response: ServerResponse, selects: (frame: Frame) => boolean, position: number) {
    super(response);
    this.#selects = selects;
    this.#position = position;
  }

  /** All events up to this position were sent or do not match. */
  get position(): number {
    return this.#position;
  }

  /** Frames arrive in the order of their numbers; those that were already sent are skipped. */
  offer(frames: readonly Frame[]): void {
    const newFrames = frames.filter((frame) => frame.sequence > this.#position && this.#selects(frame));
    this.skipTo(frames.at(-1)?.sequence ?? 0);
    this.say(...newFrames.map(({ bytes }) => bytes));
  }

  skipTo(sequence: number): void {
    this.#position = Math.max(this.#position, sequence);
  }

  beat(): void {
    this.say(heartbeat(this.#position));
  }
}
