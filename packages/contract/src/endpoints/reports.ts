import { checkPageQuery } from '../envelope.ts';
import { id } from '../input/text-schemas.ts';
import {
  checkNewReportSchedule,
  checkReportQuery,
  checkSentReport,
  NewReportSchedule,
  REPORT_PERIODS,
  Report,
  ReportReceipt,
  ReportSchedule,
  ReportSilo,
  SentReport,
} from '../reports.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, endpointsWith } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const endpoint = endpointsWith({
  schedule_id: {
    schema: id(),
    description: 'the id of a report schedule',
    notFound: 'report_schedule_not_found',
    example: 'rs_019a86c5f3c07b2a',
  },
});

const MORNING = {
  name: 'Morning report',
  period: 'daily' as const,
  time: '06:00',
  time_zone: 'Europe/Berlin',
  facility: 'north',
  recipients: ['manager@example.com'],
};

/** The reports about a site and their schedules. */
const endpoints = {
  report: endpoint('api', 'GET', '/reports', {
    scope: 'read',
    summary: 'Shows stock, deliveries, use, orders, alerts and operations of a day, a week or a month.',
    query: checkReportQuery,
    answers: { 200: one(Report, { alternatives: ['text/csv', 'text/html'] }) },
    examples: [
      { summary: 'yesterday' },
      {
        summary: 'a week of one facility',
        query: { period: 'weekly', date: '2026-11-12', facility: 'north', tz: 'Europe/Berlin' },
      },
      { summary: 'a day that does not exist', query: { date: '2026-02-30' }, refusal: 'invalid_input' },
    ],
  }),
  send: endpoint('api', 'POST', '/reports', {
    scope: 'read',
    summary: 'Sends a report to the e-mail address of the person who asks.',
    body: body(checkSentReport, 'report'),
    answers: { 200: one(ReportReceipt) },
    errors: ['notification_target_unusable'],
    examples: [
      {
        summary: 'by a key, which has no address',
        body: { period: 'weekly', facility: 'north' },
        refusal: 'notification_target_unusable',
      },
    ],
  }),
  schedules: endpoint('api', 'GET', '/report-schedules', {
    scope: 'admin',
    summary: 'Lists to whom reports are sent, and when: those of the key, or all if it is not limited.',
    query: checkPageQuery,
    answers: { 200: pageOf(ReportSchedule) },
    examples: [{ summary: 'the first page' }],
  }),
  createSchedule: endpoint('api', 'POST', '/report-schedules', {
    scope: 'admin',
    summary: 'Has a report sent by e-mail every day, week or month. It has what the caller may see.',
    body: body(checkNewReportSchedule, 'report schedule'),
    answers: { 200: one(ReportSchedule) },
    errors: ['notification_target_unusable', 'report_schedule_limit_reached'],
    examples: [{ summary: 'every morning', body: MORNING }],
  }),
  replaceSchedule: endpoint('api', 'PUT', '/report-schedules/{schedule_id}', {
    scope: 'admin',
    summary: 'Replaces a schedule; from then on it is that of the caller.',
    body: body(checkNewReportSchedule, 'report schedule'),
    answers: { 200: one(ReportSchedule) },
    errors: ['notification_target_unusable'],
    examples: [
      { summary: 'switched off', body: { ...MORNING, enabled: false } },
      {
        summary: 'an unknown schedule',
        parameters: { schedule_id: 'rs_none' },
        body: MORNING,
        refusal: 'report_schedule_not_found',
      },
    ],
  }),
  removeSchedule: endpoint('api', 'DELETE', '/report-schedules/{schedule_id}', {
    scope: 'admin',
    summary: 'Removes a schedule; what was not sent yet is cancelled.',
    answers: { 200: one(ReportSchedule) },
    examples: [{ summary: 'a schedule' }],
  }),
};

export const reports = {
  description: 'Reports for managers: on demand and by schedule.',
  endpoints,
  schemas: { NewReportSchedule, Report, ReportSchedule, ReportSilo, SentReport },
  values: { REPORT_PERIODS },
} satisfies Slice;
