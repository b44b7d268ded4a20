import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { UseCases } from '../engine.ts';
import { openWriter } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { JobQueue } from './job-queue.ts';
import type { Request } from './messages.ts';

if (parentPort === null) throw new Error('the writer runs in a thread of its own');
const port = parentPort;
const database = openWriter(workerData.file);
const { callUseCase }: Pick<UseCases, 'callUseCase'> = await import(workerData.useCasesUrl);
const groupCommit = new GroupCommit(database, callUseCase);

const queue = new JobQueue();
let isClosing = false;
let working = false;

port.on('message', (request: Request) => {
  take(request);
  if (!working) void work();
});

function take(request: Request): void {
  if (request === 'close') isClosing = true;
  else queue.add(request);
}

function takeArrived(): void {
  for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port)) {
    take(more.message);
  }
}

/** The writes that arrive while one group is written form the next group. */
async function work(): Promise<void> {
  working = true;
  for (takeArrived(); !queue.isEmpty; takeArrived()) {
    port.postMessage(await groupCommit.run(queue.nextGroup(takeArrived), () => queue.takeAll()));
  }
  working = false;
  if (isClosing) {
    database.close();
    port.close();
  }
}
