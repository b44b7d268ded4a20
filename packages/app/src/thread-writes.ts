import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { type CountedChannel, CountedReceiver, newCount, sendCounted } from '@granary/common/counted-channel';
import { monotonicMs } from '@granary/common/monotonic-ms';
import type { UseCaseCall } from '@granary/store/engine';
import { clientOver, type WriterClient } from '@granary/store/sqlite/writer-client';
import type { Committed } from './effects.ts';
import type { WriteSlices } from './use-cases.ts';

/** What another thread needs to write by itself; the ports in it must be transferred. */
export interface ThreadWritePorts {
  readonly writer: MessagePort;
  readonly reports: CountedChannel;
}

/** Tells the main thread about a write of another thread. */
interface WriteReport extends Pick<Committed<unknown>, 'effects'> {
  /** When the write began, by `monotonicMs`. */
  readonly begunAtMs: number;
}

/** Counts writes and how long they took. */
export class WriteMeter {
  #writes = 0;
  #failedWrites = 0;
  #writeMs = 0;

  async measure<T>(write: Promise<T>): Promise<T> {
    const startedMs = performance.now();
    this.#writes++;
    try {
      return await write;
    } catch (error) {
      this.#failedWrites++;
      throw error;
    } finally {
      this.#writeMs += performance.now() - startedMs;
    }
  }

  figures() {
    return { writes: this.#writes, failedWrites: this.#failedWrites, writeMs: this.#writeMs };
  }
}

/** Writes from another thread. The main thread is told about each write before the caller in this thread is. */
export class ThreadWriter {
  readonly #client: WriterClient;
  readonly #reports: CountedChannel;
  readonly #meter = new WriteMeter();

  constructor({ writer, reports }: ThreadWritePorts) {
    this.#client = clientOver(writer);
    this.#reports = reports;
  }

  async write(call: UseCaseCall): Promise<unknown> {
    const begunAtMs = monotonicMs();
    const done = (await this.#meter.measure(this.#client.submit(call))) as Committed<unknown>;
    const report: WriteReport = { effects: done.effects, begunAtMs };
    sendCounted(this.#reports, report);
    return done.result;
  }

  figures() {
    return { ...this.#meter.figures(), pendingWrites: this.#client.pendingWrites };
  }
}

type Written = (effects: Committed<unknown>['effects'], begunAtMs: number) => void;

/** The main thread's side: `written` is called for every write of another thread, with its beginning by `performance.now()`. */
export class ThreadWriteReports {
  readonly #written: Written;
  readonly #receivers = new Set<CountedReceiver<WriteReport>>();

  constructor(written: Written) {
    this.#written = written;
  }

  open(writer: MessagePort): ThreadWritePorts {
    const { port1, port2 } = new MessageChannel();
    const sent = newCount();
    const receiver = new CountedReceiver<WriteReport>({ port: port1, sent }, ({ effects, begunAtMs }) =>
      this.#written(effects, performance.now() - (monotonicMs() - begunAtMs)),
    );
    this.#receivers.add(receiver);
    receiver.start();
    port1.once('close', () => this.#receivers.delete(receiver));
    return { writer, reports: { port: port2, sent } };
  }

  close(): void {
    for (const receiver of this.#receivers) receiver.stop();
  }

  /** Takes all reports that have arrived: afterwards every write is known of which a device may have been told. */
  takeArrived(): void {
    for (const receiver of this.#receivers) receiver.takeArrived();
  }
}

type Replies<Slice extends 'operations' | 'commands' | 'missions'> = Pick<
  WriteSlices[Slice],
  'acknowledged' | 'progressed'
>;

/** The writes that messages of devices cause. */
export interface DeviceWrites {
  readonly telemetry: Pick<WriteSlices['telemetry'], 'append'>;
  readonly devices: Pick<WriteSlices['devices'], 'recordState' | 'recordLinkDown'>;
  readonly operations: Replies<'operations'>;
  readonly commands: Replies<'commands'>;
  readonly missions: Replies<'missions'>;
}

const REPLIES = ['acknowledged', 'progressed'] as const;

const DEVICE_WRITES = {
  telemetry: ['append'],
  devices: ['recordState', 'recordLinkDown'],
  operations: REPLIES,
  commands: REPLIES,
  missions: REPLIES,
} as const satisfies { readonly [Slice in keyof DeviceWrites]: readonly (keyof DeviceWrites[Slice])[] };

type Functions = Record<string, (...args: unknown[]) => Promise<unknown>>;
type Write = (call: UseCaseCall) => Promise<unknown>;

/** Binds these writes without loading the use cases. */
export const deviceWrites = (write: Write): DeviceWrites => bindNamed<DeviceWrites>(DEVICE_WRITES, write);

/** Binds the writes of these names, of which `Slices` is the type. */
function bindNamed<Slices>(named: Readonly<Record<string, readonly string[]>>, write: Write): Slices {
  const bound =
    (slice: string, name: string): Functions[string] =>
    (...args) =>
      write({ slice, name, args, idempotency: null, attempt: null });
  return Object.fromEntries(
    Object.entries(named).map(([slice, names]) => [
      slice,
      Object.fromEntries(names.map((name) => [name, bound(slice, name)])),
    ]),
  ) as Slices;
}
