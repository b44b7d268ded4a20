import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALERT_SEVERITIES } from '@granary/contract/alerts';
import {
  ATTENTION_ITEMS_MAX,
  ATTENTION_REASONS,
  type AttentionItem,
  type FleetAlert,
} from '@granary/contract/fleet';
import { SeededRandom } from '@granary/testing/server/seeded-random';
import { attentionOf } from './attention.ts';

let made = 0;
const alert = (type: FleetAlert['type'], fields: Partial<FleetAlert> = {}): FleetAlert => {
  made++;
  return {
    alert_id: `al_${made}`,
    device_id: `silo-${made}`,
    type,
    severity: 'warning',
    status: 'active',
    created_at: new Date(made * 1_000).toISOString(),
    ...fields,
  } as FleetAlert;
};

const alerts = (count: number, ...given: Parameters<typeof alert>): FleetAlert[] =>
  Array.from({ length: count }, () => alert(...given));

const item = (what: AttentionItem['what'], device_id = 'rover'): AttentionItem =>
  ({ what, device_id, id: `${what} ${device_id}` }) as AttentionItem;

const summary = (...given: Parameters<typeof attentionOf>): string[] => {
  const { floods, lines, others } = attentionOf(...given);
  return [
    ...floods.map(({ type, count }) => `${count} × ${type}`),
    ...lines.map((line) => (line.kind === 'alert' ? line.alert.type : line.item.what)),
    ...(others === 0 ? [] : [`and ${others} others`]),
  ];
};

test('eighty alerts of six kinds are all told: the many as one line each, the single ones by themselves', () => {
  const many = [
    ...alerts(21, 'critical_level', { severity: 'critical' }),
    ...alerts(16, 'high_level'),
    ...alerts(33, 'low_level'),
    ...alerts(8, 'device_offline'),
    alert('sensor_threshold', { severity: 'critical', rule: 'temp_1 above critical' }),
    alert('mission_failed'),
  ];
  assert.deepEqual(summary(many, []), [
    '21 × critical_level',
    '16 × high_level',
    '33 × low_level',
    'sensor_threshold',
    ...Array(8).fill('device_offline'),
    'mission_failed',
  ]);
});

test('a critical alert is no part of a flood of warnings of its type', () => {
  const warm = alerts(12, 'sensor_threshold', { rule: 'temp_1 above warning' });
  const hot = alert('sensor_threshold', { severity: 'critical', rule: 'temp_1 above critical' });
  assert.deepEqual(summary([...warm, hot], []), ['12 × sensor_threshold', 'sensor_threshold']);
});

test('the only one of its kind is shown before the ninth of another, and the rest is counted', () => {
  const kinds = ['low_level', 'high_level', 'device_offline', 'low_battery'] as const;
  const given = [...kinds.flatMap((type) => alerts(9, type)), alert('mission_failed')];
  const told = summary(given, []);
  assert.ok(told.includes('mission_failed'));
  assert.equal(told.at(-1), `and ${37 - ATTENTION_ITEMS_MAX} others`);
});

test('stops come first, then critical alerts, then what else the service lists, then warnings', () => {
  const listed = [
    item('stop_unconfirmed'),
    item('critical_alert'),
    item('offline_with_job'),
    item('warning_alert'),
  ];
  assert.deepEqual(summary([alert('low_level'), alert('critical_level', { severity: 'critical' })], listed), [
    'stop_unconfirmed',
    'critical_level',
    'offline_with_job',
    'low_level',
  ]);
});

test('what is shown and what is counted are all that waits, each once', () => {
  const random = new SeededRandom(7);
  const below = (end: number): number => Math.floor(random.next() * end);
  const types = [
    'low_level',
    'high_level',
    'device_offline',
    'emergency_stop_unconfirmed',
    'mission_failed',
  ] as const;
  const statuses = ['active', 'cleared', 'acknowledged'] as const;
  for (let round = 0; round < 300; round++) {
    const given = Array.from({ length: below(120) }, () =>
      alert(types[below(1 + below(types.length))] ?? 'low_level', {
        device_id: `silo-${below(40)}`,
        severity: ALERT_SEVERITIES[below(3)] ?? 'info',
        status: statuses[below(3)] ?? 'active',
      }),
    );
    const listed = Array.from({ length: below(6) }, () =>
      item(ATTENTION_REASONS[below(ATTENTION_REASONS.length)] ?? 'stop_unconfirmed', `silo-${below(40)}`),
    );
    const { floods, lines, others } = attentionOf(given, listed);
    const stopping = listed.flatMap(({ what, device_id }) =>
      what === 'emergency_stop_unconfirmed' ? [device_id] : [],
    );
    const waiting = given.filter(
      ({ status, severity, type, device_id }) =>
        status !== 'acknowledged' &&
        severity !== 'info' &&
        (type !== 'emergency_stop_unconfirmed' || !stopping.includes(device_id)),
    );
    const shown = lines.flatMap((line) => (line.kind === 'alert' ? [line.alert] : []));
    const counted = floods.reduce((sum, { count }) => sum + count, 0);
    assert.equal(counted + shown.length + others, waiting.length);
    assert.equal(new Set(shown).size, shown.length);
    assert.equal(lines.length - shown.length, listed.filter(({ what }) => !what.endsWith('_alert')).length);
    const kindsShown = new Set([...floods, ...shown].map(({ type, severity }) => `${type} ${severity}`));
    for (const { type, severity } of waiting)
      assert.ok(kindsShown.has(`${type} ${severity}`), `${type} ${severity}`);
  }
});
