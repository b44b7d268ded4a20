import { setImmediate } from 'node:timers/promises';
import { outsideRequest } from '@granary/common/request-time';
import type { GroupMember, UseCaseCall, UseCases } from '../engine.ts';
import type { Connections } from './connections.ts';
import { translate } from './errors.ts';
import type { Partitions } from './partitions.ts';
import { SharedStatements } from './shared-statements.ts';
import { PostgresSql } from './sql.ts';
import { inTransaction, OutcomeUnknownError } from './transaction.ts';
import type { WriteRunner } from './write-runner.ts';

/** A stop may wait for the group that holds its device. */
const MEMBERS_MAX = 16;
/** All of a group wait for a device that another transaction holds; after this time each goes on by itself. */
const LOCK_MS_MAX = 300;
/** A call with less time left is not put into a group. */
const REMAINING_MS_MIN = 2_000;

interface Member extends GroupMember {
  readonly call: UseCaseCall;
  readonly endsAtMs: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Calls of one kind. */
interface Kind {
  readonly waiting: Member[];
  isRunning: boolean;
}

interface WriteGroupsParts extends Pick<UseCases, 'callUseCase'> {
  readonly connections: Connections;
  readonly partitions: Partitions;
  readonly runner: WriteRunner;
}

/** A call was refused after it had written, so all of its transaction was taken back. */
class TakenBackError extends Error {
  readonly outcomes: readonly PromiseSettledResult<unknown>[];

  constructor(outcomes: readonly PromiseSettledResult<unknown>[]) {
    super('a call of the group was refused');
    this.outcomes = outcomes;
  }
}

/**
 * Runs calls of the same kind, each of another device, in one transaction: those that arrive while one transaction runs are the next
 * one. They run at the same time and share their queries. Whatever fails a transaction, its calls then run one by one.
 */
export class WriteGroups {
  readonly #parts: WriteGroupsParts;
  readonly #kinds = new Map<string, Kind>();
  /** The devices of calls that run by themselves. */
  readonly #alone = new Map<number, number>();
  #commits = 0;

  constructor(parts: WriteGroupsParts) {
    this.#parts = parts;
  }

  get commits(): number {
    return this.#commits;
  }

  run(call: UseCaseCall, member: GroupMember): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const endsAtMs = this.#parts.runner.endOf(call);
    const kind = this.#kindOf(member.kind);
    kind.waiting.push({ ...member, call, endsAtMs, resolve, reject });
    // Each call has its own end, and none may end those of other requests.
    if (!kind.isRunning) void outsideRequest(() => this.#runAll(kind));
    return promise;
  }

  #kindOf(name: string): Kind {
    let kind = this.#kinds.get(name);
    if (kind === undefined) {
      kind = { waiting: [], isRunning: false };
      this.#kinds.set(name, kind);
    }
    return kind;
  }

  async #runAll(kind: Kind): Promise<void> {
    kind.isRunning = true;
    while (kind.waiting.length > 0) {
      // Calls often come together: as answers to one transaction, or from devices that it has told to begin.
      await setImmediate();
      const group = this.#take(kind);
      const [first] = group;
      if (first !== undefined && group.length === 1) await soon(this.#runAlone(first));
      else await this.#runGroup(group);
    }
    kind.isRunning = false;
  }

  /** The next group. Whoever must not wait with others begins now; what has no place in this group waits for the next one. */
  #take(kind: Kind): Member[] {
    const group: Member[] = [];
    const left: Member[] = [];
    const taken = new Set<number | string>();
    const latestMs = performance.now() + REMAINING_MS_MIN;
    for (const member of kind.waiting.splice(0)) {
      const { deviceNo, request } = member;
      if (member.endsAtMs < latestMs || this.#alone.has(deviceNo)) void this.#runAlone(member);
      else if (group.length === MEMBERS_MAX || taken.has(deviceNo) || (request && taken.has(request)))
        left.push(member);
      else {
        group.push(member);
        taken.add(deviceNo);
        if (request !== null) taken.add(request);
      }
    }
    kind.waiting.push(...left);
    // The rows of idempotency keys are locked in this order, as everywhere.
    return group.sort(byRequest);
  }

  async #runAlone({ call, deviceNo, endsAtMs, resolve, reject }: Member): Promise<void> {
    const { runner, connections } = this.#parts;
    this.#alone.set(deviceNo, (this.#alone.get(deviceNo) ?? 0) + 1);
    await runner.run(connections, call, endsAtMs).then(resolve, reject);
    const others = (this.#alone.get(deviceNo) ?? 1) - 1;
    if (others === 0) this.#alone.delete(deviceNo);
    else this.#alone.set(deviceNo, others);
  }

  async #runGroup(members: readonly Member[]): Promise<void> {
    for (let group = members; group.length > 0; ) {
      try {
        const outcomes = await this.#commit(group);
        this.#commits++;
        return answer(group, outcomes);
      } catch (error) {
        if (error instanceof OutcomeUnknownError)
          return answer(
            group,
            group.map(() => failed(error)),
          );
        if (!(error instanceof TakenBackError)) {
          for (const member of group) void this.#runAlone(member);
          return;
        }
        // A refusal changes nothing, so it stands; the others are carried out again without it.
        const { outcomes } = error;
        answer(
          group.filter((_, i) => outcomes[i]?.status === 'rejected'),
          outcomes.filter(({ status }) => status === 'rejected'),
        );
        group = group.filter((_, i) => outcomes[i]?.status !== 'rejected');
      }
    }
  }

  async #commit(group: readonly Member[]): Promise<PromiseSettledResult<unknown>[]> {
    const { connections, partitions, callUseCase } = this.#parts;
    const endsAtMs = Math.min(...group.map((member) => member.endsAtMs));
    return await inTransaction(
      connections,
      async (statements) => {
        const shared = new SharedStatements(statements);
        const calls = group.map(({ call }) => ({ call, own: shared.ofCall() }));
        const outcomes = await Promise.allSettled(
          calls.map(({ call, own }) => callUseCase(new PostgresSql(own, partitions), call)),
        );
        // Those that no call has waited for go with the commit.
        shared.send();
        if (outcomes.some(({ status }, i) => status === 'rejected' && calls[i]?.own.hasWritten)) {
          throw new TakenBackError(outcomes);
        }
        return outcomes;
      },
      Math.max(1, endsAtMs - performance.now()),
      `SET LOCAL lock_timeout = ${LOCK_MS_MAX}`,
    );
  }
}

/** All of a group have one, or none has. */
const byRequest = ({ request: a }: Member, { request: b }: Member): number =>
  a === null || b === null ? 0 : Number(a > b) - Number(a < b);

const failed = (reason: unknown): PromiseRejectedResult => ({ status: 'rejected', reason });

function answer(members: readonly Member[], outcomes: readonly PromiseSettledResult<unknown>[]): void {
  for (const [i, { resolve, reject }] of members.entries()) {
    const outcome = outcomes[i];
    if (outcome?.status === 'fulfilled') resolve(outcome.value);
    else reject(translate(outcome?.reason));
  }
}

/** The others do not wait for a call that waits for its device. */
async function soon(work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, LOCK_MS_MAX);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}
