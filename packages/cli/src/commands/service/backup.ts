import { toIso } from '@granary/contract/time';
import { backUp, restore as restoreBackup } from '@granary/server/background/backup/backup';
import { readSettings } from '@granary/server/process/settings';
import type { Define, Environment } from '../../program/environment.ts';
import { withExamples, withJson } from '../../program/options.ts';
import { outputOf } from '../../terminal/output.ts';

interface Figures {
  readonly schemaVersion: number;
  readonly devices: number;
  readonly keys: number;
  readonly newestReadingMs: number | null;
}

function describeContents({ schemaVersion, devices, keys, newestReadingMs }: Figures): string {
  const newest =
    newestReadingMs === null ? 'no readings' : `the newest reading is of ${toIso(newestReadingMs)}`;
  return `${devices} devices, ${keys} keys, ${newest}; schema ${schemaVersion}`;
}

/** Shows the copied share in whole percent on a terminal. */
function progressOf({ showProgress }: Environment): (share: number) => void {
  let shown = -1;
  return (share) => {
    const percent = Math.floor(share * 100);
    if (percent === shown) return;
    shown = percent;
    showProgress?.(`${percent} % copied`);
  };
}

/** Ctrl+C and a stop by the system end the work, and everything incomplete is removed. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, abort);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of signals) process.off(signal, abort);
  }
}

const BYTES_PER_MEGABYTE = 1_000_000;

interface BackupValues {
  readonly to?: string;
  readonly json?: boolean;
}

export const backup: Define = (command, environment) => {
  command
    .description(
      'Copies the database of the data folder (GRANARY_DATA_DIR) into one file, also while the service runs, and checks the copy. Everything that was acknowledged before the command began is in it. The file contains secrets and is readable by its owner only.',
    )
    .option(
      '--to <place>',
      'a new file, or a folder for granary-<time>.db (default: GRANARY_BACKUP_DIR, or the folder backups in the data folder)',
    )
    .addHelpText(
      'after',
      '\nA service with GRANARY_DATABASE_URL keeps its data in PostgreSQL: use pg_dump (docs/backup.md).\ngranary restore makes a backup the database again.',
    );
  withExamples(command, 'granary backup', 'granary backup --to /mnt/backups');
  withJson(command).action(async ({ to, json }: BackupValues) => {
    const settings = readSettings(environment.env);
    const onProgress = progressOf(environment);
    const done = await interruptible((signal) =>
      backUp(settings, to ?? settings.backupDir, Date.now(), { onProgress, signal }),
    );
    const { file, bytes, ...contents } = done;
    outputOf(environment, json).one(
      done,
      () =>
        `${file} (${(bytes / BYTES_PER_MEGABYTE).toFixed(1)} MB) is written and checked:\n${describeContents(contents)}`,
    );
  });
};

interface RestoreValues {
  readonly force?: boolean;
  readonly json?: boolean;
}

export const restore: Define = (command, environment) => {
  command
    .argument('<file>', 'a file that granary backup has written')
    .description(
      'Makes a backup the database of the data folder (GRANARY_DATA_DIR). The backup is checked before anything is replaced. Stop the service first.',
    )
    .option(
      '--force',
      'replace an existing database; it is kept beside the new one as granary.db.before-<time>',
    )
    .addHelpText(
      'after',
      `
What happened after the backup is not known to the restored service: revoked keys are valid again, emergency stops given
since are not in force, and operations and missions have the status of that time. docs/backup.md says what to look at.`,
    );
  withExamples(command, 'granary restore .granary/backups/granary-20261115T120000Z.db --force');
  withJson(command).action(async (file: string, { force = false, json }: RestoreValues) => {
    const settings = readSettings(environment.env);
    const onProgress = progressOf(environment);
    const done = await interruptible((signal) =>
      restoreBackup(settings, file, Date.now(), { replace: force, onProgress, signal }),
    );
    const { kept, ...contents } = done;
    outputOf(environment, json).one(done, () => {
      const lines = [`${settings.dataDir} now has the data of ${file}:`, describeContents(contents)];
      return [...lines, ...(kept === null ? [] : [`The replaced database is ${kept}`])].join('\n');
    });
  });
};
