import { restore as restoreBackup } from '@granary/server/backup/restore';
import { readSettings } from '@granary/server/settings';
import { describeContents, interruptible, progressOf } from '../backup-output.ts';
import { type Command, parseOptions, required, UsageError } from '../command.ts';

export const restore: Command = {
  help: `Usage: granary restore <file> [--force]

Makes a backup the database of the data folder (GRANARY_DATA_DIR). The backup is checked before anything is replaced.
Stop the service first.

  --force   replace an existing database; it is kept beside the new one as granary.db.before-<time>

What happened after the backup is not known to the restored service: revoked keys are valid again, emergency stops given since
are not in force, and operations and missions have the status of that time. docs/backup.md says what to look at.`,

  async run(args, environment) {
    const { values, positionals } = parseOptions({
      args,
      options: { force: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    const [file, ...more] = positionals;
    if (more.length > 0) throw new UsageError('one file at a time');
    const backupFile = required(file, 'the backup file');
    const settings = readSettings(environment.env);
    const onProgress = progressOf(environment);
    const { kept, ...contents } = await interruptible((signal) =>
      restoreBackup(settings, backupFile, Date.now(), { replace: values.force, onProgress, signal }),
    );
    environment.print(`${settings.dataDir} now has the data of ${backupFile}:`);
    environment.print(describeContents(contents));
    if (kept !== null) environment.print(`The replaced database is ${kept}`);
    return 0;
  },
};
