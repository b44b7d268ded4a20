import { newId } from '@granary/app/ids';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { issueOf } from '@granary/contract/input/validation-issues';
import type { NewReportSchedule, Report, ReportFormat, SentReport } from '@granary/contract/reports';
import { sentence } from '@granary/contract/sentences/codes';
import { isUnlimited } from '@granary/core/keys';
import { dayOf, daysAround, lastDays, type ReportDays } from '@granary/core/reports/period';
import { reportCsv } from '@granary/core/reports/report';
import type { ReportReader } from '@granary/core/reports/report-text';
import {
  nextAtMs,
  type ScheduleContent,
  scheduleContent,
  scheduleRecord,
} from '@granary/core/reports/schedule';
import type { Language } from '@granary/words/languages';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readersOf } from '../background/notifications/worker.ts';
import { makeReport } from '../background/reports/make-report.ts';
import { reportHtml } from '../background/reports/report-html.ts';
import { limitsOf } from './access/credentials.ts';
import { nextPart } from './access/request-turns.ts';
import { creating } from './audit/attempt.ts';
import { chosenZone, selectionOf } from './fleet/selection.ts';
import { preferredType } from './protocol/accept.ts';
import { pageOf, readPage, success } from './protocol/answers.ts';
import { register } from './register.ts';
import type { Parts } from './route-dependencies.ts';

/** The policy of the HTML page of a report. It may be shown within the operators' page, and nothing in it is run or loaded. */
const HTML_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

export function reportRoutes(
  routes: FastifyInstance,
  parts: Parts<'settings' | 'reads' | 'changes' | 'idempotency' | 'now'>,
): void {
  const { reads, idempotency, settings, now } = parts;
  const { consoleUrl } = readersOf(settings);
  const declared = endpoints.reports;

  async function made(request: FastifyRequest, asked: SentReport): Promise<Report> {
    const nowMs = now();
    const devices = selectionOf(request, asked);
    const timeZone = await chosenZone(request, parts, devices, { timeZone: asked.tz, path: '/tz' });
    const wish = { devices, days: daysOf(asked, timeZone, nowMs), label: asked.label ?? null, nowMs };
    return makeReport(reads(request), wish, () => nextPart(request));
  }

  const readerOf = async (request: FastifyRequest, language: Language): Promise<ReportReader> => {
    const { units } = await reads(request).views.preferences(request.caller.keyId);
    return { language, mass: units?.mass ?? 'metric', schedule: null, consoleUrl: null };
  };

  register(routes, declared.report, async ({ request, reply, read }) => {
    const { format: wanted, language = 'en', ...asked } = read.query(request);
    const report = await made(request, asked);
    const format = formatOf(request, wanted);
    reply.header('vary', 'accept');
    if (format === 'json') return success(report);
    if (format === 'csv') return reply.type('text/csv; charset=utf-8').send(reportCsv(report));
    reply.header('content-security-policy', HTML_POLICY);
    return reply.type('text/html; charset=utf-8').send(reportHtml(report, await readerOf(request, language)));
  });

  register(routes, declared.send, async (exchange) => {
    const { request, read } = exchange;
    const { language = 'en', ...asked } = read.body(request);
    const email = await reads(request).reports.emailOf(request.caller.keyId);
    if (email === null) {
      const message = 'a report is sent to the person who asks for it, and here is no e-mail address of one';
      throw new Refusal('notification_target_unusable', message);
    }
    requireMail(parts);
    const report = await made(request, asked);
    const reader = { ...(await readerOf(request, language)), consoleUrl };
    const mailed = { report, reader, attachesCsv: true };
    const { keyId: personId } = request.caller;
    await idempotency.once(exchange, (slices) =>
      slices.reports.send({ personId, email, mailed, nowMs: now() }),
    );
    return success({ email });
  });

  scheduleRoutes(routes, parts);
}

function scheduleRoutes(
  routes: FastifyInstance,
  parts: Parts<'settings' | 'reads' | 'changes' | 'idempotency' | 'now'>,
): void {
  const { reads, changes, idempotency, now } = parts;
  const declared = endpoints.reports;

  async function contentOf(request: FastifyRequest, wanted: NewReportSchedule): Promise<ScheduleContent> {
    const asked = { timeZone: wanted.time_zone, path: '/time_zone' };
    const timeZone = await chosenZone(request, parts, selectionOf(request, wanted), asked);
    const content = scheduleContent(wanted, timeZone);
    requireMail(parts);
    return content;
  }

  register(routes, declared.schedules, async ({ request, read }) => {
    const page = pageOf(read.query(request));
    const keyId = isUnlimited(limitsOf(request)) ? null : request.caller.keyId;
    const schedulesAfter = (afterId: string | null, limit: number) =>
      reads(request).reports.schedules({ keyId, afterId, limit });
    return await readPage(request, page, schedulesAfter, ({ scheduleId }) => scheduleId, scheduleRecord);
  });

  register(routes, declared.createSchedule, async (exchange) => {
    const { request, read } = exchange;
    const content = await contentOf(request, read.body(request));
    const nowMs = now();
    const scheduleId = newId('rs', nowMs);
    const { keyId } = request.caller;
    const { result } = await idempotency.once(creating(exchange, scheduleId), (slices) =>
      slices.reports.createSchedule({ scheduleId, keyId, content, nextAtMs: nextAtMs(content, nowMs) }),
    );
    return success(scheduleRecord(result));
  });

  register(routes, declared.replaceSchedule, async (exchange) => {
    const { request, read } = exchange;
    const { schedule_id: scheduleId } = request.params;
    const content = await contentOf(request, read.body(request));
    const { keyId } = request.caller;
    const wanted = { scheduleId, keyId, content, nextAtMs: nextAtMs(content, now()) };
    return success(scheduleRecord(await changes(exchange).reports.replaceSchedule(wanted)));
  });

  register(routes, declared.removeSchedule, async (exchange) => {
    const { request } = exchange;
    const { schedule_id: scheduleId } = request.params;
    return success(scheduleRecord(await changes(exchange).reports.removeSchedule(scheduleId)));
  });
}

function requireMail({ settings }: Parts<'settings'>): void {
  if (settings.smtp !== null) return;
  const message = 'e-mail cannot be sent: GRANARY_SMTP_URL is not set';
  throw new Refusal('notification_target_unusable', message);
}

function daysOf({ period = 'daily', date }: SentReport, timeZone: string, nowMs: number): ReportDays {
  if (date === undefined) return lastDays(period, nowMs, timeZone);
  const fault = (...issue: Parameters<typeof issueOf>): Refusal =>
    new Refusal('invalid_input', 'the report is not valid', [issueOf(...issue)]);
  const day = dayOf(date);
  if (day === null) throw fault('/date', sentence('must_be', { what: [sentence('local_day')] }));
  const days = daysAround(period, day, timeZone);
  if (days.fromMs > nowMs) throw fault('/date', sentence('is_out_of_range'));
  return days;
}

const FORMATS = { 'application/json': 'json', 'text/csv': 'csv', 'text/html': 'html' } as const;

const formatOf = ({ headers }: FastifyRequest, wanted: ReportFormat | undefined): ReportFormat =>
  wanted ?? FORMATS[preferredType(headers.accept, ['application/json', 'text/csv', 'text/html'])];
