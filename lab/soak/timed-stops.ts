import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Caller, Wanted } from './caller.ts';
import type { ReceivedCommand } from './fleet-process.ts';
import type { TimedStop } from './verdict.ts';

const ARRIVED_MS_MAX = 30_000;
const NEXT_NODE_AFTER_MS = 50;

interface Waiting {
  /** The id of the stopped job; `null` until the request is answered: until then any stop that did not arrive before may be the one. */
  jobId: string | null;
  /** The stops that the device has received since the request, each with its first arrival. */
  readonly received: Map<string, ReceivedCommand>;
  readonly arrived: (received: ReceivedCommand) => void;
}

/**
 * Sends stops and measures the time from the request to the device. A stop that a node refuses is repeated through the next
 * node, as a person would do it.
 */
export class TimedStops {
  readonly stops: TimedStop[] = [];
  readonly #caller: Pick<Caller, 'next'>;
  readonly #waiting = new Map<string, Waiting>();
  /** The ids that arrived before; a stop may be repeated even after the next stop was requested. */
  readonly #known = new Set<string>();

  constructor(caller: Pick<Caller, 'next'>) {
    this.#caller = caller;
  }

  received(received: ReceivedCommand): void {
    const { deviceId, command, jobId } = received;
    if (command !== 'stop' && command !== 'emergency_stop') return;
    const waiting = this.#waiting.get(deviceId);
    const isIt = waiting?.jobId === null ? !this.#known.has(jobId) : waiting?.jobId === jobId;
    this.#known.add(jobId);
    if (waiting?.received.has(jobId) === false) waiting.received.set(jobId, received);
    if (isIt) waiting?.arrived(received);
  }

  /** Resolves with the answer when the stop is at the device, or with `null` if it has not arrived. */
  async stop(deviceId: string, jobId: string | null, wanted: Wanted): Promise<Answer | null> {
    const beganMs = Date.now();
    const arrival = Promise.withResolvers<ReceivedCommand>();
    const waiting: Waiting = { jobId, received: new Map(), arrived: arrival.resolve };
    this.#waiting.set(deviceId, waiting);
    const tooLate = sleep(ARRIVED_MS_MAX, null, { ref: false });
    const answering = this.#untilAnswered(wanted).then((answer) => {
      // A second request for an emergency stop before the device has confirmed the first one sends the first one again.
      waiting.jobId ??= answer.data?.command_id ?? null;
      const received = waiting.received.get(waiting.jobId ?? '');
      if (received !== undefined) waiting.arrived(received);
      return answer;
    });
    const received = await Promise.race([arrival.promise, tooLate]);
    const answer = await Promise.race([answering, tooLate]);
    this.#waiting.delete(deviceId);
    const detail = `node ${answer?.node.number ?? '?'} ${wanted.path}`;
    if (received === null) {
      this.stops.push({ beganMs, atDeviceMs: null, detail });
      return null;
    }
    const { atMs, reachableSinceMs } = received;
    const unreachableMs = Math.max(reachableSinceMs - beganMs, 0);
    const without =
      unreachableMs === 0 ? '' : `, of which the device had no connection for ${unreachableMs} ms`;
    this.stops.push({ beganMs, atDeviceMs: atMs - beganMs, detail: detail + without });
    return answer;
  }

  async #untilAnswered(wanted: Wanted): Promise<Answer> {
    for (;;) {
      const answer = await this.#caller.next({ method: 'POST', ...wanted });
      if (answer.outcome === 'ok' || answer.isFinal) return answer;
      await sleep(NEXT_NODE_AFTER_MS);
    }
  }
}
