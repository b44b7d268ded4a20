import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AlarmHelp } from '@granary/contract/alarm-help';
import type { FleetAlert } from '@granary/contract/fleet';
import { parseRoute } from '../context/routes.ts';
import {
  alertFilterOf,
  chosenAlerts,
  floodsOf,
  helpFor,
  helpPlaces,
  queryOf,
  summaryOf,
  valueAgainstThreshold,
} from './alerts.ts';

const summarised = (
  alert_id: string,
  severity: FleetAlert['severity'],
  status: FleetAlert['status'] = 'active',
) => ({ alert_id, severity, status, created_at: `2026-11-17T00:00:0${alert_id}Z` }) as FleetAlert;

const alert = (alert_id: string, fields: Partial<FleetAlert> = {}): FleetAlert => ({
  alert_id,
  device_id: 'silo-1',
  type: 'low_level',
  severity: 'warning',
  message: 'low',
  message_code: 'level_below',
  message_values: {},
  status: 'active',
  current_value: 1,
  threshold: 2,
  created_at: '2026-11-16T01:00:00Z',
  note: null,
  acknowledged_by: null,
  acknowledged_at: null,
  acknowledged_with: null,
  cleared_at: null,
  resolved_at: null,
  shelved_until: null,
  shelve_reason: null,
  shelved_by: null,
  shelved_with: null,
  ...fields,
});

const ALERTS = [
  alert('seen', { severity: 'critical', status: 'acknowledged', created_at: '2026-11-16T05:00:00Z' }),
  alert('old'),
  alert('new', { status: 'cleared', created_at: '2026-11-16T02:00:00Z' }),
  alert('worst', { severity: 'critical', created_at: '2026-11-16T00:00:00Z', device_id: 'silo-2' }),
];

const shown = (address: string): string[] =>
  chosenAlerts(ALERTS, alertFilterOf(new URLSearchParams(address)), (deviceId) =>
    deviceId === 'silo-1' ? 'North' : undefined,
  ).map(({ alert_id }) => alert_id);

test('an alert that waits for a person comes first, then the more severe, then the newer', () => {
  assert.deepEqual(shown(''), ['worst', 'new', 'old', 'seen']);
});

test('the address filters; what it names that does not exist is ignored', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['list=unacknowledged', ['worst', 'new', 'old']],
    ['severity=critical', ['worst', 'seen']],
    ['facility=North', ['new', 'old', 'seen']],
    ['device=silo-2', ['worst']],
    ['list=lost&severity=loud', ['worst', 'new', 'old', 'seen']],
  ];
  for (const [address, expected] of cases) assert.deepEqual(shown(address), expected, address);
});

test('the service is asked for what the address names', () => {
  const query = (address: string) => queryOf(alertFilterOf(new URLSearchParams(address)));
  assert.deepEqual(query('list=history'), { status: 'all' });
  assert.deepEqual(query('list=shelved&severity=info&facility=North&device=silo-1'), {
    status: 'shelved',
    severity: 'info',
    facility: 'North',
    device_id: 'silo-1',
  });
});

test('the links in messages about an alert lead to its device, and for one that is over to its history', () => {
  const filter = (address: string) => alertFilterOf(parseRoute(address, () => true).query);
  const ofDevice = { severity: null, type: null, facility: null, device: 'silo-07' };
  assert.equal(parseRoute('#/alerts?device=silo-07', () => true).view, 'alerts');
  assert.deepEqual(filter('#/alerts?device=silo-07'), { list: 'open', ...ofDevice });
  assert.deepEqual(filter('#/alerts?device=silo-07&list=history'), { list: 'history', ...ofDevice });
});

test('a value stands against its threshold, with the unit that both have', () => {
  const level = { type: 'high_level', current_value: 90.512, threshold: 90 } as const;
  assert.equal(valueAgainstThreshold(level, {}, 'en'), '90.5 / 90 %');
  const sensor = { ...level, type: 'sensor_threshold', sensor_id: 'grain-1' } as const;
  const reading = { value: 31, unit: 'celsius', timestamp: '2026-11-16T00:00:00Z', quality: 'good' } as const;
  assert.equal(valueAgainstThreshold(sensor, { 'grain-1': reading }, 'de'), '90,5 / 90 °C');
  assert.equal(valueAgainstThreshold(sensor, undefined, 'en'), '90.5 / 90');
});

test('an alert that is not about a number has none', () => {
  const offline = { type: 'device_offline', current_value: null, threshold: null } as const;
  assert.equal(valueAgainstThreshold(offline, {}, 'en'), null);
});

test('the newest critical alert is told, or the newest warning where there is none', () => {
  const warnings = [summarised('1', 'warning'), summarised('3', 'warning'), summarised('4', 'info')];
  const critical = [
    summarised('0', 'critical'),
    summarised('2', 'critical'),
    summarised('5', 'critical', 'acknowledged'),
  ];
  assert.equal(summaryOf([...warnings, ...critical]).foremost?.alert_id, '2');
  assert.equal(summaryOf(warnings).foremost?.alert_id, '3');
  assert.equal(summaryOf([summarised('4', 'info')]).foremost, null);
});

test('many alerts of one type that nobody has acknowledged are a flood, the most severe first', () => {
  const lost = (count: number, status: FleetAlert['status'] = 'active') =>
    Array.from({ length: count }, (_, index) =>
      alert(`lost ${status} ${index}`, { type: 'device_offline', device_id: `silo-${index % 9}`, status }),
    );
  assert.deepEqual(floodsOf([...lost(9), ...lost(5, 'acknowledged')]), []);
  const low = Array.from({ length: 11 }, (_, index) =>
    alert(`low ${index}`, { type: 'critical_level', severity: index === 4 ? 'warning' : 'critical' }),
  );
  assert.deepEqual(
    floodsOf([...lost(12), ...low]).map(({ type, severity, count, deviceIds }) => [
      type,
      severity,
      count,
      deviceIds.length,
    ]),
    [
      ['critical_level', 'critical', 10, 1],
      ['device_offline', 'warning', 12, 9],
    ],
  );
});

test('one type of alert can be chosen', () => {
  const filter = alertFilterOf(new URLSearchParams('type=device_offline'));
  const chosen = chosenAlerts([alert('low'), alert('lost', { type: 'device_offline' })], filter, () => '');
  assert.deepEqual(
    chosen.map(({ alert_id }) => alert_id),
    ['lost'],
  );
  assert.deepEqual(queryOf(filter), { status: 'all', type: 'device_offline' });
});

test('the most specific text about an alert wins, and a text about something else never does', () => {
  const help = (action: string, fields: Partial<AlarmHelp>): AlarmHelp => ({
    alert_type: 'sensor_threshold',
    facility: null,
    rule: null,
    cause: '',
    consequence: '',
    action,
    updated_at: '2026-11-16T01:00:00Z',
    updated_by: null,
    ...fields,
  });
  const rule = 'temp_3 above warning';
  const written = [
    help('type', {}),
    help('facility', { facility: 'North' }),
    help('rule', { rule }),
    help('rule there', { rule, facility: 'North' }),
  ];
  const found = (facility: string | null, of: string | null) =>
    helpFor(written, { type: 'sensor_threshold', facility, rule: of })?.action;
  assert.equal(found('North', rule), 'rule there');
  assert.equal(found('South', rule), 'rule');
  assert.equal(found('North', 'temp_3 below warning'), 'facility');
  assert.equal(found(null, null), 'type');
  assert.equal(helpFor(written, { type: 'low_level', facility: 'North', rule: null }), null);
});

test('a text can be written where the key may write', () => {
  const places = (facilities: string[] | null, device_ids: string[] | null) =>
    helpPlaces({ facility: 'North', rule: 'r above info' }, { facilities, device_ids }).map(
      ({ facility, rule }) => `${facility} ${rule}`,
    );
  assert.deepEqual(places(null, null), [
    'null null',
    'North null',
    'null r above info',
    'North r above info',
  ]);
  assert.deepEqual(places(['North'], null), ['North null', 'North r above info']);
  assert.deepEqual(places(['South'], null), []);
  assert.deepEqual(places(null, ['silo-1']), []);
});
