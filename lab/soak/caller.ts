import { ADMIN_KEY, type SoakNode } from './site.ts';
import type { AnsweredRequest } from './verdict.ts';

/** Longer than any answer may take, so that a late answer is measured and not only counted as missing. */
const GIVEN_UP_MS = 8_000;
const REFUSALS = new Set([404, 409, 503]);

type Json = ReturnType<typeof JSON.parse>;

export interface Answer {
  readonly outcome: AnsweredRequest['outcome'];
  /** The status of the answer; 0 if there is none. */
  readonly status: number;
  /** Whether the refusal is final, so that repeating the request changes nothing. */
  readonly isFinal: boolean;
  readonly data: Json;
  readonly node: SoakNode;
}

export interface Wanted {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
}

/** Calls the nodes in turn and notes how long each answer took. */
export class Caller {
  readonly requests: AnsweredRequest[] = [];
  readonly #nodes: readonly SoakNode[];
  #turn = 0;

  constructor(nodes: readonly SoakNode[]) {
    this.#nodes = nodes;
  }

  /** Sends the request to the next node. */
  next(wanted: Wanted): Promise<Answer> {
    const node = this.#nodes[this.#turn++ % this.#nodes.length];
    if (node === undefined) throw new Error('there is no node');
    return this.ask(node, wanted);
  }

  async ask(node: SoakNode, wanted: Wanted): Promise<Answer> {
    const { method = 'GET', path } = wanted;
    const beganMs = Date.now();
    const began = performance.now();
    const note = (outcome: Answer['outcome'], detail: string): void => {
      const tookMs = performance.now() - began;
      this.requests.push({
        beganMs,
        tookMs,
        outcome,
        detail: `node ${node.number} ${method} ${path}: ${detail}`,
      });
    };
    try {
      const { status, data, code } = await send(node.url, wanted);
      const outcome = outcomeOf(status);
      note(outcome, `${status} ${code}`);
      const isFinal = (status === 404 || status === 409) && code !== 'idempotency_in_progress';
      return { outcome, status, isFinal, data, node };
    } catch (error) {
      const outcome = node.wasAwaySince(beganMs) ? 'unreachable' : 'failed';
      note(outcome, reasonOf(error));
      return { outcome, status: 0, isFinal: false, data: null, node };
    }
  }
}

function outcomeOf(status: number): Answer['outcome'] {
  if (status < 300) return 'ok';
  return REFUSALS.has(status) ? 'refused' : 'failed';
}

async function send(url: string, { method = 'GET', path, body, idempotencyKey }: Wanted) {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${ADMIN_KEY}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(GIVEN_UP_MS),
  });
  const answer: Json = await response.json();
  return { status: response.status, data: answer?.data, code: String(answer?.error?.code ?? '') };
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
}
