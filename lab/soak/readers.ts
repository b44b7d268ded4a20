import { setTimeout as sleep } from 'node:timers/promises';
import type { LoggedEvent } from '@granary/contract/logged-event';
import { SILOS } from '../bench/farm.ts';
import type { Caller } from './caller.ts';
import { StreamLedger } from './ledgers.ts';
import { ADMIN_KEY, type SoakNode } from './site.ts';

const TURN_MS = 250;
const RECONNECT_MS = 300;

/** Screens that repeatedly read the views for people, from each node in turn. */
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

/** Reads the event stream of one node for the whole run; after a disconnection it continues after the last number that it has seen. */
export class EventReader {
  readonly ledger: StreamLedger;
  readonly #node: SoakNode;
  readonly #onEvent: (event: LoggedEvent) => void;
  readonly #abort = new AbortController();
  #position: number;

  constructor(node: SoakNode, fromSequence: number, onEvent: (event: LoggedEvent) => void) {
    this.#node = node;
    this.#onEvent = onEvent;
    this.#position = fromSequence;
    this.ledger = new StreamLedger(fromSequence);
  }

  get position(): number {
    return this.#position;
  }

  async run(): Promise<void> {
    while (!this.#abort.signal.aborted) {
      await this.#read().catch(() => undefined);
      await sleep(RECONNECT_MS);
    }
  }

  end(): void {
    this.#abort.abort();
  }

  async #read(): Promise<void> {
    const response = await fetch(`${this.#node.url}/v1/events`, {
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'last-event-id': String(this.#position) },
      signal: this.#abort.signal,
    });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      return;
    }
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body) {
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block);
    }
  }

  #take(block: string): void {
    const data = /^data: (.*)$/m.exec(block)?.[1];
    const id = /^id: (\d+)$/m.exec(block)?.[1];
    if (/^event: reset$/m.test(block)) this.ledger.reset();
    else if (data !== undefined) {
      const event: LoggedEvent = JSON.parse(data);
      this.ledger.seen(event.id);
      this.#onEvent(event);
    }
    if (id !== undefined) this.#position = Number(id);
  }
}
