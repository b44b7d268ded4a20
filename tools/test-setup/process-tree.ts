import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Suspends a process and its children; the parent first, so that it starts no further child meanwhile. */
export async function suspendProcessTree(pid: number): Promise<void> {
  signal(pid, 'SIGSTOP');
  for (const child of await childrenOf(pid)) signal(child, 'SIGSTOP');
}

export async function resumeProcessTree(pid: number): Promise<void> {
  for (const child of await childrenOf(pid)) signal(child, 'SIGCONT');
  signal(pid, 'SIGCONT');
}

/** Kills a process and its children without a chance to clean up. */
export async function killProcessTree(pid: number): Promise<void> {
  signal(pid, 'SIGSTOP');
  const children = await childrenOf(pid);
  for (const member of [...children, pid]) signal(member, 'SIGKILL');
}

export async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
  return stdout.split('\n').flatMap((line) => {
    const [child, parent] = line.trim().split(/\s+/).map(Number);
    return child !== undefined && parent === pid ? [child] : [];
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
