import { randomBytes } from 'node:crypto';
import { SECOND_MS } from '@granary/contract/time';
import type { BrokerConnection } from '../connection/broker-connection.ts';
import { BrokerRefusal } from '../connection/packets.ts';
import { FIRST_ERROR } from '../connection/publish-window.ts';

const CONTROL_TOPIC = '$CONTROL/dynamic-security/v1';
export const RESPONSE_TOPIC = `${CONTROL_TOPIC}/response`;

/** The limit is long because the plugin stores its file before it answers. */
const ANSWER_MS_MAX = 3 * SECOND_MS;

export interface Command {
  readonly command: string;
  readonly [field: string]: unknown;
}

export interface Answer {
  readonly command: string;
  /** The error; it is missing if the command was carried out. */
  readonly error?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The error that the broker did not carry out a command, or that it is not known whether it did. */
export class ControlError extends Error {}

/** Sends commands to the dynamic security plugin. Every node receives all answers, so each request has its own name. */
export class ControlRequests {
  readonly #waiting = new Map<string, (answers: readonly Answer[]) => void>();
  readonly #name = randomBytes(8).toString('hex');
  #last: Promise<unknown> = Promise.resolve();
  #pending = 0;
  #count = 0;

  /** The number of requests that wait or run. */
  get pending(): number {
    return this.#pending;
  }

  /**
   * Resolves with the answers in the order of the commands, with the error of each; rejects if the broker does not answer.
   * Requests are sent one after the other: the plugin stores its whole file with each change, so many at once would not be
   * answered in time.
   */
  async send(connection: BrokerConnection, commands: readonly Command[]): Promise<readonly Answer[]> {
    this.#pending += 1;
    const sent = this.#last.then(() => this.#sendNow(connection, commands));
    this.#last = sent.catch(() => undefined);
    try {
      return await sent;
    } finally {
      this.#pending -= 1;
    }
  }

  async #sendNow(connection: BrokerConnection, commands: readonly Command[]): Promise<readonly Answer[]> {
    const correlationData = `${this.#name}-${++this.#count}`;
    const { promise, resolve } = Promise.withResolvers<readonly Answer[] | null>();
    this.#waiting.set(correlationData, resolve);
    const timer = setTimeout(() => resolve(null), ANSWER_MS_MAX);
    try {
      const payload = JSON.stringify({ commands: commands.map((one) => ({ ...one, correlationData })) });
      const message = { topic: CONTROL_TOPIC, payload, isRetained: false, expiryS: null };
      const sent = await connection.publish(message, ANSWER_MS_MAX);
      if (sent === 'unsent') throw new ControlError('not connected to the broker');
      if (typeof sent === 'object' && sent.code >= FIRST_ERROR)
        throw new BrokerRefusal(`the broker does not let this user publish on ${CONTROL_TOPIC}`);
      const answers = await (connection.isOpen ? promise : null);
      if (!connection.isOpen) throw new ControlError('the connection to the broker has ended');
      if (answers === null) throw new ControlError(`nothing answers on ${RESPONSE_TOPIC}`);
      return answers;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(correlationData);
    }
  }

  received(payload: string): void {
    const answers = answersIn(payload);
    const [first] = answers;
    const correlation = first === undefined ? undefined : first.correlationData;
    if (typeof correlation === 'string') this.#waiting.get(correlation)?.(answers);
  }
}

function answersIn(payload: string): readonly (Answer & { readonly correlationData?: unknown })[] {
  try {
    const { responses }: { responses?: unknown } = JSON.parse(payload);
    const isAnswer = (response: unknown): boolean => typeof response === 'object' && response !== null;
    return Array.isArray(responses) && responses.every(isAnswer) ? responses : [];
  } catch {
    return [];
  }
}
