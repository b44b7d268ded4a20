import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ArrangedDevice, arrange, arrangementOf, type Need, needOf } from './arrangement.ts';

const reading = { value: 1, unit: 'kg', timestamp: '2026-11-16T00:00:00Z' };

const calm = { status: 'online', readings: { weight: { ...reading, quality: 'good' } } } as const;

const critical = { severity: 'critical', status: 'active' } as const;

const warning = { severity: 'warning', status: 'cleared' } as const;

const aDevice = (
  device_id: string,
  {
    need = 'nothing',
    facility = 'North',
    zone = 'Yard',
    ...rest
  }: Partial<Omit<ArrangedDevice['device'], 'location'>> & {
    readonly need?: Need;
    readonly facility?: string;
    readonly zone?: string;
  } = {},
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
});

const shown = (devices: readonly ArrangedDevice[], address: string): string[] =>
  arrange(devices, arrangementOf(new URLSearchParams(address))).flatMap(({ name, zones }) =>
    zones.map((zone) => `${name}/${zone.name}: ${zone.deviceIds.join(' ')}`),
  );

test('places are in the order of their names, and the devices of a place in the order of what they need', () => {
  const devices = [
    aDevice('calm'),
    aDevice('late', { need: 'silent' }),
    aDevice('low', { need: 'warning' }),
    aDevice('feeds', { need: 'moving' }),
    aDevice('full', { need: 'critical' }),
    aDevice('far', { facility: 'Abbey', zone: 'Loft 10' }),
    aDevice('near', { facility: 'Abbey', zone: 'Loft 2' }),
  ];
  assert.deepEqual(shown(devices, ''), [
    'Abbey/Loft 2: near',
    'Abbey/Loft 10: far',
    'North/Yard: full feeds low late calm',
  ]);
});

test('without groups everything is one list', () => {
  const devices = [aDevice('silo 10'), aDevice('silo 9', { facility: 'Abbey' })];
  assert.deepEqual(shown(devices, 'group=none&sort=name'), ['null/null: silo 9 silo 10']);
  assert.deepEqual(shown([], 'group=none'), []);
});

test('the address filters; what it names that does not exist is ignored', () => {
  const devices = [
    aDevice('one', { name: 'Wheat <b>' }),
    aDevice('two', { profile: 'rover', status: 'offline', facility: 'Abbey' }),
  ];
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['q=WHEAT', ['North/Yard: one']],
    ['q=yard', ['Abbey/Yard: two', 'North/Yard: one']],
    ['status=offline', ['Abbey/Yard: two']],
    ['profile=silo_scale', ['North/Yard: one']],
    ['facility=Abbey', ['Abbey/Yard: two']],
    ['facility=Nowhere', []],
    ['status=lost&profile=submarine&sort=size&group=colour', ['Abbey/Yard: two', 'North/Yard: one']],
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
