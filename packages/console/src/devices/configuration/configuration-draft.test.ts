import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import fc from 'fast-check';
import { meantTime, shownTime } from '../../kit/site-time.ts';
import {
  draftOf,
  merged,
  newRule,
  patchOf,
  ruleLines,
  rulesOf,
  sideOf,
  valueOfRule,
  withSide,
  withValue,
} from './configuration-draft.ts';

const CONFIGURATION: DeviceConfiguration = {
  thresholds: { low_level: 20, high_level: 90, critical_level: 10 },
  operation_limits: { max_feed_rate: 100, max_discharge_rate: 50, rate_unit: 'kg/min' },
  maintenance: { next_scheduled: '2027-01-01T08:30:00.000Z', interval_hours: 100 },
  reporting: { interval_s: 10, offline_delay_s: 30 },
  alarms: { dead_band: 1, on_delay_s: 0, off_delay_s: 5 },
  rules: [],
};

const base = draftOf(CONFIGURATION);
const changed = (changes: Readonly<Record<string, string>>) => new Map([...base, ...Object.entries(changes)]);

test('every field that the form can change is in the draft', () => {
  assert.equal(base.get('thresholds.low_level'), '20');
  assert.equal(base.get('maintenance.next_scheduled'), '2027-01-01T08:30Z');
  assert.equal(base.has('operation_limits.rate_unit'), false);
});

test('only what was changed is sent', () => {
  assert.deepEqual(patchOf(base, base), { patch: {}, faulty: [] });
  const rules = '[{"sensor_id":"temperature","above":30,"severity":"warning"}]';
  assert.deepEqual(
    patchOf(base, changed({ 'thresholds.low_level': '25.5', 'alarms.dead_band': '2', rules })).patch,
    {
      thresholds: { low_level: 25.5 },
      alarms: { dead_band: 2 },
      rules: [{ sensor_id: 'temperature', above: 30, severity: 'warning' }],
    },
  );
});

test('a time is entered by the clocks of the site, wherever the browser is, and sent in UTC', (t) => {
  const own = process.env['TZ'];
  t.after(() => {
    if (own === undefined) delete process.env['TZ'];
    else process.env['TZ'] = own;
  });
  for (const browser of ['America/Chicago', 'Europe/Berlin', 'Asia/Kathmandu']) {
    process.env['TZ'] = browser;
    for (const [zone, shown, sent] of [
      ['Europe/Berlin', '2027-02-03T14:55', '2027-02-03T13:55:00.000Z'],
      ['America/Chicago', '2027-02-03T14:55', '2027-02-03T20:55:00.000Z'],
      ['Europe/Berlin', '2027-03-28T01:59', '2027-03-28T00:59:00.000Z'],
      ['Europe/Berlin', '2027-03-28T03:00', '2027-03-28T01:00:00.000Z'],
      ['Europe/Berlin', '2027-10-31T01:59', '2027-10-30T23:59:00.000Z'],
      ['Europe/Berlin', '2027-10-31T02:30', '2027-10-31T00:30:00.000Z'],
      ['Europe/Berlin', '2027-10-31T03:00', '2027-10-31T02:00:00.000Z'],
    ] as const) {
      const entered = meantTime(shown, zone);
      assert.equal(shownTime(entered, zone), shown, browser);
      assert.deepEqual(patchOf(base, changed({ 'maintenance.next_scheduled': entered })).patch, {
        maintenance: { next_scheduled: sent },
      });
    }
  }
});

test('a local time that the clocks skip is shown as the time that it means', () => {
  assert.equal(
    shownTime(meantTime('2027-03-28T02:30', 'Europe/Berlin'), 'Europe/Berlin'),
    '2027-03-28T03:00',
  );
});

test('a draft stays the same when the zone becomes known after it was begun', () => {
  const entered = meantTime('2027-02-03T07:55', 'America/Chicago');
  assert.equal(shownTime(entered, 'Europe/Berlin'), '2027-02-03T14:55');
  const stored = base.get('maintenance.next_scheduled') ?? '';
  for (const zone of ['America/Chicago', 'Europe/Berlin']) {
    const again = changed({ 'maintenance.next_scheduled': meantTime(shownTime(stored, zone), zone) });
    assert.deepEqual(patchOf(base, again), { patch: {}, faulty: [] });
  }
});

test('what is no time stays as it is, and is named', () => {
  for (const text of ['', 'NaN']) {
    const entered = meantTime(text, 'Europe/Berlin');
    assert.equal(shownTime(entered, 'Europe/Berlin'), text);
    assert.deepEqual(patchOf(base, changed({ 'maintenance.next_scheduled': entered })).faulty, [
      'maintenance.next_scheduled',
    ]);
  }
});

test('a field without a number is named', () => {
  assert.deepEqual(patchOf(base, changed({ 'thresholds.low_level': ' ' })).faulty, ['thresholds.low_level']);
});

test('changes of two people to different fields are both kept', () => {
  const result = merged(
    base,
    changed({ 'thresholds.low_level': '25' }),
    changed({ 'thresholds.high_level': '95' }),
  );
  assert.deepEqual(result.conflicts, []);
  assert.deepEqual(result.taken, ['thresholds.high_level']);
  assert.deepEqual(
    [result.draft.get('thresholds.low_level'), result.draft.get('thresholds.high_level')],
    ['25', '95'],
  );
});

test('two values for one field are a conflict, the same value is none', () => {
  const mine = changed({ 'thresholds.low_level': '25', 'alarms.dead_band': '3' });
  const theirs = changed({ 'thresholds.low_level': '30', 'alarms.dead_band': '3' });
  assert.deepEqual(merged(base, mine, theirs).conflicts, [
    { path: 'thresholds.low_level', mine: '25', theirs: '30' },
  ]);
});

test('a rule has exactly one side, and keeps its value when the side changes', () => {
  const below = withSide(
    { sensor_id: 'temperature', above: 30, severity: 'critical', dead_band: 2 },
    'below',
  );
  assert.deepEqual(below, { sensor_id: 'temperature', below: 30, severity: 'critical', dead_band: 2 });
  assert.equal(sideOf(below), 'below');
  assert.deepEqual(withSide(below, 'above').above, 30);
});

test('a value that cannot be read changes nothing', () => {
  const rule = newRule('humidity');
  assert.equal(valueOfRule(withValue(rule, Number.NaN)), 0);
  assert.equal(valueOfRule(withValue(rule, 14.5)), 14.5);
});

const points = ['temp_1', 'temp_2', 'temp_3'].map((id) => ({
  id,
  unit: 'celsius',
  declaredType: 'temperature',
  reportingIntervalS: null,
}));
const cable = { prefix: 'temp', sensors: points };
const heats = (number: number, above = 30) => ({
  sensor_id: `temp_${number}`,
  above,
  severity: 'warning' as const,
  message: `The grain heats up at point ${number}`,
});

test('the same rule of all points of a cable is one line, and becomes the same rules again', () => {
  const dry = { sensor_id: 'humidity', below: 40, severity: 'info' as const };
  const rules = [dry, heats(1), heats(2), heats(3)];
  const lines = ruleLines(rules, [cable]);
  assert.deepEqual(
    lines.map(({ rule, cable: of }) => [rule.message, of?.prefix]),
    [
      [undefined, undefined],
      ['The grain heats up at point #', 'temp'],
    ],
  );
  assert.deepEqual(rulesOf(lines), rules);
});

test('a rule that a point lacks, has twice or has with another value stays a line of its own', () => {
  for (const rules of [
    [heats(1), heats(2)],
    [heats(1), heats(2), heats(2)],
    [heats(1), heats(2), heats(3, 31)],
    [heats(1), heats(2), { ...heats(3), message: 'warm' }],
  ]) {
    const lines = ruleLines(rules, [cable]);
    assert.ok(lines.every((line) => line.cable === null));
    assert.deepEqual(rulesOf(lines).toSorted(byText), rules.toSorted(byText));
  }
});

test('whatever the texts of rules are, an editor that changes nothing keeps them', () => {
  const pointsWith = (text: string) =>
    [1, 2, 3].map((no) => ({ ...heats(no), message: text.replaceAll('n', `${no}`) }));
  assert.deepEqual(rulesOf(ruleLines(pointsWith('Cable #n warm'), [cable])), pointsWith('Cable #n warm'));
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom('#', '1', '2', 'n', ' ', 'a') }), { maxLength: 3 }),
      (texts) => {
        const rules = texts.flatMap(pointsWith);
        assert.deepEqual(rulesOf(ruleLines(rules, [cable])).toSorted(byText), rules.toSorted(byText));
      },
    ),
  );
});

const byText = (one: object, other: object): number => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);
