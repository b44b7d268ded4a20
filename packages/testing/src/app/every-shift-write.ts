import type { AlertType } from '@granary/contract/alerts';
import { daysAround } from '@granary/core/reports/period';
import { reportOf } from '@granary/core/reports/report';
import { scheduleContent } from '@granary/core/reports/schedule';
import { atMs, type EveryWrite, LIMIT, type WriteRound } from './write-round.ts';

export const EVERY_SHIFT_WRITE: EveryWrite['shifts'] = {
  addNote: (round) =>
    round.silos.map((deviceNo) =>
      round.app.shifts.addNote({
        noteId: `nt_${round.node}_${round.round}_${deviceNo}`,
        deviceNo,
        facility: null,
        atMs: atMs(round),
        text: 'noisy',
        createdAtMs: atMs(round),
      }),
    ),
  removeNote: (round) =>
    round.silos.map((deviceNo) =>
      round.app.shifts
        .removeNote({ noteId: `nt_0_${round.round - 1}_${deviceNo}`, nowMs: atMs(round) })
        .catch(() => undefined),
    ),
  handOver: (round) => [
    round.app.shifts.handOver({
      handoverId: `ho_${round.node}_${round.round}`,
      facility: null,
      fromMs: 0,
      toMs: 1,
      text: 'quiet',
      createdAtMs: atMs(round),
    }),
  ],
  acknowledgeHandover: (round) => [
    round.app.shifts.acknowledgeHandover({ handoverId: `ho_0_${round.round - 1}`, nowMs: atMs(round) }),
  ],
  expire: (round) => [round.app.shifts.expire({ beforeMs: 0, rowsMax: LIMIT })],
};

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

export const EVERY_REPORT_WRITE: EveryWrite['reports'] = {
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

const place = { alertType: 'low_level' as AlertType, facility: 'North', rule: '' };
const HELP = { cause: 'empty', consequence: 'hunger', action: 'fill it' };

export const EVERY_VIEW_WRITE: EveryWrite['views'] = {
  create: (round) => [
    round.app.views.create({
      viewId: `vw_${round.node}_${round.round}`,
      keyId: `key_of_${round.node}_${round.round}`,
      name: 'low',
      address: '#/overview',
      isShared: true,
      updatedAtMs: atMs(round),
    }),
  ],
  change: (round) => [round.app.views.change(`vw_0_${round.round - 1}`, { name: 'lower' }, atMs(round))],
  remove: (round) => [round.app.views.remove(`vw_0_${round.round - 2}`)],
  changePreferences: (round) => [
    round.app.views.changePreferences(
      `key_of_${round.node}_${round.round}`,
      { units: { mass: 'lb', temperature: 'fahrenheit', speed: 'mph' } },
      atMs(round),
    ),
  ],
};

export const EVERY_ALARM_HELP_WRITE: EveryWrite['alarmHelp'] = {
  put: (round) => [round.app.alarmHelp.put(place, HELP, atMs(round))],
  remove: (round) => [round.app.alarmHelp.remove(place)],
};
