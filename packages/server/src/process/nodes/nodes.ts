import { setTimeout as sleep } from 'node:timers/promises';
import { LIVE_MS, type NewNode, type NodeTable } from '@granary/app/nodes';
import { monotonicMs } from '@granary/common/monotonic-ms';
import { patiently } from '@granary/common/patience';
import { conflictingNodes, isCollector, isLast, type NodeRecord, provenAlive } from '@granary/core/nodes';
import type { CollectorTurn } from '@granary/link/external/turn';
import { isStorageFault } from '@granary/store/errors';
import type { Logger } from '../logging/logger.ts';
import { StartError } from '../start-error.ts';
import type { ServiceClock } from './service-clock.ts';

const BEAT_MS = 1_000;
const JOIN_AGAIN_MS = 250;
/** More samples are taken at the start, so that the first times are exact. */
const FIRST_SAMPLES = 3;
const SAID_AGAIN_MS = 30_000;
const CLOCK_OFF_MS_MAX = 2_000;

const CURE =
  'several nodes need one broker for all devices: set GRANARY_BROKER_URL to it on every node, or stop the other node';
const CLOCK_OFF =
  'the clock of this machine differs from that of the database, which is used; set the clock of the machine';

interface NodesParts {
  /** `null` where no other process can use the database. */
  readonly table: NodeTable | null;
  readonly node: NewNode;
  readonly clock: ServiceClock;
  readonly logger: Logger;
}

/**
 * Keeps this node in the table of nodes, knows the other nodes, and measures the clock of the database. It also decides whether this
 * node takes the messages of devices from the external broker.
 */
export class Nodes implements CollectorTurn {
  /** The number of live nodes, including this one; the last known number while the database does not answer. */
  liveCount = 1;
  /** Why this node should not run beside another one; `null` if it may. */
  conflict: string | null = null;
  readonly #parts: NodesParts;
  #others: readonly NodeRecord[] = [];
  #reachesBroker = false;
  #isCollector = false;
  /** The time at which the database was asked whether this node is the collector. */
  #decidedAtMs = Number.NEGATIVE_INFINITY;
  #toDecideSinceMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();
  #nextBeat: Promise<void> | null = null;
  #isStopped = false;
  #conflictSaidAtMs = Number.NEGATIVE_INFINITY;
  #isClockOff = false;

  constructor(parts: NodesParts) {
    this.#parts = parts;
  }

  /** The hashes of the admin keys that settings of other live nodes have preset. */
  get presetsOfOthers(): string[] {
    return this.#others.flatMap(({ presetHash }) => presetHash ?? []);
  }

  /** The id differs from that of every other node and of every earlier start of this one. */
  get nodeId(): string {
    return this.#parts.node.nodeId;
  }

  /** Whether it is the turn of this node. A node that has not reached the database for so long that it counts as ended does not know. */
  get isOwn(): boolean {
    if (this.#parts.table === null) return true;
    return this.#isCollector && monotonicMs() - this.#decidedAtMs < LIVE_MS;
  }

  async ask(reachesBroker: boolean): Promise<void> {
    const { table } = this.#parts;
    this.#reachesBroker = reachesBroker;
    this.#isCollector = false;
    this.#toDecideSinceMs = monotonicMs();
    if (table !== null && !this.#isStopped) await this.#beatNext(table);
  }

  /** Waits until a node that has crashed counts as ended; refuses to start beside a node that is proven to live. */
  async join(): Promise<void> {
    const { table, node, clock } = this.#parts;
    if (table === null) return;
    for (let sample = 0; sample < FIRST_SAMPLES; sample++) {
      clock.take(await patiently(isStorageFault, () => table.askTime(monotonicMs)));
    }
    const conflicting = (others: readonly NodeRecord[]) => conflictingNodes(node.broker, others);
    let before: readonly NodeRecord[] = [];
    for (;;) {
      const conflicts = await patiently(isStorageFault, () => table.join(node, conflicting));
      if (conflicts.length === 0) break;
      const [alive] = provenAlive(before, conflicts);
      if (alive !== undefined) throw new StartError(`the storage: ${this.#describe(alive)}; ${CURE}`);
      before = conflicts;
      await sleep(JOIN_AGAIN_MS);
    }
    await patiently(isStorageFault, () => this.#beat(table));
  }

  start(): void {
    const { table } = this.#parts;
    if (table !== null) this.#plan(table);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    // The call waits for a beat that is under way, but not for long. A node that cannot leave counts as ended soon after.
    await this.#parts.table?.leave(this.#parts.node.nodeId).catch(() => undefined);
  }

  #plan(table: NodeTable): void {
    this.#timer = setTimeout(() => {
      void this.#beatNext(table).then(() => {
        if (!this.#isStopped) this.#plan(table);
      });
    }, BEAT_MS);
  }

  /** Runs a beat that begins after the present one; resolves in any case. */
  #beatNext(table: NodeTable): Promise<void> {
    this.#nextBeat ??= this.#beating
      .then(() => {
        this.#nextBeat = null;
        return this.#beat(table);
      })
      // Other parts report that the database does not answer.
      .catch(() => undefined);
    this.#beating = this.#nextBeat;
    return this.#nextBeat;
  }

  async #beat(table: NodeTable): Promise<void> {
    const { node, clock } = this.#parts;
    clock.take(await table.askTime(monotonicMs));
    this.#judgeClock();
    if (this.#isStopped) return;
    const askedAtMs = monotonicMs();
    const { own, others } = await table.beat(node, this.#reachesBroker);
    if (askedAtMs >= this.#toDecideSinceMs) {
      this.#isCollector = isCollector(own, others);
      this.#decidedAtMs = askedAtMs;
    }
    this.#others = others;
    this.liveCount = others.length + 1;
    this.#judge(own, conflictingNodes(node.broker, others));
  }

  /** Reports a conflict. The node continues, because devices may be connected to it and need their stops; people have to decide. */
  #judge(own: NodeRecord, conflicts: readonly NodeRecord[]): void {
    const [other] = conflicts;
    this.conflict = other !== undefined && isLast(own, conflicts) ? this.#describe(other) : null;
    if (other === undefined) {
      this.#conflictSaidAtMs = Number.NEGATIVE_INFINITY;
      return;
    }
    if (monotonicMs() - this.#conflictSaidAtMs < SAID_AGAIN_MS) return;
    this.#conflictSaidAtMs = monotonicMs();
    this.#parts.logger.error({ node: other.nodeId, host: other.host }, `${this.#describe(other)}; ${CURE}`);
  }

  #describe({ nodeId, host, broker }: NodeRecord): string {
    return `node ${nodeId} on ${host} uses this database with an ${broker} broker, and this node has an ${this.#parts.node.broker} one`;
  }

  #judgeClock(): void {
    const aheadMs = Math.round(this.#parts.clock.systemAheadMs);
    const wasOff = this.#isClockOff;
    this.#isClockOff = Math.abs(aheadMs) > CLOCK_OFF_MS_MAX;
    if (this.#isClockOff && !wasOff) this.#parts.logger.warn({ ahead_ms: aheadMs }, CLOCK_OFF);
  }
}
