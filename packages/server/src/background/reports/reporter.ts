import { setImmediate } from 'node:timers/promises';
import type { App } from '@granary/app/app';
import type { DueSchedule } from '@granary/app/reports/reports';
import { PeriodicWork } from '@granary/common/periodic-work';
import { wantedLabels } from '@granary/contract/devices/label-match';
import { SECOND_MS } from '@granary/contract/time';
import { lastSentDays } from '@granary/core/reports/period';
import type { MailedReport } from '@granary/core/reports/report-text';
import { nextAtMs, sendingTime } from '@granary/core/reports/schedule';
import type { Logger } from '../../process/logging/logger.ts';
import { makeReport } from './make-report.ts';

/** How late a report is noticed to be due. */
const ROUND_MS = 10 * SECOND_MS;
const SCHEDULES_PER_READ = 10;

interface ReporterParts {
  readonly app: Pick<App, 'reports' | 'foresight' | 'fleet' | 'alerts' | 'shifts'>;
  readonly consoleUrl: string | null;
  readonly logger: Logger;
  readonly now: () => number;
}

/**
 * Writes the messages of reports that are due. Several nodes may make the same report, and the first that stores its messages
 * has sent it. What was due while no node ran is sent once, with the last period.
 */
export class Reporter {
  readonly #parts: ReporterParts;
  readonly #rounds: PeriodicWork;

  constructor(parts: ReporterParts) {
    this.#parts = parts;
    this.#rounds = new PeriodicWork({
      doing: 'making reports',
      everyMs: ROUND_MS,
      logger: parts.logger,
      run: () => this.#run(),
    });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #run(): Promise<void> {
    const { app, now } = this.#parts;
    const failures: unknown[] = [];
    for (const due of await app.reports.due(now(), SCHEDULES_PER_READ)) {
      if (this.#rounds.isStopped) return;
      try {
        await this.#send(due);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  async #send(due: DueSchedule): Promise<void> {
    const { app, now } = this.#parts;
    const nowMs = now();
    const { scheduleId, dueAtMs, content } = due;
    await app.reports.sendDue({
      scheduleId,
      dueAtMs,
      nextAtMs: nextAtMs(content, nowMs),
      name: content.name,
      recipients: content.recipients,
      mailed: await this.#make(due, nowMs),
      nowMs,
    });
  }

  async #make({ content, limits, mass }: DueSchedule, nowMs: number): Promise<MailedReport | null> {
    if (limits === null) return null;
    const { facility, label, language, name } = content;
    const labels = wantedLabels(label ?? undefined);
    const devices = { limits, facility, zone: null, deviceId: null, labels };
    const days = lastSentDays(sendingTime(content), nowMs);
    const report = await makeReport(this.#parts.app, { devices, days, label, nowMs }, () => setImmediate());
    const { consoleUrl } = this.#parts;
    return {
      report,
      reader: { language, mass, schedule: name, consoleUrl },
      attachesCsv: content.attach_csv,
    };
  }
}
