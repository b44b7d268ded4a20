import type { Actor } from '@granary/contract/audit';
import type { NewReportSchedule, ReportSchedule } from '@granary/contract/reports';
import { toIsoOrNull } from '@granary/contract/time';
import { nextSendingMs, type SendingTime } from './period.ts';

/** The content of a schedule with all defaults filled in. */
export type ScheduleContent = Omit<ReportSchedule, 'schedule_id' | 'created_by' | 'next_at' | 'sent_at'>;

export interface StoredSchedule {
  readonly scheduleId: string;
  /** The key of the caller who owns the report. */
  readonly keyId: string;
  readonly content: ScheduleContent;
  readonly createdBy: Actor | null;
  /** `null` while the schedule is switched off. */
  readonly nextAtMs: number | null;
  readonly sentAtMs: number | null;
}

export const scheduleContent = (wanted: NewReportSchedule, timeZone: string): ScheduleContent => ({
  name: wanted.name,
  period: wanted.period,
  recipients: wanted.recipients,
  enabled: wanted.enabled ?? true,
  time: wanted.time ?? '06:00',
  time_zone: wanted.time_zone ?? timeZone,
  facility: wanted.facility ?? null,
  label: wanted.label ?? null,
  language: wanted.language ?? 'en',
  attach_csv: wanted.attach_csv ?? true,
});

export const sendingTime = ({ period, time, time_zone: timeZone }: ScheduleContent): SendingTime => ({
  period,
  time,
  timeZone,
});

export const nextAtMs = (content: ScheduleContent, nowMs: number): number | null =>
  content.enabled ? nextSendingMs(sendingTime(content), nowMs) : null;

export const scheduleRecord = (schedule: StoredSchedule): ReportSchedule => ({
  schedule_id: schedule.scheduleId,
  ...schedule.content,
  created_by: schedule.createdBy,
  next_at: toIsoOrNull(schedule.nextAtMs),
  sent_at: toIsoOrNull(schedule.sentAtMs),
});
