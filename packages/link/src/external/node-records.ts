import { setTimeout } from 'node:timers/promises';
import type { BrokerConnection } from './connection/broker-connection.ts';
import type { Dialer } from './connection/dialer.ts';
import { MessageReader, type Take } from './connection/message-reader.ts';
import { FIRST_ERROR, type Publication } from './connection/publish-window.ts';
import type { ExternalLimits } from './limits.ts';
import { nodeTopic, SHARED_FILTERS } from './topics.ts';

const CHECK_MS = 250;

/** Whether a node takes messages, has left, or another node is taking what it left. */
type NodeState = 'here' | 'gone' | 'taken';

interface NodeRecord {
  readonly state: NodeState;
  readonly seenMs: number;
  /** When this node may take over the session. */
  readonly takeAtMs: number;
}

interface TakenSession {
  readonly connection: BrokerConnection;
  readonly reader: MessageReader;
}

interface RecordParts {
  readonly ownId: string;
  readonly dialer: Dialer;
  readonly limits: ExternalLimits;
  readonly take: Take;
  /** False while messages of this node wait for the storage. */
  readonly mayTake: () => boolean;
  /** The connection with the own session and its subscription, while it is ready. */
  readonly own: () => BrokerConnection | null;
  /** `null`: everything that the node left is stored. */
  readonly takenOver: (clientId: string, error: Error | null) => void;
}

const stateText = (state: NodeState): string => JSON.stringify({ state });

export const goneWill = (clientId: string) => ({ topic: nodeTopic(clientId), payload: stateText('gone') });

/**
 * A broker gives each message of the shared subscription to the session of one node, and Mosquitto gives it to no other
 * one even when that session ends. So the session of a node that leaves is kept, its last will tells the other nodes, and one
 * of them connects with its client id, takes what is left there and ends the session.
 */
export class NodeRecords {
  readonly #parts: RecordParts;
  readonly #nodes = new Map<string, NodeRecord>();
  readonly #taking = new Map<string, TakenSession | null>();
  #timer: NodeJS.Timeout | undefined;
  #statedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: RecordParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => this.#check(), CHECK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.leaveTaken();
  }

  /** Leaves sessions that were taken over to other nodes. */
  leaveTaken(): void {
    for (const session of this.#taking.values()) {
      session?.reader.stop();
      session?.connection.leave();
    }
  }

  /** Called before the records are read again, because silence counts only while they can be read. */
  reset(): void {
    this.#nodes.clear();
  }

  /** An empty record was removed. */
  received(clientId: string, payload: string): void {
    const state = stateOf(payload);
    if (clientId === this.#parts.ownId) {
      // The last will of an older connection may come after the statement of this one.
      if (state !== 'here') this.#statedMs = Number.NEGATIVE_INFINITY;
    } else if (state === null) this.#nodes.delete(clientId);
    else this.#nodes.set(clientId, this.#record(state));
  }

  /** States on the connection of the own session that this node takes messages; rejects if the broker does not allow it. */
  async stateOwn(connection: BrokerConnection): Promise<void> {
    const { ownId } = this.#parts;
    this.#statedMs = performance.now();
    const answer = await this.#state(connection, ownId, 'here');
    if (typeof answer === 'object' && answer.code >= FIRST_ERROR)
      throw new Error(`the broker does not let this user publish on ${nodeTopic(ownId)}`);
  }

  /** Repeats what this node states about the sessions that it has; `own` is `null` while it has not its own. */
  keepStating(own: BrokerConnection | null): void {
    if (performance.now() - this.#statedMs < this.#parts.limits.statementMs) return;
    this.#statedMs = performance.now();
    if (own !== null) void this.#state(own, this.#parts.ownId, 'here');
    for (const [clientId, session] of this.#taking) {
      if (session !== null) void this.#state(session.connection, clientId, 'taken');
    }
  }

  #record(state: NodeState): NodeRecord {
    const seenMs = performance.now();
    // Not all nodes try at the same time.
    return { state, seenMs, takeAtMs: seenMs + this.#parts.limits.takeoverMs * (1 + Math.random()) };
  }

  #check(): void {
    const { limits, mayTake, own } = this.#parts;
    const nowMs = performance.now();
    const isAble = mayTake() && own() !== null;
    for (const [clientId, { state, seenMs, takeAtMs }] of this.#nodes) {
      if (this.#taking.has(clientId)) continue;
      const isAbsent = state !== 'gone' && nowMs - seenMs > limits.absentMs;
      // What kept this node away may have kept away the others as well, who then return at the same time.
      const isToWait = state === 'gone' && !isAble;
      if (isAbsent || isToWait) this.#nodes.set(clientId, this.#record('gone'));
      else if (state === 'gone' && nowMs >= takeAtMs) void this.#takeOver(clientId);
    }
  }

  async #takeOver(clientId: string): Promise<void> {
    const { takenOver } = this.#parts;
    this.#taking.set(clientId, null);
    try {
      await this.#takeWhatIsLeft(clientId);
      this.#nodes.delete(clientId);
      takenOver(clientId, null);
    } catch (error) {
      // The node may have returned; otherwise this or another node tries again.
      const record = this.#nodes.get(clientId);
      if (record !== undefined) this.#nodes.set(clientId, this.#record(record.state));
      takenOver(clientId, error instanceof Error ? error : new Error(String(error)));
    } finally {
      this.#taking.delete(clientId);
    }
  }

  /** If the node returns meanwhile, the broker closes this connection, and the node has its session again. */
  async #takeWhatIsLeft(clientId: string): Promise<void> {
    const { dialer, take } = this.#parts;
    const reader = new MessageReader(take);
    const login = { clientId, session: 'kept', will: goneWill(clientId) } as const;
    const connection = await dialer.open(login, { message: reader.message, closed: () => undefined });
    reader.attach(connection);
    this.#taking.set(clientId, { connection, reader });
    if (connection.isSessionPresent) {
      await this.#confirmOwn({ connection, reader });
      await this.#state(connection, clientId, 'taken');
      await connection.unsubscribe(SHARED_FILTERS);
      await this.#drained(clientId, { connection, reader });
    }
    await this.#publish(connection, clientId, '');
    connection.disconnect();
  }

  /**
   * Several nodes may take one another's session at the same time. Each has an answer on its own connection before it ends the
   * subscription of another one: whoever was taken before gets none. So they never end all subscriptions in a circle, after which
   * the broker would acknowledge and drop what devices send.
   */
  async #confirmOwn({ connection, reader }: TakenSession): Promise<void> {
    const { own, ownId } = this.#parts;
    const ownConnection = own();
    const answer = ownConnection === null ? 'unsent' : await this.#state(ownConnection, ownId, 'here');
    if (typeof answer === 'object' && answer.code < FIRST_ERROR) return;
    reader.stop();
    connection.leave();
    throw new Error('this node has lost its own session');
  }

  /** Rejects when the connection ends first; what is not stored then stays in the session. */
  async #drained(clientId: string, { connection, reader }: TakenSession): Promise<void> {
    const { drainedMs } = this.#parts.limits;
    for (;;) {
      await setTimeout(CHECK_MS, undefined, { ref: false });
      if (!connection.isOpen) throw new Error('the connection with the session of the other node has ended');
      if (reader.idleMs(performance.now()) < drainedMs) continue;
      // The broker has read all acknowledgements before it answers this, so what follows them would have come before.
      const answer = await this.#state(connection, clientId, 'taken');
      if (typeof answer === 'object' && reader.idleMs(performance.now()) >= drainedMs) return;
    }
  }

  #state(connection: BrokerConnection, clientId: string, state: NodeState): Promise<Publication> {
    return this.#publish(connection, clientId, stateText(state));
  }

  #publish(connection: BrokerConnection, clientId: string, payload: string): Promise<Publication> {
    const record = { topic: nodeTopic(clientId), payload, isRetained: true, expiryS: null };
    return connection.publish(record, this.#parts.limits.acknowledgementMs);
  }
}

function stateOf(payload: string): NodeState | null {
  if (payload === stateText('here')) return 'here';
  if (payload === stateText('taken')) return 'taken';
  return payload === '' ? null : 'gone';
}
