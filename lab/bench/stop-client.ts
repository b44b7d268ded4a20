import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Credentials } from './farm.ts';
import { endProcess } from './generator.ts';
import type { Addresses } from './service-process.ts';
import { type StopOutcome, StoppableRover, StoppableSilo } from './stoppable-device.ts';

/** Devices that are used once, because an operation that is stopped and an emergency stop stay in force. */
export interface StopDevices {
  readonly silos: readonly Credentials[];
  readonly rovers: readonly Credentials[];
}

export interface StopTimes {
  readonly operation: readonly StopOutcome[];
  readonly emergency: readonly StopOutcome[];
}

/** The number of answers with each status; 0 stands for a connection that ended without an answer. */
export type Answers = Record<number, number>;

interface Calls {
  connect(service: Addresses): Promise<void>;
  /** Starts an operation on each silo, one after the other. */
  start(): Promise<void>;
  /** Starts an operation on each silo at the same moment. */
  startAtOnce(): Promise<Answers>;
  /**
   * Stops all silos and rovers; a request does not wait for the answer to the one before. `apartMs` is the mean time between
   * two requests.
   */
  stop(apartMs: number): Promise<StopTimes>;
  leave(): Promise<void>;
}

interface Call {
  readonly name: keyof Calls;
  readonly args: readonly unknown[];
}

interface Reply {
  readonly result?: unknown;
  readonly failed?: string;
}

/** Devices and the client that stops them, in a process of their own; one call at a time. */
export class StopClientProcess implements Calls {
  readonly #child: ChildProcess;

  constructor(devices: StopDevices) {
    this.#child = fork(import.meta.filename);
    this.#child.send(devices);
  }

  connect = (service: Addresses): Promise<void> => this.#call('connect', service);
  start = (): Promise<void> => this.#call('start');
  startAtOnce = (): Promise<Answers> => this.#call('startAtOnce');
  stop = (apartMs: number): Promise<StopTimes> => this.#call('stop', apartMs);
  leave = (): Promise<void> => this.#call('leave');
  end = (): Promise<void> => endProcess(this.#child);

  async #call<Result>(name: keyof Calls, ...args: readonly unknown[]): Promise<Result> {
    const replied = once(this.#child, 'message');
    this.#child.send({ name, args } satisfies Call);
    const [{ result, failed }] = (await replied) as [Reply];
    if (failed !== undefined) throw new Error(failed);
    return result as Result;
  }
}

/** Devices, and the client that starts and stops their operations. */
class StopClient implements Calls {
  readonly #silos: readonly StoppableSilo[];
  readonly #rovers: readonly StoppableRover[];

  constructor({ silos, rovers }: StopDevices) {
    this.#silos = silos.map((silo) => new StoppableSilo(silo));
    this.#rovers = rovers.map((rover) => new StoppableRover(rover));
  }

  async connect(service: Addresses): Promise<void> {
    await Promise.all(this.#all().map((device) => device.connect(service)));
  }

  async start(): Promise<void> {
    for (const silo of this.#silos) await silo.start();
  }

  async startAtOnce(): Promise<Answers> {
    const answers: Answers = {};
    await Promise.all(
      this.#silos.map(async (silo) => {
        const status = await silo.start().then(() => 200, statusOf);
        answers[status] = (answers[status] ?? 0) + 1;
      }),
    );
    return answers;
  }

  async stop(apartMs: number): Promise<StopTimes> {
    const operation: Promise<StopOutcome>[] = [];
    const emergency: Promise<StopOutcome>[] = [];
    const pause = (): Promise<void> => sleep(2 * apartMs * Math.random());
    for (const [index, silo] of this.#silos.entries()) {
      await pause();
      operation.push(silo.timeStop());
      const rover = this.#rovers[index];
      if (rover === undefined) continue;
      await pause();
      emergency.push(rover.timeStop());
    }
    return { operation: await Promise.all(operation), emergency: await Promise.all(emergency) };
  }

  async leave(): Promise<void> {
    await Promise.all(this.#all().map((device) => device.leave()));
  }

  #all(): readonly (StoppableSilo | StoppableRover)[] {
    return [...this.#silos, ...this.#rovers];
  }
}

const statusOf = (error: Error): number => Number(/: (\d{3}) /.exec(error.message)?.[1] ?? 0);

if (import.meta.main) {
  let client: StopClient | null = null;
  process.on('message', (message: StopDevices | Call) => {
    if (!('name' in message)) {
      client = new StopClient(message);
      return;
    }
    const act = client?.[message.name] as ((...args: unknown[]) => Promise<unknown>) | undefined;
    Promise.resolve(act?.apply(client, [...message.args])).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ failed: String(error) }),
    );
  });
  // The parent process has ended.
  process.once('disconnect', () => process.exit());
}
