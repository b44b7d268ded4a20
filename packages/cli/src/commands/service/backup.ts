import { backUp } from '@granary/server/background/backup/backup';
import { readSettings } from '@granary/server/process/settings';
import type { Define } from '../../frame/define.ts';
import { withExamples, withJson } from '../../frame/options.ts';
import { outputOf } from '../../frame/output.ts';
import { describeContents, interruptible, progressOf } from '../../running/backup-output.ts';

const BYTES_PER_MEGABYTE = 1_000_000;

interface Values {
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
  withJson(command).action(async ({ to, json }: Values) => {
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
