import { once } from 'node:events';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import {
  type Engine,
  type EngineFigures,
  LONG_CALL_MS_MAX,
  type UseCaseCall,
  type UseCases,
} from '../engine.ts';
import type { OnUpgrade } from '../migrations/migrations.ts';
import { openReader, prepareDatabase } from './database.ts';
import { reasonOf } from './errors.ts';
import { SqliteSql } from './sql.ts';
import { type Outcome, type Request, WriterClient } from './writer-client.ts';

/**
 * The limit of the young generation, a quarter of what V8 allows: many writes at once made it grow to 32 MiB, which V8 keeps
 * although almost nothing in it is used.
 */
const YOUNG_GENERATION_MB_MAX = 24;
/** A busy machine may take seconds to start a thread. */
const THREAD_START_MS_MAX = 60_000;

/** The main thread's side of the writer thread. */
export class Writer {
  readonly #thread: Worker;
  readonly #client: WriterClient;
  /** The number of commits. The writer counts them, because it knows which writes share a commit. */
  readonly #commits = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #closing: Promise<void> | undefined;

  constructor(file: string, threadUrl: URL) {
    const thread = new Worker(threadUrl, {
      workerData: { file, commits: this.#commits },
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB_MAX },
    });
    const client = new WriterClient((job) => thread.postMessage(job satisfies Request));
    thread.on('message', (outcomes: readonly Outcome[]) => client.settle(outcomes));
    thread.on('error', (error) => client.end(`its writer failed: ${reasonOf(error)}`));
    thread.on('exit', () => client.end('its writer has ended'));
    this.#thread = thread;
    this.#client = client;
  }

  submit(
    call: UseCaseCall | null,
    options?: { readonly isUrgent?: boolean; readonly limitMs?: number },
  ): Promise<unknown> {
    return this.#client.submit(call, options);
  }

  /** Opens a channel to the writer for another thread, whose writes do not pass through this thread. */
  openPort(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#thread.postMessage({ port: port1 } satisfies Request, [port1]);
    return port2;
  }

  figures(): EngineFigures {
    return { commits: Atomics.load(this.#commits, 0), pendingWrites: this.#client.pendingWrites };
  }

  finishSoon(): void {
    this.#client.finishSoon();
  }

  /** Closes the writer; calls that were submitted before are still written. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#client.hasEnded) return;
    this.#client.refuseFurther('it is closed');
    const exit = once(this.#thread, 'exit');
    this.#thread.postMessage('close' satisfies Request);
    await exit;
  }
}

/** A writer thread owns the only writing connection; reads use their own connection. */
export async function openSqlite(folder: string, useCases: UseCases, onUpgrade?: OnUpgrade): Promise<Engine> {
  const file = await prepareDatabase(folder, onUpgrade);
  const writer = new Writer(file, useCases.threadUrl);
  await writer.submit(null, { limitMs: THREAD_START_MS_MAX });
  const database = openReader(file);
  const reader = new SqliteSql(database);
  return {
    reader,
    // Reading waits for nothing, and a request waits for one write at most.
    readerWithin: () => reader,
    write: (call) => writer.submit(call, useCases.isLong(call) ? { limitMs: LONG_CALL_MS_MAX } : {}),
    urgent: { reader, write: (call) => writer.submit(call, { isUrgent: true }) },
    announcements: null,
    separateConnection: null,
    async health() {
      await reader.query('SELECT version FROM granary_schema');
      await writer.submit(null);
    },
    figures: () => writer.figures(),
    openWriterPort: () => writer.openPort(),
    finishSoon: () => writer.finishSoon(),
    async close() {
      // The last connection to close copies the WAL back into the file, so it must be the writing one.
      if (database.isOpen) database.close();
      await writer.close();
    },
  };
}
