import { Agent, request } from 'node:http';

/** Requests that callers repeat as soon as they are answered. */
export interface RequestLoad {
  readonly httpUrl: string;
  readonly requests: readonly LoadRequest[];
  /** Requests under way at the same time; they take the requests above in turns. */
  readonly connections: number;
  readonly durationMs: number;
}

export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface RequestLoadResult {
  /** How many answers had each status; 0 stands for a connection that ended without an answer. */
  readonly answers: Readonly<Record<number, number>>;
}

/** After a refusal a caller waits, as `Retry-After` asks; a short time here, so that the load stays high. */
const AFTER_REFUSAL_MS = 100;

/** `begun` is called with the first answer. */
export async function runRequestLoad(
  load: RequestLoad,
  signal: AbortSignal,
  begun: () => void,
): Promise<RequestLoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.connections });
  const answers: Record<number, number> = {};
  let isFirst = true;
  const untilMs = performance.now() + load.durationMs;
  const isOver = (): boolean => signal.aborted || performance.now() > untilMs;
  const caller = async (_: unknown, number: number): Promise<void> => {
    for (let turn = number; !isOver(); turn++) {
      const wanted = load.requests[turn % load.requests.length];
      if (wanted === undefined) return;
      const status = await send(load.httpUrl, wanted, agent, signal);
      if (isFirst) begun();
      isFirst = false;
      // What was cut off at the end was neither served nor refused.
      if (signal.aborted) return;
      answers[status] = (answers[status] ?? 0) + 1;
      if (status !== 200) await new Promise((resolve) => setTimeout(resolve, AFTER_REFUSAL_MS));
    }
  };
  await Promise.all(Array.from({ length: load.connections }, caller));
  agent.destroy();
  return { answers };
}

function send(httpUrl: string, wanted: LoadRequest, agent: Agent, signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    const { method, headers, body } = wanted;
    const sent = request(httpUrl + wanted.path, { agent, method, headers }, (response) => {
      const status = response.statusCode ?? 0;
      response.on('error', () => resolve(0)).on('end', () => resolve(status));
      response.resume();
    });
    const end = (): void => void sent.destroy();
    signal.addEventListener('abort', end, { once: true });
    sent.on('error', () => resolve(0));
    sent.on('close', () => signal.removeEventListener('abort', end));
    sent.end(body);
  });
}
