import { monotonicMs } from '@granary/common/monotonic-ms';
import type { DeviceHealth, DriverParts, ReadFailure } from '../drivers/driver.ts';
import { ReadError } from '../drivers/read-error.ts';
import {
  afterFailure,
  type Breaker,
  CLOSED,
  phaseOf,
  probeTimeoutMs,
  reconnectWaitMs,
  slotAt,
  slotFrom,
} from './poll-grid.ts';

/** The requests of one poll of a device, which are sent one after the other. */
export interface PollGroup<Request> {
  readonly everyMs: number;
  readonly requests: readonly Request[];
  /** The names of the points that a request reads, and of those that are lost without it. */
  readonly pointsOf: (request: Request) => readonly string[];
  /** Is called with the answers when the poll has ended; failed requests are missing. */
  readonly finished: (answers: ReadonlyMap<Request, Buffer>, roundTripMs: number) => void;
  readonly failed: (failure: ReadFailure) => void;
}

/** One device at an endpoint, such as a unit behind a gateway. */
export interface PolledUnit<Request> {
  readonly deviceId: string;
  readonly timeoutMs: number;
  /** The pause after each request. */
  readonly pauseMs: number;
  readonly groups: readonly PollGroup<Request>[];
  /** Sends a request; throws a `ReadError`. */
  readonly ask: (request: Request, timeoutMs: number) => Promise<Buffer>;
}

/** A poll that has begun. */
interface Poll<Request> {
  readonly group: GroupState<Request>;
  readonly left: Request[];
  readonly answers: Map<Request, Buffer>;
  readonly failures: Map<string, { code: ReadFailure['code']; points: string[] }>;
  /** True if the device itself has answered or refused. */
  isHeard: boolean;
  /** An answer that does not belong to this device and request; then it is not known whether the device is online. */
  strange: string | null;
}

interface GroupState<Request> {
  readonly group: PollGroup<Request>;
  readonly unit: UnitState<Request>;
  dueMs: number;
  poll: Poll<Request> | null;
  /** True if its last poll had no answer, or lost the connection; then its polls are used to find the unit again. */
  isLost: boolean;
  /** True if its unit answers again, so that it is polled now, outside the grid. */
  isWanted: boolean;
  /** The breakers of requests that a device does not answer while it answers others. */
  readonly breakers: Map<Request, Breaker>;
}

interface UnitState<Request> {
  readonly unit: PolledUnit<Request>;
  readonly groups: GroupState<Request>[];
  breaker: Breaker;
  isConnectionLost: boolean;
  state: DeviceHealth['state'];
  lastAnswerMs: number | null;
  roundTripMs: number | null;
  lastFailure: DeviceHealth['lastFailure'];
  readonly counters: { -readonly [Name in keyof DeviceHealth['counters']]: number };
}

/** Every fourth probe has the full timeout: a unit that has become slower would not be found with short timeouts only. */
const FULL_PROBE_EVERY = 4;
const NOT_ASKED = 'the device leaves this request unanswered, so it is asked less often';

/** The limit of a timer, so that polls never depend on one long wait. */
const TIMER_MS_MAX = 60_000;

/**
 * Asks the devices of one connection: one request at a time, each poll in its slot, and the poll with the earliest end first. A
 * unit that does not answer is asked now and then; the others keep their slots.
 */
export class Endpoint<Request> {
  readonly #units: readonly UnitState<Request>[];
  readonly #groups: readonly GroupState<Request>[];
  readonly #parts: DriverParts;
  #timer: NodeJS.Timeout | undefined;
  #isBusy = false;
  #isRunning = false;
  #connectFailures = 0;

  constructor(units: readonly PolledUnit<Request>[], parts: DriverParts) {
    this.#parts = parts;
    this.#units = units.map((unit) => {
      const state: UnitState<Request> = {
        unit,
        groups: [],
        breaker: CLOSED,
        isConnectionLost: false,
        state: 'waiting',
        lastAnswerMs: null,
        roundTripMs: null,
        lastFailure: null,
        counters: { requests: 0, failures: 0, timeouts: 0, skipped: 0, latenessMsMax: 0 },
      };
      state.groups.push(
        ...unit.groups.map((group) => ({
          group,
          unit: state,
          dueMs: 0,
          poll: null,
          isLost: false,
          isWanted: false,
          breakers: new Map(),
        })),
      );
      return state;
    });
    this.#groups = this.#units.flatMap(({ groups }) => groups);
  }

  start(): void {
    const nowMs = monotonicMs();
    // The grid is that of the clock at the start; setting the clock later does not move it.
    const clockAheadMs = this.#parts.now() - nowMs;
    for (const state of this.#groups) {
      const { everyMs } = state.group;
      const phaseMs = phaseOf(state.unit.unit.deviceId, everyMs) - (clockAheadMs % everyMs);
      state.dueMs = slotFrom(nowMs, everyMs, phaseMs);
    }
    this.#isRunning = true;
    this.#next();
  }

  stop(): void {
    this.#isRunning = false;
    clearTimeout(this.#timer);
  }

  health(): DeviceHealth[] {
    const clockAheadMs = this.#parts.now() - monotonicMs();
    return this.#units.map((state) => ({
      deviceId: state.unit.deviceId,
      state: state.state,
      lastAnswerMs: state.lastAnswerMs,
      roundTripMs: state.roundTripMs,
      breaker: {
        open: state.breaker.nextTryMs !== null,
        nextTryMs: state.breaker.nextTryMs === null ? null : state.breaker.nextTryMs + clockAheadMs,
        failures: state.breaker.failures,
      },
      lastFailure: state.lastFailure,
      counters: { ...state.counters },
    }));
  }

  #next(): void {
    if (!this.#isRunning || this.#isBusy) return;
    clearTimeout(this.#timer);
    const nowMs = monotonicMs();
    const due = this.#mostUrgent(nowMs);
    if (due !== undefined) {
      this.#isBusy = true;
      void this.#step(due, nowMs);
      return;
    }
    const wakeMs = Math.min(...this.#groups.map((state) => this.#readyMs(state)));
    this.#timer = setTimeout(
      () => this.#next(),
      Math.min(Math.max(1, Math.ceil(wakeMs - nowMs)), TIMER_MS_MAX),
    );
  }

  /** Returns when a group may be polled: in its slot, or at the next probe of a unit that does not answer. */
  #readyMs({ dueMs, poll, unit, isLost, isWanted }: GroupState<Request>): number {
    if (poll !== null) return 0;
    const { nextTryMs } = unit.breaker;
    if (nextTryMs !== null) return isLost ? nextTryMs : Number.POSITIVE_INFINITY;
    return isWanted ? 0 : dueMs;
  }

  /** Returns the poll that must end first. */
  #mostUrgent(nowMs: number): GroupState<Request> | undefined {
    let best: GroupState<Request> | undefined;
    for (const state of this.#groups) {
      if (this.#readyMs(state) > nowMs) continue;
      if (best === undefined || state.dueMs + state.group.everyMs < best.dueMs + best.group.everyMs)
        best = state;
    }
    return best;
  }

  async #step(state: GroupState<Request>, nowMs: number): Promise<void> {
    const { unit } = state;
    state.poll ??= this.#begin(state, nowMs);
    const { poll } = state;
    const request = poll.left.shift();
    if (request !== undefined && (state.breakers.get(request)?.nextTryMs ?? 0) <= nowMs) {
      await this.#ask(state, poll, request);
      if (unit.unit.pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, unit.unit.pauseMs));
    } else if (request !== undefined) this.#note(poll, 'timeout', NOT_ASKED, [request]);
    if (poll.left.length === 0) this.#end(state, poll);
    this.#isBusy = false;
    this.#next();
  }

  #begin(state: GroupState<Request>, nowMs: number): Poll<Request> {
    const { unit, group, breakers } = state;
    if (unit.breaker.nextTryMs === null && !state.isWanted) {
      const { atMs, skipped, nextMs } = slotAt(state.dueMs, group.everyMs, nowMs);
      unit.counters.skipped += skipped;
      unit.counters.latenessMsMax = Math.max(unit.counters.latenessMsMax, nowMs - atMs);
      state.dueMs = nextMs;
    } else if (state.dueMs <= nowMs) this.#skipTo(state, nowMs);
    state.isWanted = false;
    // Requests that failed last time come last, so that they do not hide that the device answers the others.
    const failuresOf = (request: Request) => breakers.get(request)?.failures ?? 0;
    const left = group.requests.toSorted((one, other) => failuresOf(one) - failuresOf(other));
    return { group: state, left, answers: new Map(), failures: new Map(), isHeard: false, strange: null };
  }

  #skipTo(state: GroupState<Request>, nowMs: number): void {
    const { skipped, nextMs } = slotAt(state.dueMs, state.group.everyMs, nowMs);
    state.unit.counters.skipped += skipped + 1;
    state.dueMs = nextMs;
  }

  async #ask(state: GroupState<Request>, poll: Poll<Request>, request: Request): Promise<void> {
    const { unit, breakers } = state;
    const startedMs = monotonicMs();
    unit.counters.requests += 1;
    try {
      poll.answers.set(request, await unit.unit.ask(request, this.#timeoutMs(unit)));
      unit.roundTripMs = Math.round((monotonicMs() - startedMs) * 10) / 10;
      breakers.delete(request);
      poll.isHeard = true;
      this.#answered(unit);
    } catch (error) {
      // A request that is interrupted by the end of the bridge means nothing for the device.
      if (!this.#isRunning) return;
      const reason = error instanceof ReadError ? error : new ReadError('malformed', String(error));
      this.#refused(state, poll, request, reason);
    }
  }

  #timeoutMs({
    unit: { timeoutMs },
    breaker: { nextTryMs, failures },
    isConnectionLost,
    roundTripMs,
  }: UnitState<Request>): number {
    const isProbe = nextTryMs !== null && !isConnectionLost && failures % FULL_PROBE_EVERY !== 0;
    return isProbe ? probeTimeoutMs(timeoutMs, roundTripMs) : timeoutMs;
  }

  /** Records an answer; a refusal is an answer, too, and shows that the device is online. */
  #answered(unit: UnitState<Request>): void {
    if (unit.state === 'silent')
      this.#parts.log('info', 'the device answers again', { device: unit.unit.deviceId });
    unit.state = 'answering';
    unit.lastAnswerMs = this.#parts.now();
    const wasConnectionLost = unit.isConnectionLost;
    this.#connectFailures = 0;
    this.#reopen(unit);
    if (!wasConnectionLost) return;
    for (const other of this.#units) if (other.isConnectionLost) this.#reopen(other);
  }

  /** Closes the breaker; missed polls are made at once. */
  #reopen(unit: UnitState<Request>): void {
    if (unit.breaker === CLOSED) return;
    unit.breaker = CLOSED;
    unit.isConnectionLost = false;
    for (const state of unit.groups) if (state.isLost && state.poll === null) state.isWanted = true;
  }

  #refused(state: GroupState<Request>, poll: Poll<Request>, request: Request, error: ReadError): void {
    const { unit, breakers } = state;
    const { code, message, isConnection } = error;
    unit.counters.failures += 1;
    const isTimeout = code === 'timeout' && !isConnection;
    if (code === 'exception') {
      this.#note(poll, code, message, [request]);
      poll.isHeard = true;
      this.#answered(unit);
      return;
    }
    if (!isTimeout && !isConnection) {
      this.#note(poll, code, message, [request]);
      poll.strange = message;
      return;
    }
    poll.strange = null;
    // The other requests of this poll are not sent, because they would not be answered either.
    this.#note(poll, code, message, [request, ...poll.left.splice(0)]);
    const nowMs = monotonicMs();
    if (isTimeout) {
      unit.counters.timeouts += 1;
      breakers.set(request, afterFailure(breakers.get(request) ?? CLOSED, nowMs, Math.random(), true));
      this.#missed(unit, message);
    } else this.#disconnected(unit, nowMs, { code, detail: message });
  }

  /** Records that the device itself has not answered. */
  #missed(unit: UnitState<Request>, reason: string): void {
    unit.breaker = afterFailure(unit.breaker, monotonicMs(), Math.random(), unit.lastAnswerMs !== null);
    unit.isConnectionLost = false;
    if (unit.breaker.nextTryMs !== null) this.#silent(unit, reason);
  }

  /** Records that no device at this endpoint can be asked; one attempt counts for all of them. */
  #disconnected(
    asked: UnitState<Request>,
    nowMs: number,
    reason: Pick<ReadFailure, 'code' | 'detail'>,
  ): void {
    this.#connectFailures += 1;
    const nextTryMs = nowMs + reconnectWaitMs(this.#connectFailures, Math.random());
    for (const unit of this.#units) {
      const { failures, sinceMs } = unit.breaker;
      const wasLost = unit.isConnectionLost;
      unit.breaker = { failures: failures + 1, sinceMs: sinceMs ?? nowMs, nextTryMs };
      unit.isConnectionLost = true;
      this.#silent(unit, reason.detail);
      if (unit === asked || wasLost) continue;
      for (const state of unit.groups) this.#lose(state, reason);
    }
  }

  #lose(state: GroupState<Request>, { code, detail }: Pick<ReadFailure, 'code' | 'detail'>): void {
    if (state.poll !== null) return;
    state.isLost = true;
    const { requests, pointsOf } = state.group;
    const points = [...new Set(requests.flatMap((request) => pointsOf(request)))];
    this.#failed(state, { code, detail, points });
  }

  #silent(unit: UnitState<Request>, reason: string): void {
    for (const { breakers } of unit.groups) breakers.clear();
    if (unit.state !== 'silent')
      this.#parts.log('warn', 'the device does not answer', { device: unit.unit.deviceId, reason });
    unit.state = 'silent';
  }

  #note(poll: Poll<Request>, code: ReadFailure['code'], detail: string, requests: readonly Request[]): void {
    const points = requests.flatMap((request) => poll.group.group.pointsOf(request));
    const noted = poll.failures.get(detail);
    if (noted === undefined) poll.failures.set(detail, { code, points });
    else noted.points.push(...points);
  }

  #end(state: GroupState<Request>, poll: Poll<Request>): void {
    const { unit, group } = state;
    state.poll = null;
    if (poll.strange !== null && !poll.isHeard) this.#missed(unit, poll.strange);
    // This includes a poll that was interrupted: otherwise no probe would find its unit again.
    state.isLost = unit.breaker.failures > 0 && (poll.answers.size === 0 || unit.isConnectionLost);
    for (const [detail, { code, points }] of poll.failures)
      this.#failed(state, { code, detail, points: [...new Set(points)] });
    if (poll.answers.size === 0) return;
    try {
      group.finished(poll.answers, unit.roundTripMs ?? 0);
    } catch (error) {
      // An error in the answers of one device must not stop the polls of all others.
      const points = [...poll.answers.keys()].flatMap((request) => group.pointsOf(request));
      this.#failed(state, { code: 'malformed', detail: String(error), points });
    }
  }

  #failed({ unit, group }: GroupState<Request>, failure: ReadFailure): void {
    unit.lastFailure = { ...failure, atMs: this.#parts.now() };
    group.failed(failure);
  }
}
