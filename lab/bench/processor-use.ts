import { readFile } from 'node:fs/promises';
import { childrenOf } from '../../tools/test-setup/process-tree.ts';

/** The unit of /proc on Linux. */
const TICK_MS = 10;

/** The processor time of a process, with all its threads and the children that it has and had. */
export async function processorMs(pid: number): Promise<number> {
  const children = await childrenOf(pid);
  const parts = await Promise.all([pid, ...children].map(ownMs));
  return parts.reduce((sum, ms) => sum + ms, 0);
}

async function ownMs(pid: number): Promise<number> {
  // A child may have ended since it was listed; its parent has its time then.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return 0;
  // The name of the program, in brackets, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system, childrenUser, childrenSystem] = fields.slice(11, 15).map(Number);
  return TICK_MS * ((user ?? 0) + (system ?? 0) + (childrenUser ?? 0) + (childrenSystem ?? 0));
}
