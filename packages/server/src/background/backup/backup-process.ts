import { constants, setPriority } from 'node:os';
import { backUp } from './backup.ts';

/** The order that this process gets as its only message. */
export interface BackupOrder {
  readonly dataDir: string;
  readonly folder: string;
  readonly nowMs: number;
}

export type BackupOutcome = { readonly file: string; readonly bytes: number } | { readonly failure: string };

/** One scheduled backup. It runs in a process of its own, because checking a large copy would hold up the service. */
process.once('message', async ({ dataDir, folder, nowMs }: BackupOrder) => {
  setPriority(constants.priority.PRIORITY_LOW);
  const outcome = await backUp({ databaseUrl: null, dataDir }, folder, nowMs).then(
    ({ file, bytes }): BackupOutcome => ({ file, bytes }),
    (error: unknown): BackupOutcome => ({ failure: error instanceof Error ? error.message : String(error) }),
  );
  process.send?.(outcome, () => process.disconnect?.());
});

// The service has ended.
process.once('disconnect', () => process.exit());
