import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ArrangedDevice,
  arrange,
  arrangementOf,
  type Need,
  needOf,
  openFacilities,
  rowsInWindow,
  showsOf,
} from './arrangement.ts';

const reading = { value: 1, unit: 'kg', timestamp: '2026-11-16T00:00:00Z' };

const calm = { status: 'online', readings: { weight: { ...reading, quality: 'good' } } } as const;

const critical = { type: 'critical_level', severity: 'critical', status: 'active' } as const;

const warning = { type: 'device_offline', severity: 'warning', status: 'cleared' } as const;

const aDevice = (
  device_id: string,
  {
    need = 'nothing',
    facility = 'North',
    zone = 'Yard',
    shows = [],
    level = null,
    emptyMs = null,
    ...rest
  }: Partial<Omit<ArrangedDevice['device'], 'location'>> & {
    readonly need?: Need;
    readonly facility?: string;
    readonly zone?: string;
  } & Partial<Pick<ArrangedDevice, 'shows' | 'level' | 'emptyMs'>> = {},
): ArrangedDevice => ({
  device: {
    device_id,
    name: device_id,
    model: 'GS-12',
    profile: 'silo_scale',
    status: 'online',
    ...rest,
    location: { facility, zone },
  },
  need,
  shows,
  level,
  emptyMs,
});

const shown = (devices: readonly ArrangedDevice[], address: string): string[] =>
  arrange(devices, arrangementOf(new URLSearchParams(address))).map(
    ({ name, deviceIds }) => `${name}: ${deviceIds.join(' ')}`,
  );

test('the facility with the lowest level, or with the device that is empty soonest, is first where that is asked for', () => {
  const devices = [
    aDevice('full', { facility: 'North', level: 90, emptyMs: 3 }),
    aDevice('half', { facility: 'South', level: 50, emptyMs: 1 }),
    aDevice('low', { facility: 'West', level: 10, emptyMs: 2 }),
    aDevice('unknown', { facility: 'East' }),
  ];
  assert.deepEqual(shown(devices, 'sort=level'), [
    'West: low',
    'South: half',
    'North: full',
    'East: unknown',
  ]);
  assert.deepEqual(shown(devices, 'sort=empty'), [
    'South: half',
    'West: low',
    'North: full',
    'East: unknown',
  ]);
});

test('facilities are in the order of their names, and their devices in the order of what they need, then of their zones', () => {
  const devices = [
    aDevice('calm'),
    aDevice('late', { need: 'silent' }),
    aDevice('low', { need: 'warning' }),
    aDevice('feeds', { need: 'moving' }),
    aDevice('full', { need: 'critical' }),
    aDevice('far', { facility: 'Abbey', zone: 'Loft 10' }),
    aDevice('near', { facility: 'Abbey', zone: 'Loft 2' }),
  ];
  assert.deepEqual(shown(devices, ''), ['Abbey: near far', 'North: full feeds low late calm']);
});

test('without groups everything is one list', () => {
  const devices = [aDevice('silo 10'), aDevice('silo 9', { facility: 'Abbey' })];
  assert.deepEqual(shown(devices, 'group=none&sort=name'), ['null: silo 9 silo 10']);
  assert.deepEqual(shown([], 'group=none'), []);
});

test('the address filters; what it names that does not exist is ignored', () => {
  const devices = [
    aDevice('one', { name: 'Wheat <b>' }),
    aDevice('two', { profile: 'rover', status: 'offline', facility: 'Abbey', labels: { season: '2026' } }),
  ];
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['q=WHEAT', ['North: one']],
    ['q=yard', ['Abbey: two', 'North: one']],
    ['status=offline', ['Abbey: two']],
    ['profile=silo_scale', ['North: one']],
    ['facility=Abbey', ['Abbey: two']],
    ['facility=Nowhere', []],
    ['label=season%3D2026', ['Abbey: two']],
    ['label=season', ['Abbey: two']],
    ['label=season,constructor', []],
    ['q=2026', ['Abbey: two']],
    ['status=lost&profile=submarine&sort=size&group=colour', ['Abbey: two', 'North: one']],
  ];
  for (const [address, expected] of cases) assert.deepEqual(shown(devices, address), expected, address);
});

test('a device needs what is most urgent of all that it has', () => {
  const facts = { device: calm, alerts: [], isMoving: false };
  assert.equal(needOf(facts), 'nothing');
  assert.equal(needOf({ ...facts, device: { status: 'maintenance' } }), 'nothing');
  assert.equal(needOf({ ...facts, device: { ...calm, status: 'offline' } }), 'silent');
  assert.equal(
    needOf({ ...facts, device: { ...calm, readings: { weight: { ...reading, quality: 'stale' } } } }),
    'silent',
  );
  assert.equal(needOf({ ...facts, device: { ...calm, status: 'offline' }, alerts: [warning] }), 'warning');
  assert.equal(needOf({ ...facts, alerts: [warning], isMoving: true }), 'moving');
  assert.equal(needOf({ ...facts, alerts: [warning, critical], isMoving: true }), 'critical');
});

test('an acknowledged alert needs nothing more', () => {
  const alerts = [{ ...critical, status: 'acknowledged' }] as const;
  assert.equal(needOf({ device: calm, alerts, isMoving: false }), 'nothing');
});

test('devices are ordered by level or by when they are empty; what is not known comes last', () => {
  const devices = [
    aDevice('half', { level: 50, emptyMs: 3 }),
    aDevice('unknown'),
    aDevice('low', { level: 10, emptyMs: 9 }),
  ];
  assert.deepEqual(shown(devices, 'sort=level'), ['North: low half unknown']);
  assert.deepEqual(shown(devices, 'sort=empty'), ['North: half low unknown']);
});

test('a person can look for what needs them, moves, is low or is silent', () => {
  const devices = [aDevice('one', { shows: ['moving'] }), aDevice('two', { shows: ['low', 'needs_me'] })];
  assert.deepEqual(shown(devices, 'show=moving'), ['North: one']);
  assert.deepEqual(shown(devices, 'show=needs_me'), ['North: two']);
  const facts = { device: calm, alerts: [], isMoving: false };
  assert.deepEqual(showsOf(facts), []);
  assert.deepEqual(showsOf({ ...facts, alerts: [critical], isMoving: true }), ['needs_me', 'moving', 'low']);
  assert.deepEqual(showsOf({ ...facts, alerts: [{ ...critical, status: 'acknowledged' }] }), ['low']);
  assert.deepEqual(showsOf({ ...facts, device: { ...calm, status: 'offline' } }), ['stale']);
});

test('facilities with few devices are open, with many closed, and a press turns one over', () => {
  const facility = (name: string, count: number) => ({
    name,
    deviceIds: Array.from({ length: count }, (_, index) => `${name} ${index}`),
  });
  const few = [facility('A', 30), facility('B', 30)];
  const many = [facility('A', 31), facility('B', 30)];
  assert.deepEqual([...openFacilities(few, new Set(['B']))], ['A']);
  assert.deepEqual([...openFacilities(many, new Set())], []);
  assert.deepEqual([...openFacilities(many, new Set(['B', 'elsewhere']))], ['B']);
  assert.deepEqual([...openFacilities([facility('A', 500)], new Set())], ['A']);
});

test('of a long list the rows in the window and close to it are shown, and always one', () => {
  for (const [topPx, shown] of [
    [100, [0, 7]],
    [-10_000, [47, 57]],
    [5_000, [0, 1]],
    [-100_000, [332, 333]],
  ] as const) {
    const { first, end } = rowsInWindow(topPx, 800, 200, 333);
    assert.deepEqual([first, end], shown, String(topPx));
  }
});
