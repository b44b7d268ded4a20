import { fork } from 'node:child_process';
import type { BackupOrder, BackupOutcome } from './backup-process.ts';

/** Runs one backup in a process of its own; the signal ends that process. */
export async function runBackup(order: BackupOrder, signal: AbortSignal): Promise<BackupOutcome> {
  // Without the environment of the service, which contains secrets.
  const child = fork(new URL('./backup-process.ts', import.meta.url), {
    execArgv: [],
    env: {},
    signal,
    killSignal: 'SIGKILL' as const,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let outcome: BackupOutcome | undefined;
  child.once('message', (message: BackupOutcome) => {
    outcome = message;
  });
  const reason = await new Promise<unknown>((resolve) => {
    child.once('exit', (code, killedBy) => resolve(killedBy ?? code));
    // Also the end by the signal is reported as an error.
    child.once('error', resolve);
    child.send(order, (error) => {
      if (error !== null) resolve(error);
    });
  });
  return outcome ?? { failure: `the backup process ended unexpectedly: ${String(reason)}` };
}
