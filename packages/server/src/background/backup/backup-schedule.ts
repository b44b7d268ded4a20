import { fork } from 'node:child_process';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PeriodicWork } from '@granary/common/periodic-work';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { codeOf, fileFault } from '@granary/store/errors';
import type { Logger } from '../../process/logging/logger.ts';
import { gauge, type Metric } from '../../process/metrics/exposition.ts';
import type { Settings } from '../../process/settings.ts';
import type { Worker } from '../worker.ts';
import { isBackupName, isPartialName, timeOfBackup } from './backup.ts';
import type { BackupOrder, BackupOutcome } from './backup-process.ts';

/** An unfinished backup of this age is no longer being written. */
const ABANDONED_AFTER_MS = DAY_MS;

/** How soon it is noticed that a backup is due. */
const CHECK_MS = MINUTE_MS;
/** After a failure the next attempt is not later than this. */
const RETRY_MS_MAX = HOUR_MS;

interface ScheduleParts {
  readonly dataDir: string;
  readonly folder: string;
  readonly everyHours: number;
  readonly keep: number;
  readonly logger: Logger;
  readonly now: () => number;
}

export interface BackupStatus {
  /** `null` before the first backup. */
  readonly lastBackupMs: number | null;
  /** True when the last attempt failed. */
  readonly isFailing: boolean;
}

/** `null` where no backups are scheduled. */
export function backupScheduleOf(
  settings: Settings,
  logger: Logger,
  now: () => number,
): BackupSchedule | null {
  const { dataDir, backupDir: folder, backupEveryHours: everyHours, backupKeep: keep } = settings;
  return folder === null ? null : new BackupSchedule({ dataDir, folder, everyHours, keep, logger, now });
}

/** Makes a backup at regular times. The newest file in the folder tells when the next is due, so a restart changes nothing. */
export class BackupSchedule implements Worker {
  readonly #parts: ScheduleParts;
  readonly #stopped = new AbortController();
  readonly #checks: PeriodicWork;
  #notBeforeMs = 0;
  #status: BackupStatus = { lastBackupMs: null, isFailing: false };

  constructor(parts: ScheduleParts) {
    this.#parts = parts;
    this.#checks = new PeriodicWork({
      doing: 'looking for a backup that is due',
      everyMs: CHECK_MS,
      logger: parts.logger,
      run: () => this.#backUpIfDue().catch((error: unknown) => this.#failed(reasonOf(error))),
    });
  }

  get status(): BackupStatus {
    return this.#status;
  }

  metrics(): Metric[] {
    const { lastBackupMs, isFailing } = this.#status;
    const newest = 'granary_backup_last_timestamp_seconds';
    return [
      gauge('granary_backup_failing', 'Whether the last scheduled backup failed.', isFailing ? 1 : 0),
      gauge(newest, 'The time of the newest backup, 0 without one.', (lastBackupMs ?? 0) / SECOND_MS),
    ];
  }

  start(): void {
    this.#checks.start();
  }

  /** A backup that is being written is abandoned. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#checks.stop();
  }

  async #backUpIfDue(): Promise<void> {
    const { dataDir, folder, everyHours, keep, logger, now } = this.#parts;
    const nowMs = now();
    if (nowMs < this.#notBeforeMs) return;
    const lastBackupMs = await newestBackupMs(folder);
    this.#status = { ...this.#status, lastBackupMs };
    if (lastBackupMs !== null && nowMs < lastBackupMs + everyHours * HOUR_MS) return;
    const outcome = await runBackup({ dataDir, folder, nowMs }, this.#stopped.signal);
    if (this.#stopped.signal.aborted) return;
    if ('failure' in outcome) {
      this.#failed(outcome.failure);
      return;
    }
    this.#status = { lastBackupMs: nowMs, isFailing: false };
    logger.info({ file: outcome.file, bytes: outcome.bytes, took_ms: now() - nowMs }, 'a backup was made');
    await tidyBackups(folder, keep, nowMs);
  }

  #failed(reason: string): void {
    const { everyHours, logger, now } = this.#parts;
    this.#status = { ...this.#status, isFailing: true };
    this.#notBeforeMs = now() + Math.min(everyHours * HOUR_MS, RETRY_MS_MAX);
    logger.error({ reason }, 'the scheduled backup failed');
  }
}

const reasonOf = (error: unknown): string =>
  fileFault(error) ?? codeOf(error) ?? (error instanceof Error ? error.message : String(error));

/** The time of the newest backup in the folder; `null` without one. */
async function newestBackupMs(folder: string): Promise<number | null> {
  const newest = (await backupsIn(folder)).at(-1);
  return newest === undefined ? null : timeOfBackup(newest);
}

/** Removes the oldest backups beyond the number to keep, and what unfinished backups left behind. */
async function tidyBackups(folder: string, keep: number, nowMs: number): Promise<void> {
  for (const name of (await backupsIn(folder)).slice(0, -keep)) await rm(join(folder, name));
  for (const name of (await readdir(folder)).filter(isPartialName)) {
    const { mtimeMs } = await stat(join(folder, name));
    if (nowMs - mtimeMs > ABANDONED_AFTER_MS) await rm(join(folder, name), { force: true });
  }
}

/** The names of the backups, the oldest first. */
const backupsIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter(isBackupName).sort();

/** Runs one backup in a process of its own; the signal ends that process. */
async function runBackup(order: BackupOrder, signal: AbortSignal): Promise<BackupOutcome> {
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
