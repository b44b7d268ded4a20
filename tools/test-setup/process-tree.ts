import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const POLL_MS = 10;

/** Suspends a process and its children. The parent is suspended first, so that it starts no further child meanwhile. */
export async function suspendProcessTree(pid: number): Promise<void> {
  signal(pid, 'SIGSTOP');
  for (const child of await childrenOf(pid)) signal(child, 'SIGSTOP');
}

export async function resumeProcessTree(pid: number): Promise<void> {
  for (const child of await childrenOf(pid)) signal(child, 'SIGCONT');
  signal(pid, 'SIGCONT');
}

/** Kills a process and its children without a chance to clean up, and waits until the children have ended. */
export async function killProcessTree(pid: number): Promise<void> {
  signal(pid, 'SIGSTOP');
  const children = await childrenOf(pid);
  for (const member of [...children, pid]) signal(member, 'SIGKILL');
  const isLeft = (one: Process): boolean => children.includes(one.pid) && !one.state.startsWith('Z');
  while ((await allProcesses()).some(isLeft)) await sleep(POLL_MS);
}

export async function childrenOf(pid: number): Promise<number[]> {
  return (await allProcesses()).flatMap((one) => (one.parent === pid ? [one.pid] : []));
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
}

async function allProcesses(): Promise<Process[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=']);
  return stdout.split('\n').map((line) => {
    const [pid, parent, state = ''] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), state };
  });
}

/** A child may have ended since it was listed, which is not a fault. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
