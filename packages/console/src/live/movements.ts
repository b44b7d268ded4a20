import { ApiError, type Client } from '@granary/client';
import type { FleetMission, FleetOperation } from '@granary/contract/fleet';
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Site } from './site.ts';

/** An end is shown for this long, because a person who has pressed a stop looks for its outcome where the stop was. */
const END_SHOWN_MS = 10_000;

const AGAIN_MS = 2_000;

/** An operation or a mission that is under way, or has just ended. */
export type Movement =
  | { readonly kind: 'operation'; readonly id: string; readonly job: FleetOperation }
  | { readonly kind: 'mission'; readonly id: string; readonly job: FleetMission };

/** `vanished`: the job is not listed any more, and its end is being read. */
type MovementState = 'moving' | 'vanished' | 'ended';

/** A movement with the place that it keeps while anything about it is shown. */
export type Place = Movement & {
  readonly state: MovementState;
  /** The time since which its end is shown; `null` before. */
  readonly endShownMs: number | null;
};

export const operationMovement = (job: FleetOperation): Movement => ({
  kind: 'operation',
  id: job.operation_id,
  job,
});

const missionMovement = (job: FleetMission): Movement => ({
  kind: 'mission',
  id: job.mission_id,
  job,
});

const startOf = ({ job }: Movement): string => job.started_at ?? ('created_at' in job ? job.created_at : '');

/** Known movements keep their places; others are appended in the order of their starts. */
export function withMoving(places: readonly Place[], moving: readonly Movement[]): Place[] {
  const byId = new Map(moving.map((movement) => [movement.id, movement]));
  const kept = places.map((place): Place => {
    const movement = byId.get(place.id);
    if (movement !== undefined) return { ...movement, state: 'moving', endShownMs: null };
    return place.state === 'moving' ? { ...place, state: 'vanished' } : place;
  });
  const known = new Set(places.map(({ id }) => id));
  const added = moving
    .filter(({ id }) => !known.has(id))
    .toSorted((one, other) => {
      const [first, second] = [startOf(one) + one.id, startOf(other) + other.id];
      return Number(first > second) - Number(first < second);
    });
  return [...kept, ...added.map((movement): Place => ({ ...movement, state: 'moving', endShownMs: null }))];
}

/** Shows the end of a movement in its place. */
export const withEnd = (places: readonly Place[], ended: Movement, nowMs: number): Place[] =>
  places.map((place) =>
    place.id === ended.id ? { ...ended, state: 'ended', endShownMs: place.endShownMs ?? nowMs } : place,
  );

/** Removes ends that were shown long enough. `isAwaited`: the device has to do something more, such as confirm its emergency stop. */
export const withoutOldEnds = (
  places: readonly Place[],
  nowMs: number,
  isAwaited: (deviceId: string) => boolean,
): Place[] =>
  places.flatMap((place) => {
    const { endShownMs } = place;
    if (endShownMs === null) return [place];
    if (place.kind === 'mission' && isAwaited(place.job.device_id)) return [{ ...place, endShownMs: nowMs }];
    return nowMs - endShownMs < END_SHOWN_MS ? [place] : [];
  });

/**
 * Which movement stands at which place of a row. A movement keeps its place. A free place is used again only when nothing after it is
 * shown, so the order is that of the starts, and no stop appears where another one was.
 */
export function rowAfter(
  row: readonly (string | null)[],
  places: readonly Place[],
  length: number,
): (string | null)[] {
  const ids = places.map(({ id }) => id);
  const kept = row.map((id) => (id !== null && ids.includes(id) ? id : null));
  while (kept.length > 0 && kept.at(-1) === null) kept.pop();
  const last = kept.at(-1);
  const following = places.slice(last === undefined || last === null ? 0 : ids.indexOf(last) + 1);
  const next = following.flatMap(({ id, state }) => (state === 'ended' ? [] : [id]));
  return [...kept, ...next].slice(0, length);
}

/** The movements in the order of their starts, including those that ended a moment ago. */
export class Movements {
  readonly #places = signal<readonly Place[]>([]);
  readonly #site: Site;
  readonly #client: Pick<Client, 'operations' | 'missions'>;
  readonly #stopped: AbortSignal;
  readonly #holds = new Set<() => boolean>();

  constructor(site: Site, client: Pick<Client, 'operations' | 'missions'>, stopped: AbortSignal) {
    this.#site = site;
    this.#client = client;
    this.#stopped = stopped;
  }

  get places(): ReadonlySignal<readonly Place[]> {
    return this.#places;
  }

  start(): void {
    const { operations, missions, clock } = this.#site;
    const ends = [
      operations.onEnd((job) => this.#end(operationMovement(job))),
      missions.onEnd((job) => this.#end(missionMovement(job))),
      effect(() =>
        this.#see([
          ...[...operations.all.value.values()].map(operationMovement),
          ...[...missions.all.value.values()].map(missionMovement),
        ]),
      ),
      effect(() => this.#forget(clock.nowMs.value)),
    ];
    this.#stopped.addEventListener('abort', () => {
      for (const end of ends) end();
    });
  }

  /** No movement leaves its place while `isHeld` is true, such as while the pointer is among them. Returns the function that ends this. */
  holdWhile(isHeld: () => boolean): () => void {
    this.#holds.add(isHeld);
    return () => this.#holds.delete(isHeld);
  }

  #see(moving: readonly Movement[]): void {
    const before = this.#places.peek();
    if (before.length + moving.length === 0) return;
    const places = withMoving(before, moving);
    this.#places.value = places;
    for (const [index, place] of places.entries()) {
      if (place.state === 'vanished' && before[index]?.state !== 'vanished') void this.#readEnd(place);
    }
  }

  #end(ended: Movement): void {
    this.#places.value = withEnd(this.#places.peek(), ended, this.#site.clock.nowMs.peek());
  }

  #forget(nowMs: number): void {
    const before = this.#places.peek();
    if (before.every(({ endShownMs }) => endShownMs === null)) return;
    if ([...this.#holds].some((isHeld) => isHeld())) return;
    const commands = [...this.#site.commands.all.peek().values()];
    this.#places.value = withoutOldEnds(before, nowMs, (deviceId) =>
      commands.some(({ device_id, command }) => device_id === deviceId && command === 'emergency_stop'),
    );
  }

  /** Reads the end of a job. Usually an event reports it, but not while the connection is lost, and sometimes only after the job left the list. */
  async #readEnd({ id, kind, job }: Place): Promise<void> {
    const { device_id } = job;
    const isVanished = (): boolean =>
      !this.#stopped.aborted &&
      this.#places.peek().some((place) => place.id === id && place.state === 'vanished');
    while (isVanished()) {
      try {
        const options = { signal: this.#stopped };
        if (kind === 'operation') {
          const operation = await this.#client.operations.get(device_id, id, options);
          if (isVanished()) this.#site.operations.put({ device_id, ...operation });
        } else {
          const mission = await this.#client.missions.get(device_id, id, options);
          if (isVanished()) this.#site.missions.put({ device_id, ...mission });
        }
      } catch (error) {
        // The device was removed, or the key may not see it any more.
        if (error instanceof ApiError && error.status < 500) {
          this.#places.value = this.#places.peek().filter((place) => place.id !== id);
        }
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }
}
