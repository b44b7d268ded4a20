import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { LATE, within } from '@granary/common/within';
import { Refusal } from '@granary/contract/errors';
import { readJson } from '@granary/contract/input/json';
import { SECOND_MS } from '@granary/contract/time';

export type YamlJob = { readonly yaml: string } | { readonly value: unknown };
export type YamlOutcome = { readonly text: string } | { readonly fault: string };
/** The thread says when its code is loaded and its work begins. */
export type YamlMessage = 'begun' | YamlOutcome;

/** The processor time for reading a document. The largest accepted one, of 32,000 parts, takes about 600 ms on the reference machine. */
const READING_CPU_MS_MAX = 800;
const CPU_CHECKED_EVERY_MS = 50;
/** The time for reading or writing a document on a busy machine. */
const YAML_MS_MAX = 30 * SECOND_MS;
/** How many documents may be read or wait for it, in all and of one caller, because reading takes up to 200 MB of memory. */
export const READINGS_MAX = 4;
export const READINGS_PER_CALLER_MAX = 2;

/** Reads a document with the limits of JSON. */
export async function readYaml(yaml: string, caller: string): Promise<unknown> {
  const release = reserve(caller);
  try {
    const outcome = await reading.inTurn({ yaml });
    if ('fault' in outcome)
      throw new Refusal('malformed_yaml', `the body is not valid YAML: ${outcome.fault}`);
    return readJson(outcome.text);
  } finally {
    release();
  }
}

/** Writing does not wait for documents that are being read. */
export async function writeYaml(value: unknown): Promise<string> {
  const outcome = await writing.inTurn({ value });
  if ('fault' in outcome) throw new Error(outcome.fault);
  return outcome.text;
}

const readingsOf: string[] = [];

function reserve(caller: string): () => void {
  const ofCaller = readingsOf.filter((other) => other === caller).length;
  if (readingsOf.length >= READINGS_MAX || ofCaller >= READINGS_PER_CALLER_MAX) {
    throw new Refusal('rate_limited', 'other documents in YAML are being read; send this one after them');
  }
  readingsOf.push(caller);
  return () => void readingsOf.splice(readingsOf.indexOf(caller), 1);
}

/** Runs one thread at a time, because of the memory that it takes. */
class YamlThreads {
  readonly #cpuMsMax: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(cpuMsMax: number) {
    this.#cpuMsMax = cpuMsMax;
  }

  async inTurn(job: YamlJob): Promise<YamlOutcome> {
    const outcome = this.#last.then(() => this.#run(job));
    this.#last = outcome.catch(() => undefined);
    return await outcome;
  }

  /** Runs the job in a thread of its own, because a document of 1 MiB would hold all other requests for seconds. */
  async #run(workerData: YamlJob): Promise<YamlOutcome> {
    const thread = new Worker(new URL('./yaml-thread.ts', import.meta.url), { workerData });
    const ended = new AbortController();
    try {
      const answered = await within(
        YAML_MS_MAX,
        Promise.race([outcomeOf(thread), this.#used(thread, ended.signal)]),
      );
      return answered === LATE ? { fault: 'it takes too long to read' } : answered;
    } finally {
      ended.abort();
      await thread.terminate();
    }
  }

  /** Resolves when the thread has used its processor time, and rejects when the job has ended. */
  async #used(thread: Worker, ended: AbortSignal): Promise<typeof LATE> {
    // A thread that has just ended has no times any more.
    const cpuMs = async (): Promise<number> =>
      await thread.cpuUsage().then(
        ({ user }) => user / 1_000,
        () => 0,
      );
    await begun(thread);
    const atBegin = await cpuMs();
    for (;;) {
      await sleep(CPU_CHECKED_EVERY_MS, undefined, { signal: ended });
      if ((await cpuMs()) - atBegin >= this.#cpuMsMax) return LATE;
    }
  }
}

const reading = new YamlThreads(READING_CPU_MS_MAX);
const writing = new YamlThreads(Number.POSITIVE_INFINITY);

const begun = (thread: Worker): Promise<void> =>
  new Promise((resolve) => thread.on('message', (message: YamlMessage) => message === 'begun' && resolve()));

const outcomeOf = (thread: Worker): Promise<YamlOutcome> =>
  new Promise((resolve, reject) => {
    thread.on('message', (message: YamlMessage) => message !== 'begun' && resolve(message));
    thread.once('error', reject);
  });
