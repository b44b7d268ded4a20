import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { UseCases, WriterPort } from '../engine.ts';
import { openWriter } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { JobQueue } from './job-queue.ts';
import { type Outcome, portNumberOf, type Request } from './messages.ts';

interface WriterData {
  readonly file: string;
  readonly commits: Int32Array;
}

/** Writes what the main thread and the threads with a port of their own send, until the main thread says that this was all. */
export function runWriter(callUseCase: UseCases['callUseCase']): void {
  if (parentPort === null) throw new Error('the writer runs in a thread of its own');
  const { file, commits }: WriterData = workerData;
  /** By number; the main thread is 0 and comes first. */
  const ports: MessagePort[] = [parentPort];
  const database = openWriter(file);
  const groupCommit = new GroupCommit(database, callUseCase);

  const queue = new JobQueue();
  let isClosing = false;
  let working = false;

  listenTo(parentPort);

  function listenTo(port: MessagePort): void {
    port.on('message', (request: Request) => {
      take(request);
      if (!working) void work();
    });
  }

  function take(request: Request): void {
    if (request === 'close') isClosing = true;
    else if ('port' in request) addPort(request);
    else queue.add(request);
  }

  function addPort({ port, number }: WriterPort): void {
    ports[number] = port;
    listenTo(port);
  }

  function takeArrived(): void {
    for (const port of ports) {
      for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port)) {
        take(more.message);
      }
    }
  }

  /** The writes that arrive while one group is written form the next group. */
  async function work(): Promise<void> {
    working = true;
    for (takeArrived(); !queue.isEmpty; takeArrived()) {
      const outcomes = await groupCommit.run(queue.nextGroup(takeArrived), () => queue.takeAll());
      Atomics.add(commits, 0, 1);
      answer(outcomes);
    }
    working = false;
    if (isClosing) {
      database.close();
      for (const port of ports) port.close();
    }
  }

  function answer(outcomes: readonly Outcome[]): void {
    for (const [number, port] of ports.entries()) {
      const own = ports.length === 1 ? outcomes : outcomes.filter((one) => portNumberOf(one) === number);
      if (own.length > 0) port.postMessage(own);
    }
  }
}
