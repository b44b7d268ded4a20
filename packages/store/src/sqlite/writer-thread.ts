import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { openWriter } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import type { Job, Request } from './messages.ts';

/** Bounds how long the first job of a group waits for the last. */
const JOBS_PER_GROUP_MAX = 256;

if (parentPort === null) throw new Error('the writer runs in a thread of its own');
const port = parentPort;
const database = openWriter(workerData.file);
const groupCommit = new GroupCommit(database);

const waiting: Request[] = [];
let working = false;

port.on('message', (request: Request) => {
  waiting.push(request);
  if (!working) void work();
});

/** Whatever arrived while one group was being written makes up the next. */
async function work(): Promise<void> {
  working = true;
  for (let group = nextGroup(); group.length > 0; group = nextGroup()) {
    port.postMessage(await groupCommit.run(group));
  }
  working = false;
  if (waiting[0] === 'close') {
    database.close();
    port.close();
  }
}

function nextGroup(): Job[] {
  for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port)) {
    waiting.push(more.message);
  }
  const group: Job[] = [];
  while (group.length < JOBS_PER_GROUP_MAX) {
    const [first] = waiting;
    if (first === undefined || first === 'close') break;
    group.push(first);
    waiting.shift();
  }
  return group;
}
