import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REPORT_ITEMS_MAX } from '@granary/contract/reports';
import { DAY_MS, HOUR_MS, toIso } from '@granary/contract/time';
import { BERLIN, NOW_MS, READER, reported, siloFacts } from '@granary/testing/core/reports';
import { dateOf, dayOf, daysAround, lastDays, lastSentDays, nextSendingMs } from './period.ts';
import { reportCsv } from './report.ts';
import { reportSubject, reportText } from './report-text.ts';

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

test('totals are of everything that is known, and days of the chart are not days of the report', () => {
  const unknown = { deviceId: 'silo-2', name: 'Silo 2', forecast: null, beginKg: 900, endKg: null, days: [] };
  const report = reported([siloFacts(), siloFacts(unknown)]);
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
});

test('names from outside are text, and no line of a table of a spreadsheet computes', () => {
  const name = '=1+1</td><script>alert(1)</script>"\u202e\r\nBcc: x@example.com';
  const report = reported([siloFacts({ name })], { facility: name });
  assert.doesNotMatch(reportSubject(report, READER), /[\r\n]/);
  assert.doesNotMatch(reportText(report, READER), /^Bcc/m);
  assert.match(reportCsv(report), /"'=1\+1/);
});

test('says first what has to be done', () => {
  const openCritical = [
    { device_id: 'silo-1', device_name: 'Silo 1', type: 'hot_spot', since: toIso(NOW_MS - DAY_MS) } as const,
  ];
  const report = reported([siloFacts()], { openCritical });
  assert.equal(
    reportSubject(report, READER),
    'Daily report Tuesday, November 17, 2026, All facilities · Order: 1 · Critical: 1',
  );
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
  const whole = reported([siloFacts()], { openCritical: openCritical.slice(1) });
  assert.deepEqual([whole.open_critical.length, whole.has_more], [REPORT_ITEMS_MAX, []]);
});

test('a report of nothing and one of very much stay readable', () => {
  const unknown = siloFacts({ beginKg: null, endKg: null, days: [] });
  assert.match(reportText(reported([unknown]), READER), /Stock: – \(–\)\nUsed: –\nDelivered: –/);
  const many = Array.from({ length: 501 }, (_, no) => siloFacts({ name: `Silo ${no}`, endKg: 1e12 }));
  const report = reported(many);
  assert.deepEqual([report.silos.length, report.has_more, report.totals.silos], [500, ['silos'], 501]);
  assert.deepEqual(
    report.silos.slice(1, 3).map(({ name }) => name),
    ['Silo 1', 'Silo 2'],
  );
});
