import { setTimeout as sleep } from 'node:timers/promises';
import type { LoggedEvent } from '@granary/contract/logged-event';
import { StreamLedger } from '../accounting/stream-ledger.ts';
import { ADMIN_KEY, type SoakNode } from '../site/soak-node.ts';

const RECONNECT_MS = 300;

/** Reads the event stream of one node for the whole run, and goes on after the last number it has seen whenever it is disconnected. */
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
