import {
  type Move,
  type MoveFailure,
  type MovePlan,
  type MoveStep,
  openMove,
} from '@granary/server/process/open-store';
import { readSettings } from '@granary/server/process/settings';
import type { Define, Environment } from '../../program/environment.ts';
import { confirm } from '../../program/environment.ts';
import { CommandFailure, EXIT, UsageError } from '../../program/explain.ts';
import { withExamples, withJson } from '../../program/options.ts';
import { outputOf } from '../../terminal/output.ts';
import { progressBar } from '../../terminal/progress.ts';
import { interruptible } from './backup.ts';

const BYTES_PER_MEGABYTE = 1_000_000;
const SHOWN_EVERY_MS = 200;
const ACTIONS: Readonly<Record<MovePlan['action'], string>> = {
  begin: 'is empty',
  resume: 'has a part of this copy already, which goes on where it stopped',
  begin_again: 'has a part of an earlier copy, which begins again because the store has changed since',
};
const MS_PER_S = 1_000;
const EXIT_CODES = {
  failed: EXIT.failed,
  unreachable: EXIT.notReachable,
  interrupted: EXIT.interrupted,
} as const;

export const whole = (count: number): string => count.toLocaleString('en-US');

/** Describes what will be copied, for a person who has to agree. */
export function describePlan({ from, to, bytes, rows, tables, action, rowsCopied }: MovePlan): string {
  const filled = tables.filter((table) => table.rows > 0);
  const nameWidth = Math.max(0, ...filled.map(({ name }) => name.length));
  const countWidth = Math.max(0, ...filled.map((table) => whole(table.rows).length));
  return [
    `${from} (${(bytes / BYTES_PER_MEGABYTE).toFixed(1)} MB) has ${whole(rows)} rows:`,
    ...filled.map((table) => `  ${table.name.padEnd(nameWidth)}  ${whole(table.rows).padStart(countWidth)}`),
    `The database ${to} ${ACTIONS[action]}.`,
    ...(rowsCopied === 0 ? [] : [`${whole(rowsCopied)} rows are copied already.`]),
  ].join('\n');
}

/** Shows the progress as a bar on a terminal. Copying is the first half, comparing the second one. */
export function moveProgress({
  showProgress,
  terminal,
}: Pick<Environment, 'showProgress' | 'terminal'>): (step: MoveStep) => void {
  let shownMs = Number.NEGATIVE_INFINITY;
  return ({ phase, table, rowsDone, rows }) => {
    const nowMs = performance.now();
    if (nowMs - shownMs < SHOWN_EVERY_MS) return;
    shownMs = nowMs;
    const share = rows === 0 ? 0 : rowsDone / rows;
    const total = phase === 'copying' ? share / 2 : (1 + share) / 2;
    const words = `${Math.floor(total * 100)} % ${phase} ${table}, ${whole(rowsDone)} of ${whole(rows)} rows`;
    showProgress?.(progressBar(total, words, terminal));
  };
}

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
