import { restore as restoreBackup } from '@granary/server/background/backup/restore';
import { readSettings } from '@granary/server/process/settings';
import type { Define } from '../../frame/define.ts';
import { withExamples, withJson } from '../../frame/options.ts';
import { outputOf } from '../../frame/output.ts';
import { describeContents, interruptible, progressOf } from '../../running/backup-output.ts';

interface Values {
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
  withJson(command).action(async (file: string, { force = false, json }: Values) => {
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
