import { daysAround } from '@granary/core/reports/period';
import { reportOf } from '@granary/core/reports/report';
import { scheduleContent } from '@granary/core/reports/schedule';
import { atMs, type WhoMayOf, type WriteRound, type WritesOf } from '../write-round.ts';

const SCHEDULE = scheduleContent(
  { name: 'Morning', period: 'daily', recipients: ['ada@example.com'] },
  'UTC',
);
const scheduleOf = (round: WriteRound, scheduleId: string) => ({
  scheduleId,
  keyId: `key_of_${round.node}_${round.round}`,
  content: SCHEDULE,
  nextAtMs: 1_000,
});
export const MAILED = {
  report: reportOf({
    days: daysAround('daily', 20_000, 'UTC'),
    facility: null,
    label: null,
    nowMs: 0,
    silos: [],
    refills: [],
    openCritical: [],
    cut: [],
    raised: { total: 0, info: 0, warning: 0, critical: 0 },
    alerts: [],
    operations: [],
  }),
  reader: { language: 'en', mass: 'metric', schedule: null, consoleUrl: null },
  attachesCsv: true,
} as const;

export const whoMay: WhoMayOf<'reports'> = {
  createSchedule: 'rights',
  replaceSchedule: 'rights',
  removeSchedule: 'rights',
  sendDue: 'nobody',
  send: 'rights',
};

export const writes: WritesOf<'reports'> = {
  createSchedule: (round) => [
    round.app.reports.createSchedule(scheduleOf(round, `rs_${round.node}_${round.round}`)),
  ],
  replaceSchedule: (round) => [
    round.app.reports.replaceSchedule(scheduleOf(round, `rs_0_${round.round - 1}`)).catch(() => undefined),
  ],
  removeSchedule: (round) => [
    round.app.reports.removeSchedule(`rs_0_${round.round - 2}`).catch(() => undefined),
  ],
  sendDue: (round) => [
    round.app.reports.sendDue({
      scheduleId: `rs_0_${round.round - 1}`,
      dueAtMs: 1_000,
      nextAtMs: 2_000,
      name: 'Morning',
      recipients: ['ada@example.com'],
      mailed: round.round % 2 ? null : MAILED,
      nowMs: atMs(round),
    }),
  ],
  send: (round) => [
    round.app.reports.send({
      personId: 'per_ada',
      email: 'ada@example.com',
      mailed: MAILED,
      nowMs: atMs(round),
    }),
  ],
};
