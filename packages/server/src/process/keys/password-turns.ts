/** The lanes in which checks wait: of people where they have signed in before, of everybody else, and of PINs. */
const LANES = ['home', 'elsewhere', 'pin'] as const;
type Lane = (typeof LANES)[number];

/** The place of a check in the order: the lanes take turns, and within each lane its groups. */
export interface Turn {
  readonly lane: Lane;
  /** The name in the lane `home`; in the lane `elsewhere` the network, because names can be invented. */
  readonly group: string;
}

interface Waiting {
  readonly begin: () => void;
  readonly refuse: () => void;
}

/** The checks that wait for a turn. A caller who sends many waits longer for all of them, and other callers do not. */
export class PasswordTurns {
  readonly #waitingMax: number;
  readonly #lanes: Readonly<Record<Lane, Map<string, Waiting[]>>> = {
    home: new Map(),
    elsewhere: new Map(),
    pin: new Map(),
  };
  #last = 0;

  /** `waitingMax` is the limit of each lane. */
  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax;
  }

  /** When the lane is full, the newest check of its largest group is refused; returns `undefined` if that is the new one. */
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

  /** Takes out the check that is next. */
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

  /** Returns whether the check was still waiting. */
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
