import { Refusal } from '@granary/contract/errors';
import { REPORT_SCHEDULES_MAX } from '@granary/contract/reports';
import { hasFacility, isUnlimited, isValidAt, type Limits, limitsWith } from '@granary/core/keys';
import { NOTIFICATION_DOCUMENT, type StoredNotification } from '@granary/core/notifications/record';
import { type MailedReport, reportSubject, reportText } from '@granary/core/reports/report-text';
import type { ScheduleContent, StoredSchedule } from '@granary/core/reports/schedule';
import { quoted } from '@granary/core/words';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed, eventsLogged } from '../effects.ts';
import { logEvents } from '../events/event-rows.ts';
import { newId } from '../ids.ts';
import { findCaller } from '../keys/key-rows.ts';
import { refuseMany } from '../notifications/asked-messages.ts';
import { cancelNotificationsOfRule, insertNotifications } from '../notifications/notification-rows.ts';
import { failureEvents } from '../notifications/write-notifications.ts';
import { limitsOf, requireOwn, requireRight } from '../rights.ts';
import type { Transaction } from '../transaction.ts';
import { reads as views } from '../views.ts';
import {
  countSchedules,
  type DueReport,
  dueSchedules,
  findSchedule,
  insertSchedule,
  listSchedules,
  readSilos,
  removeSchedule,
  type SchedulePage,
  type SiloPage,
  saveSchedule,
  takeDue,
} from './report-rows.ts';

/** A schedule whose report is due. */
export interface DueSchedule extends StoredSchedule {
  readonly dueAtMs: number;
  /** The limits of the owner; `null` if the owner no longer has any rights. */
  readonly limits: Limits | null;
  readonly mass: MailedReport['reader']['mass'];
}

export const reads = {
  silos: (sql: Sql, page: SiloPage) => readSilos(sql, page),
  schedule: (sql: Sql, scheduleId: string) => findSchedule(sql, scheduleId),
  schedules: (sql: Sql, page: SchedulePage) => listSchedules(sql, page),

  async due(sql: Sql, nowMs: number, limit: number): Promise<DueSchedule[]> {
    const due: DueSchedule[] = [];
    for (const schedule of await dueSchedules(sql, nowMs, limit)) {
      const caller = await findCaller(sql, schedule.keyId);
      const limits = caller !== undefined && isValidAt(caller, nowMs) ? limitsWith(caller, 'read') : [];
      const { units } = await views.preferences(sql, schedule.keyId);
      due.push({
        ...schedule,
        dueAtMs: schedule.nextAtMs ?? nowMs,
        limits: limits.length === 0 ? null : limits,
        mass: units?.mass ?? 'metric',
      });
    }
    return due;
  },

  /** Returns the address of a person; `null` for a key, and for a person who has given none. */
  async emailOf(sql: Sql, keyId: string): Promise<string | null> {
    const [row] = await sql.query<{ email: string | null }>('SELECT email FROM people WHERE key_id = $1', [
      keyId,
    ]);
    return row?.email ?? null;
  },
};

type NewSchedule = Omit<StoredSchedule, 'createdBy' | 'sentAtMs'>;

interface Sending extends DueReport {
  readonly name: string;
  readonly recipients: readonly string[];
  /** The report; `null` if the owner of the schedule no longer has any rights. */
  readonly mailed: MailedReport | null;
  readonly nowMs: number;
}

export const writes = {
  async createSchedule(tx: Transaction, schedule: NewSchedule): Promise<Committed<StoredSchedule>> {
    if ((await countSchedules(tx.sql)) >= REPORT_SCHEDULES_MAX) {
      const message = `there are ${REPORT_SCHEDULES_MAX} report schedules, which is the limit`;
      throw new Refusal('report_schedule_limit_reached', message);
    }
    await requireOwn(tx, schedule.keyId);
    await requireFacility(tx, schedule.content);
    const stored = { ...schedule, createdBy: tx.actor, sentAtMs: null };
    await insertSchedule(tx.sql, stored);
    return committed(stored);
  },

  async replaceSchedule(tx: Transaction, schedule: NewSchedule): Promise<Committed<StoredSchedule>> {
    const { scheduleId } = schedule;
    await requireManaged(tx, await knownSchedule(tx.sql, scheduleId));
    await requireFacility(tx, schedule.content);
    await saveSchedule(tx.sql, { ...schedule, createdBy: tx.actor });
    return committed(await knownSchedule(tx.sql, scheduleId));
  },

  /** Removes the schedule and cancels its messages that were not sent yet. */
  async removeSchedule(tx: Transaction, scheduleId: string): Promise<Committed<StoredSchedule>> {
    const schedule = await knownSchedule(tx.sql, scheduleId);
    await requireManaged(tx, schedule);
    await removeSchedule(tx.sql, scheduleId);
    await cancelNotificationsOfRule(tx.sql, scheduleId);
    return committed(schedule);
  },

  /** Writes the messages of a due report; returns false if another node has done it before. */
  async sendDue(tx: Transaction, sending: Sending): Promise<Committed<boolean>> {
    if (!(await takeDue(tx.sql, sending))) return committed(false);
    const { scheduleId: ruleId, name, recipients, mailed, nowMs } = sending;
    const written = recipients.map((email) => notificationOf(email, { ruleId, name, mailed, nowMs }));
    await insertNotifications(tx.sql, NOTIFICATION_DOCUMENT, written);
    const events = failureEvents(written, nowMs);
    await logEvents(tx, events);
    return committed(true, { kind: 'notifications_due' }, ...eventsLogged(events));
  },

  /** Sends a report now, to the person who asks for it. */
  async send(
    tx: Transaction,
    {
      personId,
      email,
      mailed,
      nowMs,
    }: {
      readonly personId: string;
      readonly email: string;
      readonly mailed: MailedReport;
      readonly nowMs: number;
    },
  ): Promise<Committed<null>> {
    const ruleId = `report-${personId}`;
    await tx.sql.query(`SELECT key_id FROM people WHERE key_id = $1 ${tx.sql.forUpdate}`, [personId]);
    await requireOwn(tx, personId);
    await refuseMany(tx.sql, ruleId, nowMs);
    const name = reportSubject(mailed.report, mailed.reader);
    const written = notificationOf(email, { ruleId, name, mailed, nowMs });
    await insertNotifications(tx.sql, NOTIFICATION_DOCUMENT, [written]);
    return committed(null, { kind: 'notifications_due' });
  },
};

/** A limited key may only change its own schedules, because the reports of others contain devices that it may not see. */
const requireManaged = (tx: Transaction, { scheduleId, keyId }: StoredSchedule): Promise<void> =>
  requireRight(
    tx,
    (caller) => keyId === caller.keyId || isUnlimited(limitsWith(caller, 'admin')),
    () => notFound(scheduleId),
  );

/** A key that is limited to single devices may read reports about any facility; they contain only its devices. */
async function requireFacility(tx: Transaction, { facility }: ScheduleContent): Promise<void> {
  const limits = await limitsOf(tx);
  const hasDevices = limits.some(({ facilities, deviceIds }) => facilities === null && deviceIds !== null);
  if (facility === null || hasFacility(limits, facility) || hasDevices) return;
  throw new Refusal('forbidden', `this key may not see the facility ${quoted(facility)}`);
}

const notFound = (scheduleId: string): Refusal =>
  new Refusal(
    'report_schedule_not_found',
    `there is no report schedule ${quoted(scheduleId)}, or it is that of another key`,
  );

async function knownSchedule(sql: Sql, scheduleId: string): Promise<StoredSchedule> {
  const schedule = await findSchedule(sql, scheduleId);
  if (schedule !== undefined) return schedule;
  throw notFound(scheduleId);
}

interface Sent extends Pick<Sending, 'name' | 'mailed' | 'nowMs'> {
  readonly ruleId: string;
}

function notificationOf(email: string, { ruleId, name, mailed, nowMs }: Sent): StoredNotification {
  const content = { alerts: [], alertCount: 0, ruleName: name, target: { email } };
  const common = {
    notificationId: newId('ntf', nowMs),
    ruleId,
    kind: 'report' as const,
    step: 0,
    createdAtMs: nowMs,
    attempts: 0,
    sentAtMs: null,
  };
  if (mailed === null) {
    const lastError = 'the key or the person whose report schedule this is may not read any more';
    const told = { ...content, subject: name, text: lastError };
    return { ...common, status: 'failed', channel: 'none', content: told, nextAttemptAtMs: null, lastError };
  }
  const { report, reader } = mailed;
  const told = {
    ...content,
    subject: reportSubject(report, reader),
    text: reportText(report, reader),
    report: mailed,
  };
  return {
    ...common,
    status: 'pending',
    channel: 'email',
    content: told,
    nextAttemptAtMs: nowMs,
    lastError: null,
  };
}
