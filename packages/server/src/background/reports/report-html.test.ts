import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REPORT_ITEMS_MAX } from '@granary/contract/reports';
import { DAY_MS, toIso } from '@granary/contract/time';
import { dayOf, daysAround } from '@granary/core/reports/period';
import { BERLIN, NOW_MS, READER, reported, siloFacts } from '@granary/testing/core/reports';
import { LANGUAGES } from '@granary/words/languages';
import { mailParts, reportHtml } from './report-html.ts';

test('the share is that of the silos that were weighed', () => {
  const unknown = siloFacts({
    deviceId: 'silo-2',
    name: 'Silo 2',
    forecast: null,
    beginKg: 900,
    endKg: null,
  });
  assert.match(reportHtml(reported([siloFacts(), unknown]), READER), />20 % · −1\.5\u00a0t</);
});

test('a period that is not over says so', () => {
  const today = daysAround('daily', dayOf('2026-11-18') ?? 0, BERLIN);
  const html = reportHtml(reported([siloFacts({ endKg: null })], { days: today }), READER);
  assert.match(html, /Not over yet: figures until Wed, Nov 18, 06:00/);
});

test('names from outside are text', () => {
  const name = '=1+1</td><script>alert(1)</script>"\u202e';
  const html = reportHtml(reported([siloFacts({ name })], { facility: name }), READER);
  assert.doesNotMatch(html, /<script|\u202e/);
  assert.match(html, /&#60;script&#62;/);
});

test('says first what has to be done, in every language and unit', () => {
  const openCritical = [
    { device_id: 'silo-1', device_name: 'Silo 1', type: 'hot_spot', since: toIso(NOW_MS - DAY_MS) } as const,
  ];
  const report = reported([siloFacts()], { openCritical });
  for (const language of LANGUAGES) {
    const html = reportHtml(report, { ...READER, language });
    assert.ok(html.indexOf('14') < html.indexOf('Wheat') && html.includes(`<html lang="${language}">`));
    assert.doesNotMatch(html, /undefined|NaN|\{\w+\}/, language);
  }
  assert.match(reportHtml(report, { ...READER, mass: 'lb' }), /30,865\u00a0lb/);
  assert.match(reportHtml(report, { ...READER, language: 'de' }), /1,5\u00a0t/);
});

test('alerts that are left out are told', () => {
  const openCritical = Array.from({ length: REPORT_ITEMS_MAX + 1 }, (_, index) => ({
    device_id: `silo-${index}`,
    device_name: `Silo ${index}`,
    type: 'hot_spot' as const,
    since: toIso(NOW_MS - DAY_MS),
  }));
  const html = reportHtml(reported([siloFacts({ forecast: null })], { openCritical }), READER);
  assert.match(html, /Silo 99.*There are more than are listed here\./s);
});

test('a file is attached where that is wanted', () => {
  const report = reported([siloFacts()]);
  const names = (attachesCsv: boolean) =>
    mailParts({ report, reader: READER, attachesCsv }).attachments.map(({ filename }) => filename);
  assert.deepEqual([names(true), names(false)], [['report-daily-2026-11-17.csv'], []]);
});

test('a report of nothing and one of very much stay readable', () => {
  assert.match(reportHtml(reported([]), READER), /There are no silos here/);
  const many = Array.from({ length: 501 }, (_, no) => siloFacts({ name: `Silo ${no}`, endKg: 1e12 }));
  assert.match(reportHtml(reported(many), READER), /There are more than are listed here/);
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
