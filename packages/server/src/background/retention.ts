import type { App } from '@granary/app/app';
import { REMEMBERED_MS } from '@granary/app/idempotency';
import { PeriodicWork } from '@granary/common/periodic-work';
import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import type { Logger } from '../process/logging/logger.ts';
import type { Settings } from '../process/settings.ts';

const ROUND_MS = HOUR_MS;
/** Old data is removed in small steps with pauses, so that new readings are not delayed. */
const ROWS_PER_STEP_MAX = 5_000;
const PAUSE_MS = 50;
/** How long deliveries of webhooks are shown after they were delivered, or could be replayed after they were given up. */
const DELIVERED_KEPT_MS = 7 * DAY_MS;
const DEAD_KEPT_MS = 30 * DAY_MS;

interface RetentionParts {
  readonly app: App;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly now: () => number;
}

/** Removes data older than the settings allow: readings, buckets, events, finished jobs, resolved alerts, idempotency keys, audit entries, notes, ended sessions. */
export class Retention {
  readonly #parts: RetentionParts;
  readonly #rounds: PeriodicWork;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
    this.#rounds = new PeriodicWork({
      doing: 'removing records that are older than their retention',
      everyMs: ROUND_MS,
      logger: parts.logger,
      run: () => this.#expire(),
    });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #expire(): Promise<void> {
    const { app, settings, now } = this.#parts;
    let removed = 1;
    while (removed > 0 && !this.#rounds.isStopped) {
      const nowMs = now();
      const rowsMax = ROWS_PER_STEP_MAX;
      const readings = await app.telemetry.expire({
        rawBeforeMs: nowMs - settings.rawRetentionDays * DAY_MS,
        fiveMinutesBeforeMs: nowMs - settings.fiveMinuteRetentionDays * DAY_MS,
        rowsMax,
      });
      const eventsBeforeMs = nowMs - settings.eventRetentionDays * DAY_MS;
      const events = await app.events.expire({ beforeMs: eventsBeforeMs, rowsMax });
      const answers = await app.idempotency.expire({ beforeMs: nowMs - REMEMBERED_MS, rowsMax });
      const finished = await this.#expireFinished(nowMs);
      const deliveries = await app.webhooks.expire({
        deliveredBeforeMs: nowMs - DELIVERED_KEPT_MS,
        deadBeforeMs: nowMs - DEAD_KEPT_MS,
        rowsMax,
      });
      const auditBeforeMs = nowMs - settings.auditRetentionDays * DAY_MS;
      const audit = await app.audit.expire({ beforeMs: auditBeforeMs, rowsMax });
      const foresight = await app.foresight.expire({
        nowMs,
        refillsBeforeMs: nowMs - settings.jobRetentionDays * DAY_MS,
        rowsMax,
      });
      const notes = await app.shifts.expire({
        beforeMs: nowMs - settings.jobRetentionDays * DAY_MS,
        rowsMax,
      });
      const signIns = await app.session.expire({ beforeMs: nowMs, rowsMax });
      removed = readings + events + answers + finished + deliveries + audit + signIns + foresight + notes;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  /** Resolved alerts are removed before the operations and missions that they refer to. */
  async #expireFinished(nowMs: number): Promise<number> {
    const { app, settings } = this.#parts;
    const rowsMax = ROWS_PER_STEP_MAX;
    const alertsBeforeMs = nowMs - settings.alertRetentionDays * DAY_MS;
    let removed = await app.alerts.expire({ beforeMs: alertsBeforeMs, rowsMax });
    removed += await app.notifications.expire({ beforeMs: alertsBeforeMs, rowsMax });
    const beforeMs = nowMs - settings.jobRetentionDays * DAY_MS;
    for (const jobs of [app.operations, app.commands, app.missions, app.proposals]) {
      removed += await jobs.expire({ beforeMs, rowsMax });
    }
    return removed;
  }
}
