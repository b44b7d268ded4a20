import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { UseCases } from '../engine.ts';
import { openWriter } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import type { Job, Request } from './messages.ts';

/** Limits how long the first write of a group waits for the last. */
const JOBS_PER_GROUP_MAX = 256;

if (parentPort === null) throw new Error('the writer runs in a thread of its own');
const port = parentPort;
const database = openWriter(workerData.file);
const { callUseCase }: Pick<UseCases, 'callUseCase'> = await import(workerData.useCasesUrl);
const groupCommit = new GroupCommit(database, callUseCase);

const urgent: Job[] = [];
const waiting: Job[] = [];
let isClosing = false;
let working = false;

port.on('message', (request: Request) => {
  take(request);
  if (!working) void work();
});

function take(request: Request): void {
  if (request === 'close') isClosing = true;
  else (request.isUrgent ? urgent : waiting).push(request);
}

/** The writes that arrive while one group is written form the next group. */
async function work(): Promise<void> {
  working = true;
  for (let group = nextGroup(); group.length > 0; group = nextGroup()) {
    port.postMessage(await groupCommit.run(group));
  }
  working = false;
  if (isClosing) {
    database.close();
    port.close();
  }
}

function nextGroup(): Job[] {
  for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port)) {
    take(more.message);
  }
  const group: Job[] = [];
  for (const queue of [urgent, waiting]) {
    while (group.length < JOBS_PER_GROUP_MAX) {
      const first = queue.shift();
      if (first === undefined) break;
      group.push(first);
    }
  }
  return group;
}
