import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ApiError } from '@granary/client';
import type { FleetAlert, FleetDevice, FleetOperation } from '@granary/contract/fleet';
import { ScriptedClient } from '@granary/testing/console/scripted-client';
import { type Signal, signal } from '@preact/signals';
import { Live } from './live.ts';
import { readSite } from './refresher.ts';
import { emptySite } from './site.ts';

const EARLY = '2026-11-16T00:00:01Z';
const LATE = '2026-11-16T00:00:02Z';

const aDevice = (weight: number, last_seen = EARLY): FleetDevice => ({
  device_id: 'silo-1',
  name: 'Wheat',
  model: 'GS-12',
  profile: 'silo_scale',
  status: 'online',
  last_seen,
  location: { facility: 'North', zone: 'Yard' },
  group: 'silo',
  readings: readingsOf(weight, last_seen),
});

const readingsOf = (value: number, timestamp: string): NonNullable<FleetDevice['readings']> => ({
  weight: { value, unit: 'kg', timestamp, quality: 'good' },
});

const anAlert = (alert_id: string, status: FleetAlert['status'] = 'active'): FleetAlert =>
  ({ alert_id, device_id: 'silo-1', severity: 'critical', status, shelved_until: null }) as FleetAlert;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Page {
  readonly live: Live;
  readonly service: ScriptedClient;
  readonly isShown: Signal<boolean>;
  readonly ended: () => number;
  readonly alerts: () => string[];
  readonly weight: () => number | undefined;
  readonly state: () => string;
}

/** `first`: the records that were read before the streams are connected; `null` when that read fails. */
async function openPage(
  t: TestContext,
  hasSharedStreams = true,
  first: readonly FleetAlert[] | null = null,
): Promise<Page> {
  const service = new ScriptedClient();
  const isShown = signal(true);
  let ended = 0;
  const openSharedStreams = async () => (hasSharedStreams ? service.client : null);
  const live = new Live(service.client, () => ended++, { retryMs: 1, isShown, openSharedStreams });
  t.after(() => live.stop());
  live.start();
  if (first === null) service.answer(new Error('no answer'));
  else service.answer({ alerts: first });
  await turn();
  return {
    live,
    service,
    isShown,
    ended: () => ended,
    alerts: () => [...live.site.alerts.all.value.keys()],
    weight: () => live.site.devices.find('silo-1')?.value.readings?.['weight']?.value,
    state: () => live.connection.current.value.state,
  };
}

async function openRead(t: TestContext, hasSharedStreams = true): Promise<Page> {
  const page = await openPage(t, hasSharedStreams);
  page.service.events.connect();
  page.service.answer({ devices: [aDevice(100)], alerts: [anAlert('a')] });
  await turn();
  page.service.readings.connect();
  return page;
}

const raised = (alert_id: string, status: FleetAlert['status'] = 'active') => ({
  type: 'alert.raised' as const,
  device_id: 'silo-1',
  data: { ...anAlert(alert_id, status) },
});

test('what is read before the events are followed is shown at once, and read again only if something has happened', async (t) => {
  for (const hasHappened of [false, true]) {
    const { service, alerts, state } = await openPage(t, true, [anAlert('a')]);
    assert.deepEqual([alerts(), state()], [['a'], 'connecting']);
    service.lastEventId += Number(hasHappened);
    service.events.connect();
    await turn();
    service.answer({});
    await turn();
    if (hasHappened) service.answer({ alerts: [anAlert('b')] });
    await turn();
    assert.deepEqual([alerts(), state(), service.readsWaiting], [[hasHappened ? 'b' : 'a'], 'live', 0]);
  }
});

test('a site that was asked for before is shown, and not asked for again', async (t) => {
  const service = new ScriptedClient();
  const firstRead = readSite(service.client);
  const live = new Live(service.client, () => assert.fail(), { firstRead });
  t.after(() => live.stop());
  live.start();
  service.answer({ devices: [aDevice(100)] });
  await turn();
  assert.deepEqual([[...live.site.devices.all.value.keys()], service.readsWaiting], [['silo-1'], 0]);
});

test('what was read before the events are followed is not current when they cannot be followed', async (t) => {
  const { service, state } = await openPage(t, true, []);
  service.events.cut();
  assert.equal(state(), 'lost');
});

test('an event that arrives before everything was read is applied after it, and told to the views', async (t) => {
  const { live, service, alerts, state } = await openPage(t);
  const heard: string[] = [];
  live.onEvent(({ type }) => heard.push(type));
  service.events.connect();
  service.event(raised('a', 'resolved'));
  service.event(raised('b'));
  await turn();
  assert.deepEqual([alerts(), heard, state()], [[], [], 'connecting']);
  service.answer({ alerts: [anAlert('a')] });
  await turn();
  assert.deepEqual([alerts(), heard, state()], [['b'], ['alert.raised', 'alert.raised'], 'live']);
});

test('an alert about a low level is hidden while one about the critical level of the same silo is there', async (t) => {
  const { service, alerts } = await openRead(t);
  const put = (alert_id: string, type: FleetAlert['type'], status: FleetAlert['status'] = 'active') =>
    service.event({ ...raised(alert_id), data: { ...anAlert(alert_id, status), type } });
  put('low', 'low_level');
  await turn();
  assert.deepEqual(alerts(), ['a', 'low']);
  put('critical', 'critical_level', 'acknowledged');
  await turn();
  assert.deepEqual(alerts(), ['a', 'critical']);
  put('critical', 'critical_level', 'cleared');
  await turn();
  assert.deepEqual(alerts(), ['a', 'low', 'critical']);
});

test('a lost connection is shown from its first moment, and everything is read again', async (t) => {
  const { live, service, alerts, state } = await openRead(t);
  service.events.cut();
  const lost = live.connection.current.value;
  service.readings.cut();
  assert.equal(lost.state, 'lost');
  assert.equal(live.connection.current.value, lost);
  service.events.connect();
  service.answer({ alerts: [anAlert('b')] });
  await turn();
  assert.deepEqual([alerts(), state()], [['b'], 'lost']);
  service.readings.connect();
  assert.equal(state(), 'live');
});

test('a read that was under way when the connection was lost does not count', async (t) => {
  const { service, alerts, state } = await openRead(t);
  service.events.cut();
  service.events.connect();
  service.events.cut();
  service.answer({ alerts: [] });
  await turn();
  assert.deepEqual([alerts(), state()], [['a'], 'lost']);
});

test('of two reads at the same time the newer one counts, whichever is answered last', async (t) => {
  const { service, alerts } = await openRead(t);
  service.events.cut();
  service.events.connect();
  service.events.send({ kind: 'reset', bounds: { oldest: 5, newest: 9 } });
  await turn();
  assert.equal(service.readsWaiting, 2);
  service.event(raised('c'));
  service.answer({ alerts: [anAlert('old')] });
  await turn();
  assert.deepEqual(alerts(), ['a']);
  service.answer({ alerts: [anAlert('new')] });
  await turn();
  assert.deepEqual(alerts(), ['new', 'c']);
});

test('a read that fails is repeated, and until then nothing counts as current', async (t) => {
  const { service, alerts, state } = await openRead(t);
  service.events.send({ kind: 'reset', bounds: { oldest: 5, newest: 9 } });
  await turn();
  service.answer(new Error('no answer'));
  while (service.readsWaiting === 0) await turn();
  assert.equal(state(), 'lost');
  service.answer({ alerts: [] });
  await turn();
  assert.deepEqual([alerts(), state()], [[], 'live']);
});

test('newest values change the device that they are about, and an older list does not take them back', async (t) => {
  const { service, live, weight } = await openRead(t);
  const { device_id, status } = aDevice(0);
  const values = { device_id, status, last_seen: LATE, readings: readingsOf(90, LATE) };
  service.readings.send({ at: LATE, devices: [values, { ...values, device_id: 'unknown' }] });
  await turn();
  assert.deepEqual([weight(), live.site.devices.all.value.size], [90, 1]);
  service.events.send({ kind: 'reset', bounds: { oldest: 5, newest: 9 } });
  await turn();
  service.answer({ devices: [{ ...aDevice(100), name: 'Rye' }] });
  await turn();
  assert.deepEqual([weight(), live.site.devices.find('silo-1')?.value.name], [90, 'Rye']);
});

test('a page that nobody sees holds no stream of values, and one that is seen again follows them', async (t) => {
  const { service, isShown, state, weight } = await openRead(t);
  isShown.value = false;
  await turn();
  assert.deepEqual([service.readings.isOpen, state()], [false, 'live']);
  isShown.value = true;
  await turn();
  const { device_id, status } = aDevice(0);
  const values = { device_id, status, last_seen: LATE, readings: readingsOf(80, LATE) };
  service.readings.send({ at: LATE, devices: [values] });
  await turn();
  assert.deepEqual([service.readings.isOpen, weight()], [true, 80]);
});

test('a page with streams of its own that nobody sees holds none, and says so', async (t) => {
  const { service, isShown, state } = await openRead(t, false);
  isShown.value = false;
  await turn();
  await turn();
  assert.deepEqual([service.events.isOpen, service.readings.isOpen, state()], [false, false, 'lost']);
  isShown.value = true;
  await turn();
  assert.deepEqual([service.events.isOpen, service.readings.isOpen], [true, true]);
});

test('a revoked key ends the session once and stops everything', async (t) => {
  const { service, ended } = await openRead(t);
  service.events.refuse(new ApiError({ status: 401, code: 'unauthorized', message: 'revoked', details: [] }));
  await turn();
  await turn();
  assert.deepEqual([ended(), service.readings.isOpen], [1, false]);
});

test('an answer that was asked for before an event does not bring back what the event has ended', async () => {
  const { operations } = emptySite();
  const anOperation = (operation_id: string, status: FleetOperation['status']): FleetOperation =>
    ({ operation_id, status, device_id: 'silo-1' }) as FleetOperation;
  const shown = (): string[] => [...operations.all.value.values()].map(({ status }) => status);
  operations.put(anOperation('a', 'in_progress'));
  const answered = operations.putAnswer(Promise.resolve([anOperation('a', 'stopping')]));
  const listed = operations.replaceByAnswer(Promise.resolve([anOperation('a', 'in_progress')]));
  operations.put(anOperation('a', 'stopped'));
  await Promise.all([answered, listed]);
  assert.deepEqual(shown(), []);
  operations.put(anOperation('b', 'started'));
  await operations.putAnswer(Promise.resolve([anOperation('b', 'stopping')]));
  assert.deepEqual(shown(), ['stopping']);
  await operations.replaceByAnswer(Promise.resolve([]));
  assert.deepEqual(shown(), [], 'whose end nobody told is not under way either');
});

test('a loss is told with the time of the last thing heard, and silence only while something moves', async (t) => {
  const { service, live, state } = await openRead(t);
  await turn();
  const { clock, operations } = live.site;
  const aheadMs = clock.serviceMs(0);
  const heardAtMs = Date.now() - 20_000;
  const look = (): number | null => {
    // The page checks the silence once a second.
    for (let second = 0; second < 4; second++) clock.nowMs.value = heardAtMs + aheadMs + 10_000 + second;
    return live.connection.silenceMs.value;
  };
  service.readings.beat();
  service.events.beat(heardAtMs);
  assert.equal(look(), null);
  operations.put({ operation_id: 'a', device_id: 'silo-1', status: 'in_progress' } as FleetOperation);
  assert.deepEqual([look(), state()], [10_003, 'live']);
  service.events.cut();
  const lost = live.connection.current.value;
  assert.deepEqual([lost.state, lost.state === 'lost' && lost.sinceMs], ['lost', heardAtMs + aheadMs]);
});
