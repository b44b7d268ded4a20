import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const CALLS = 'write,writev,sendto,sendmsg,pwrite64,pwritev,pwritev2,fsync,fdatasync';
/** The limit is larger than everything that one call writes. */
const SHOWN_BYTES = 1_000_000;

export interface SystemCallTrace {
  stop(): Promise<void>;
}

/**
 * Writes the calls of all threads of a process that write or synchronise into a file, with file names and bytes, in the order in
 * which they begin and end. Returns null where the system does not permit it.
 */
export async function traceSystemCalls(pid: number, file: string): Promise<SystemCallTrace | null> {
  const options = ['-f', '-yy', '-xx', '-s', String(SHOWN_BYTES), '-e', `trace=${CALLS}`];
  const child = spawn('strace', [...options, '-o', file, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  const attached = new Promise<boolean>((resolve) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line.includes('attached')) resolve(true);
    });
    exited.then(
      () => resolve(false),
      () => resolve(false),
    );
  });
  if (!(await attached)) return null;
  return {
    stop: async () => {
      child.kill('SIGINT');
      await exited;
    },
  };
}
