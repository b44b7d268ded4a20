/** What waits in lanes: people where they have signed in before, everybody else, and PINs. */
const LANES = ['home', 'elsewhere', 'pin'] as const;
type Lane = (typeof LANES)[number];

/** Whose turn it is: the lanes take turns, and in each of them its groups. */
export interface Turn {
  readonly lane: Lane;
  /** Who asks at home, and from which network elsewhere, because names can be invented. */
  readonly group: string;
}

interface Waiting {
  readonly begin: () => void;
  readonly refuse: () => void;
}

/** Those that wait for a turn. Whoever sends many waits longer for all of them, and nobody else does. */
export class PasswordTurns {
  readonly #waitingMax: number;
  readonly #lanes: Readonly<Record<Lane, Map<string, Waiting[]>>> = {
    home: new Map(),
    elsewhere: new Map(),
    pin: new Map(),
  };
  #last = 0;

  /** Of each lane. */
  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax;
  }

  /** When the lane is full, the newest of the group with the most is refused; `undefined` if that is this one. */
  add({ lane, group }: Turn, waiting: Waiting): { readonly leave: () => boolean } | undefined {
    const groups = this.#lanes[lane];
    const own = groups.get(group) ?? [];
    if (sizeOf(groups) >= this.#waitingMax) {
      const most = largest(groups);
      if (most.length <= own.length + 1) return undefined;
      most.pop()?.refuse();
    }
    own.push(waiting);
    groups.set(group, own);
    return { leave: () => this.#leave(lane, group, waiting) };
  }

  /** Takes the next one out. */
  next(): Waiting | undefined {
    for (let step = 1; step <= LANES.length; step++) {
      const at = (this.#last + step) % LANES.length;
      const groups = this.#lanes[LANES[at] ?? 'pin'];
      const [first] = groups;
      if (first === undefined) continue;
      this.#last = at;
      const [group, waiting] = first;
      const next = waiting.shift();
      groups.delete(group);
      if (waiting.length > 0) groups.set(group, waiting);
      return next;
    }
    return undefined;
  }

  /** Returns whether it was still waiting. */
  #leave(lane: Lane, group: string, waiting: Waiting): boolean {
    const own = this.#lanes[lane].get(group) ?? [];
    const at = own.indexOf(waiting);
    if (at === -1) return false;
    own.splice(at, 1);
    if (own.length === 0) this.#lanes[lane].delete(group);
    return true;
  }
}

const sizeOf = (groups: ReadonlyMap<string, readonly Waiting[]>): number =>
  [...groups.values()].reduce((sum, { length }) => sum + length, 0);

const largest = (groups: ReadonlyMap<string, Waiting[]>): Waiting[] =>
  [...groups.values()].reduce((most, one) => (one.length > most.length ? one : most), []);
