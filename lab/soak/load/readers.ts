import { setTimeout as sleep } from 'node:timers/promises';
import { SILOS } from '../../bench/farm.ts';
import type { Caller } from './caller.ts';

const TURN_MS = 250;

/** Screens that ask for what is shown to people, at each node in turn. */
export class Readers {
  readonly #caller: Caller;
  readonly #silos: readonly string[];
  #isEnding = false;

  constructor(caller: Caller, silos: readonly string[]) {
    this.#caller = caller;
    this.#silos = silos;
  }

  async run(): Promise<void> {
    const busy = new Set<Promise<unknown>>();
    for (let turn = 0; !this.#isEnding; turn++) {
      const asking = this.#caller.next({ path: this.#path(turn) });
      busy.add(asking);
      void asking.finally(() => busy.delete(asking));
      await sleep(TURN_MS);
    }
    await Promise.all(busy);
  }

  end(): void {
    this.#isEnding = true;
  }

  #path(turn: number): string {
    const silo = this.#silos[turn % this.#silos.length];
    const paths = ['/v1/overview', `${SILOS}/${silo}/sensors`, '/v1/alerts', `${SILOS}/${silo}`];
    return paths[turn % paths.length] ?? '/v1/overview';
  }
}
