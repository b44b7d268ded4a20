import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REPORT_ITEMS_MAX, REPORT_LANGUAGES } from '@granary/contract/reports';
import { DAY_MS, HOUR_MS, toIso } from '@granary/contract/time';
import type { Forecast } from '../foresight/types.ts';
import { mailParts, reportHtml, reportSubject, reportText } from './html.ts';
import { dateOf, dayOf, daysAround, lastDays, lastSentDays, nextSendingMs } from './period.ts';
import { reportCsv, reportOf, type SiloFacts } from './report.ts';

const BERLIN = 'Europe/Berlin';
const around = (period: 'daily' | 'weekly' | 'monthly', date: string, zone = BERLIN) => {
  const { firstDay, endDay, fromMs, toMs } = daysAround(period, dayOf(date) ?? 0, zone);
  return [dateOf(firstDay), dateOf(endDay - 1), toIso(fromMs), (toMs - fromMs) / HOUR_MS];
};

test('periods are those of the calendar of the site, also when its clocks are changed', () => {
  assert.deepEqual(around('daily', '2026-03-29'), [
    '2026-03-29',
    '2026-03-29',
    '2026-03-28T23:00:00.000Z',
    23,
  ]);
  assert.deepEqual(around('daily', '2026-10-25'), [
    '2026-10-25',
    '2026-10-25',
    '2026-10-24T22:00:00.000Z',
    25,
  ]);
  assert.deepEqual(around('weekly', '2026-11-15').slice(0, 2), ['2026-11-09', '2026-11-15']);
  assert.deepEqual(around('weekly', '2026-11-16').slice(0, 2), ['2026-11-16', '2026-11-22']);
  assert.deepEqual(around('monthly', '2028-02-29').slice(0, 2), ['2028-02-01', '2028-02-29']);
  assert.deepEqual(around('monthly', '2026-12-31').slice(0, 2), ['2026-12-01', '2026-12-31']);
  // The clocks of Santiago skip the first hour of this day, and Samoa has skipped a whole one.
  assert.deepEqual(around('daily', '2026-09-06', 'America/Santiago').slice(2), [
    '2026-09-06T04:00:00.000Z',
    23,
  ]);
  assert.equal(around('daily', '2011-12-30', 'Pacific/Apia')[3], 0);
});

test('a date that no calendar has is none', () => {
  for (const date of ['2026-02-30', '2026-13-01', '1969-12-31', '0000-00-00']) {
    assert.equal(dayOf(date), null, date);
  }
});

test('the last period is the one before the present one', () => {
  const nowMs = Date.parse('2026-11-18T23:30:00Z');
  const last = (period: 'daily' | 'weekly' | 'monthly') => dateOf(lastDays(period, nowMs, BERLIN).firstDay);
  assert.deepEqual(
    [last('daily'), last('weekly'), last('monthly')],
    ['2026-11-18', '2026-11-09', '2026-10-01'],
  );
});

test('a report is sent on the first day after its period, at its time there', () => {
  const next = (period: 'daily' | 'weekly' | 'monthly', after: string, time = '06:00') =>
    toIso(nextSendingMs({ period, time, timeZone: BERLIN }, Date.parse(after)));
  assert.equal(next('daily', '2026-11-18T04:59:59Z'), '2026-11-18T05:00:00.000Z');
  assert.equal(next('daily', '2026-11-18T05:00:00Z'), '2026-11-19T05:00:00.000Z');
  assert.equal(next('weekly', '2026-11-18T05:00:00Z'), '2026-11-23T05:00:00.000Z');
  assert.equal(next('monthly', '2026-12-01T05:00:00Z'), '2027-01-01T05:00:00.000Z');
  assert.equal(next('daily', '2026-03-28T05:00:00Z'), '2026-03-29T04:00:00.000Z', 'an hour earlier in UTC');
  assert.equal(next('daily', '2026-03-28T23:30:00Z', '02:30'), '2026-03-29T01:00:00.000Z', 'a skipped time');
});

test('each report is about the period before it, also one that is sent late', () => {
  for (const period of ['daily', 'weekly', 'monthly'] as const) {
    for (const time of ['00:00', '02:30', '23:59']) {
      const sending = { period, time, timeZone: BERLIN };
      let dueMs = Date.parse('2026-01-01T00:00:00Z');
      let before = -1;
      for (let count = 0; count < 400; count++) {
        dueMs = nextSendingMs(sending, dueMs);
        const days = lastSentDays(sending, dueMs);
        assert.ok(before === -1 || days.firstDay === before, `${period} ${time} ${toIso(dueMs)}`);
        const late = lastSentDays(sending, nextSendingMs(sending, dueMs) - 1);
        assert.equal(late.firstDay, days.firstDay, `${period} ${time} ${toIso(dueMs)}`);
        before = days.endDay;
      }
    }
  }
});

const NOW_MS = Date.parse('2026-11-18T05:00:00Z');
const DAYS = daysAround('daily', dayOf('2026-11-17') ?? 0, BERLIN);
const forecast = {
  status: 'ok',
  levelKg: 4_000,
  use: { kgPerDay: 1_500, changePercent: null },
  empty: { p10Ms: null, p50Ms: NOW_MS + 3 * DAY_MS, p90Ms: null },
  orderByMs: NOW_MS + DAY_MS,
  suggestion: { kg: 14_000, fitsFromMs: 0, deliverFromMs: 0, deliverToMs: 0 },
} as unknown as Forecast;

const siloFacts = (facts: Partial<SiloFacts> = {}): SiloFacts => ({
  deviceId: 'silo-1',
  name: 'Silo 1',
  facility: 'North',
  zone: 'a',
  capacityKg: 20_000,
  product: 'Wheat',
  bushelKg: null,
  forecast,
  beginKg: 5_500,
  endKg: 4_000,
  days: [
    { day: DAYS.firstDay - 1, kg: 1_400, dischargedKg: 0, refilledKg: 9_000 },
    { day: DAYS.firstDay, kg: 1_500, dischargedKg: 200, refilledKg: 0 },
  ],
  ...facts,
});

const reported = (silos: readonly SiloFacts[], more: Partial<Parameters<typeof reportOf>[0]> = {}) =>
  reportOf({
    days: DAYS,
    facility: null,
    label: null,
    nowMs: NOW_MS,
    silos,
    refills: [],
    openCritical: [],
    cut: [],
    raised: { total: 0, info: 0, warning: 0, critical: 0 },
    alerts: [],
    operations: [],
    ...more,
  });

const READER = { language: 'en', mass: 'metric', schedule: null, consoleUrl: null } as const;

test('totals are of everything that is known, and days of the chart are not days of the report', () => {
  const unknown = { deviceId: 'silo-2', name: 'Silo 2', forecast: null, beginKg: 900, endKg: null, days: [] };
  const report = reported([siloFacts(), siloFacts(unknown)]);
  assert.match(reportHtml(report, READER), />20 % · −1\.5\u00a0t</, 'of the silo that was weighed');
  const { totals, days, silos } = report;
  assert.deepEqual(totals, {
    silos: 2,
    capacity_kg: 40_000,
    begin_kg: 6_400,
    end_kg: 4_000,
    change_kg: -1_500,
    in_kg: 0,
    out_kg: 200,
    use_kg: 1_500,
  });
  assert.deepEqual(days.at(-2), { date: '2026-11-16', in_kg: 9_000, use_kg: 1_400 });
  assert.equal(days.length, 7);
  assert.deepEqual([silos[1]?.use_kg, silos[1]?.days_known, silos[1]?.status], [null, 0, null]);
});

test('of a period that is not over the present level is its end', () => {
  const today = daysAround('daily', dayOf('2026-11-18') ?? 0, BERLIN);
  const report = reported([siloFacts({ endKg: null })], { days: today });
  assert.deepEqual([report.is_over, report.to, report.silos[0]?.end_kg], [false, toIso(NOW_MS), 4_000]);
  assert.match(reportHtml(report, READER), /Not over yet: figures until Wed, Nov 18, 06:00/);
});

test('names from outside are text, and no line of a table of a spreadsheet computes', () => {
  const name = '=1+1</td><script>alert(1)</script>"\u202e\r\nBcc: x@example.com';
  const report = reported([siloFacts({ name })], { facility: name });
  const html = reportHtml(report, READER);
  assert.doesNotMatch(html, /<script|\u202e/);
  assert.match(html, /&#60;script&#62;/);
  assert.doesNotMatch(reportSubject(report, READER), /[\r\n]/);
  assert.doesNotMatch(reportText(report, READER), /^Bcc/m);
  assert.match(reportCsv(report), /"'=1\+1/);
});

test('says first what has to be done, in every language and unit', () => {
  const openCritical = [
    { device_id: 'silo-1', device_name: 'Silo 1', type: 'hot_spot', since: toIso(NOW_MS - DAY_MS) } as const,
  ];
  const report = reported([siloFacts()], { openCritical });
  assert.equal(
    reportSubject(report, READER),
    'Daily report Tuesday, November 17, 2026, All facilities · Order: 1 · Critical: 1',
  );
  for (const language of REPORT_LANGUAGES) {
    const html = reportHtml(report, { ...READER, language });
    assert.ok(html.indexOf('14') < html.indexOf('Wheat') && html.includes(`<html lang="${language}">`));
    assert.doesNotMatch(html, /undefined|NaN|\{\w+\}/, language);
  }
  assert.match(reportHtml(report, { ...READER, mass: 'lb' }), /30,865\u00a0lb/);
  assert.match(reportHtml(report, { ...READER, language: 'de' }), /1,5\u00a0t/);
  assert.match(reportText(reported([siloFacts({ forecast: null })]), READER), /Nothing has to be done/);
});

test('alerts that are left out, and refills that were left out when they were read, are told', () => {
  const openCritical = Array.from({ length: REPORT_ITEMS_MAX + 1 }, (_, index) => ({
    device_id: `silo-${index}`,
    device_name: `Silo ${index}`,
    type: 'hot_spot' as const,
    since: toIso(NOW_MS - DAY_MS),
  }));
  const report = reported([siloFacts({ forecast: null })], { openCritical, cut: ['deliveries'] });
  assert.deepEqual(
    [report.open_critical.length, report.has_more],
    [REPORT_ITEMS_MAX, ['deliveries', 'open_critical']],
  );
  assert.match(reportSubject(report, READER), /Critical: 100\+$/);
  assert.match(reportText(report, READER), /Silo 99: .*\nThere are more than are listed here\.\n/);
  assert.match(reportHtml(report, READER), /Silo 99.*There are more than are listed here\./s);
  const whole = reported([siloFacts()], { openCritical: openCritical.slice(1) });
  assert.deepEqual([whole.open_critical.length, whole.has_more], [REPORT_ITEMS_MAX, []]);
});

test('a file is attached where that is wanted', () => {
  const report = reported([siloFacts()]);
  const names = (attachesCsv: boolean) =>
    mailParts({ report, reader: READER, attachesCsv }).attachments.map(({ filename }) => filename);
  assert.deepEqual([names(true), names(false)], [['report-daily-2026-11-17.csv'], []]);
});

test('a report of nothing and one of very much stay readable', () => {
  assert.match(reportHtml(reported([]), READER), /There are no silos here/);
  const unknown = siloFacts({ beginKg: null, endKg: null, days: [] });
  assert.match(reportText(reported([unknown]), READER), /Stock: – \(–\)\nUsed: –\nDelivered: –/);
  const many = Array.from({ length: 501 }, (_, no) => siloFacts({ name: `Silo ${no}`, endKg: 1e12 }));
  const report = reported(many);
  assert.deepEqual([report.silos.length, report.has_more, report.totals.silos], [500, ['silos'], 501]);
  assert.deepEqual(
    report.silos.slice(1, 3).map(({ name }) => name),
    ['Silo 1', 'Silo 2'],
  );
  assert.match(reportHtml(report, READER), /There are more than are listed here/);
});

test('whoever confirmed an operation is named with whoever started it, in every language', () => {
  const operation = {
    operation_id: 'op_1',
    device_id: 'silo-1',
    device_name: 'Silo 1',
    type: 'feed',
    status: 'completed',
    amount_completed: 5,
    unit: 'kg',
    started_at: '2026-11-17T08:00:00Z',
    ended_at: '2026-11-17T08:10:00Z',
    requested_by: {
      key_id: 'per_1',
      key_name: 'Ada <b>',
      actor: null,
      confirmed_by: { key_id: 'per_2', name: 'Bo {name}' },
    },
    stopped_by: null,
  } as const;
  const facts = { operations: [operation] } as unknown as Parameters<typeof reported>[1];
  const report = reported([siloFacts()], facts);
  for (const [language, text] of [
    ['en', 'Ada &#60;b&#62;, confirmed by Bo {name}'],
    ['de', 'Ada &#60;b&#62;, bestätigt von Bo {name}'],
    ['es', 'Ada &#60;b&#62;, confirmada por Bo {name}'],
    ['fr', 'Ada &#60;b&#62;, confirmée par Bo {name}'],
    ['nl', 'Ada &#60;b&#62;, bevestigd door Bo {name}'],
    ['pl', 'Ada &#60;b&#62;, potwierdzona przez: Bo {name}'],
  ] as const) {
    assert.ok(reportHtml(report, { ...READER, language }).includes(text), language);
  }
});
