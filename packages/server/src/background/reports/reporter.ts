import { setImmediate } from 'node:timers/promises';
import type { App } from '@granary/app/app';
import type { DueSchedule } from '@granary/app/reports/reports';
import { PeriodicWork } from '@granary/common/periodic-work';
import { wantedLabels } from '@granary/contract/devices/label-match';
import { SECOND_MS } from '@granary/contract/time';
import { lastSentDays } from '@granary/core/reports/period';
import type { MailedReport } from '@granary/core/reports/report-text';
import { nextAtMs, sendingTime } from '@granary/core/reports/schedule';
import type { WorkerParts } from '../worker.ts';
import { makeReport } from './make-report.ts';

/** How late a report is noticed to be due. */
const ROUND_MS = 10 * SECOND_MS;
const SCHEDULES_PER_READ = 10;

interface ReporterParts extends Pick<WorkerParts, 'consoleUrl' | 'logger' | 'now'> {
  readonly app: Pick<App, 'reports' | 'foresight' | 'fleet' | 'alerts' | 'shifts'>;
}

/**
 * Writes the messages of reports that are due. Several nodes may make the same report, and the first that stores its messages
 * has sent it. What was due while no node ran is sent once, with the last period.
 */
export const reporter = (parts: ReporterParts): PeriodicWork =>
  new PeriodicWork({
    doing: 'making reports',
    everyMs: ROUND_MS,
    logger: parts.logger,
    run: async (rounds) => {
      const failures: unknown[] = [];
      for (const due of await parts.app.reports.due(parts.now(), SCHEDULES_PER_READ)) {
        if (rounds.isStopped) return;
        await send(parts, due).catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  });

async function send(parts: ReporterParts, due: DueSchedule): Promise<void> {
  const nowMs = parts.now();
  const { scheduleId, dueAtMs, content } = due;
  await parts.app.reports.sendDue({
    scheduleId,
    dueAtMs,
    nextAtMs: nextAtMs(content, nowMs),
    name: content.name,
    recipients: content.recipients,
    mailed: await mailedReport(parts, due, nowMs),
    nowMs,
  });
}

async function mailedReport(
  { app, consoleUrl }: ReporterParts,
  { content, limits, mass }: DueSchedule,
  nowMs: number,
): Promise<MailedReport | null> {
  if (limits === null) return null;
  const { facility, label, language, name } = content;
  const labels = wantedLabels(label ?? undefined);
  const devices = { limits, facility, zone: null, deviceId: null, labels };
  const days = lastSentDays(sendingTime(content), nowMs);
  const report = await makeReport(app, { devices, days, label, nowMs }, () => setImmediate());
  return { report, reader: { language, mass, schedule: name, consoleUrl }, attachesCsv: content.attach_csv };
}
