import { type Move, type MoveFailure, type MovePlan, openMove } from '@granary/server/process/open-move';
import { readSettings } from '@granary/server/process/settings';
import { confirm } from '../../frame/ask.ts';
import type { Define, Environment } from '../../frame/environment.ts';
import { CommandFailure, EXIT, UsageError } from '../../frame/failures.ts';
import { withExamples, withJson } from '../../frame/options.ts';
import { interruptible } from '../../running/backup-output.ts';
import { describePlan, moveProgress, whole } from '../../running/move-output.ts';
import { outputOf } from '../../terminal/output.ts';

const MS_PER_S = 1_000;

interface Values {
  readonly from?: string;
  readonly to?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const migrate: Define = (command, environment) => {
  command
    .description(
      'Copies the embedded store of a data folder to an empty PostgreSQL database and compares every row. Stop the service first. An interrupted copy goes on where it stopped when the command is repeated. The store itself is not changed.',
    )
    .option('--from <folder>', 'the data folder (default: GRANARY_DATA_DIR, or .granary)')
    .option('--to <address>', 'the database, as postgres://… (default: GRANARY_DATABASE_URL)')
    .option('--dry-run', 'only say what would be copied; the service may run meanwhile')
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      '\nEvery user of a machine can see command lines: an address with a password is better set in GRANARY_DATABASE_URL.\ndocs/moving-to-postgresql.md says what to do before and after.',
    );
  withExamples(
    command,
    'granary migrate --dry-run',
    'granary migrate --from /var/lib/granary --to postgres://granary@db.example/granary',
  );
  withJson(command).action(async (values: Values) => {
    const settings = readSettings(environment.env);
    const databaseUrl = values.to ?? settings.databaseUrl;
    if (databaseUrl === null) {
      throw new UsageError('to which database?', {
        cure: 'Name it with GRANARY_DATABASE_URL or --to postgres://…',
      });
    }
    const places = { dataDir: values.from ?? settings.dataDir, databaseUrl };
    await explained(async () => {
      const move = await openMove(places, { isDryRun: values.dryRun === true });
      try {
        await carryOut(move, values, environment);
      } finally {
        await move.close();
      }
    });
  });
};

async function carryOut(move: Move, { dryRun, yes, json }: Values, environment: Environment): Promise<void> {
  const { plan } = move;
  const output = outputOf(environment, json);
  if (dryRun === true) {
    output.one(planRecord(plan), () => `${describePlan(plan)}\nNothing was changed.`);
    return;
  }
  output.note(describePlan(plan));
  await confirm('Copy it?', yes, environment);
  const beganMs = performance.now();
  const tables = await interruptible((signal) => move.run({ onProgress: moveProgress(environment), signal }));
  const seconds = (performance.now() - beganMs) / MS_PER_S;
  const { action, from, to, rows, rows_copied_before } = planRecord(plan);
  output.one({ from, to, action, rows, rows_copied_before, seconds, tables }, () =>
    [
      `${whole(plan.rows)} rows are copied and compared in ${seconds.toFixed(1)} s: counts and checksums are the same.`,
      `Set GRANARY_DATABASE_URL to this database and start the service. Keep GRANARY_DATA_DIR: the key in its file admin-key stays valid.`,
      `The store in ${plan.from} is unchanged; what the service stores from now on is in the database only.`,
    ].join('\n'),
  );
}

const planRecord = ({ from, to, action, bytes, rows, rowsCopied, tables }: MovePlan) => ({
  from,
  to,
  action,
  bytes,
  rows,
  rows_copied_before: rowsCopied,
  tables,
});

async function explained(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isMoveFailure(error)) throw error;
    const { message, cure, kind } = error;
    throw new CommandFailure(message, { exitCode: EXIT_CODES[kind], cure, cause: error });
  }
}

const isMoveFailure = (error: unknown): error is MoveFailure =>
  error instanceof Error && error.name === 'MoveError';

const EXIT_CODES = {
  failed: EXIT.failed,
  unreachable: EXIT.notReachable,
  interrupted: EXIT.interrupted,
} as const;
