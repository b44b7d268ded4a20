import { backUp } from '@granary/server/backup/backup';
import { readSettings } from '@granary/server/settings';
import { describeContents, interruptible, progressOf } from '../backup-output.ts';
import { type Command, parseOptions } from '../command.ts';

const BYTES_PER_MEGABYTE = 1_000_000;

export const backup: Command = {
  help: `Usage: granary backup [--to <file or folder>]

Copies the database of the data folder (GRANARY_DATA_DIR) into one file, also while the service runs, and checks the copy.
Everything that was acknowledged before the command began is in it. The file contains secrets and is readable by its owner only.

  --to <file>     a new file
  --to <folder>   a folder; the file is called granary-<time>.db
                  (without --to: GRANARY_BACKUP_DIR, or the folder backups in the data folder)

A service with GRANARY_DATABASE_URL keeps its data in PostgreSQL: use pg_dump (docs/backup.md).
granary restore makes a backup the database again.`,

  async run(args, environment) {
    const { values } = parseOptions({ args, options: { to: { type: 'string' } } });
    const settings = readSettings(environment.env);
    const onProgress = progressOf(environment);
    const { file, bytes, ...contents } = await interruptible((signal) =>
      backUp(settings, values.to ?? settings.backupDir, Date.now(), { onProgress, signal }),
    );
    environment.print(`${file} (${(bytes / BYTES_PER_MEGABYTE).toFixed(1)} MB) is written and checked:`);
    environment.print(describeContents(contents));
    return 0;
  },
};
