import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@granary/client';
import { DAY_MS, HOUR_MS, MINUTE_MS, toIso } from '@granary/contract/time';
import { startService } from '@granary/testing/simulator/service';
import { FIELD_UNITS } from './field/fleet.ts';
import { SiloController } from './silo/silo-controller.ts';
import { SILOS } from './silo/silos.ts';
import { weightKgAt } from './silo/weight.ts';
import { type Farm, type FarmEvent, type FarmOptions, startFarm } from './start-farm.ts';
import { STATIONS } from './weather.ts';

const POLL_MS = 50;
const HISTORY_DAYS = 8;
const READINGS_PER_DAY = 144;
const FARM = { intervalMs: 500, historyDays: HISTORY_DAYS };
const DEVICES_TOTAL = SILOS.length + FIELD_UNITS.length + STATIONS.length;

async function farmWithEvents(t: TestContext, options: FarmOptions) {
  const events: FarmEvent[] = [];
  const farm = await startFarm({ ...options, onEvent: (event) => events.push(event) });
  t.after(() => farm.stop());
  const kinds = () => new Set(events.map(({ kind }) => kind));
  return { farm, events, kinds };
}

async function untilAll(client: Client, status: 'online' | 'offline'): Promise<void> {
  for (;;) {
    const { data } = await client.devices.silo.list();
    if (data.length > 0 && data.every((device) => device.status === status)) return;
    await sleep(POLL_MS);
  }
}

/** The whole days of the backfill, which begins an hour later than its number of days. */
function wholeDays(): { readonly fromMs: number; readonly toMs: number } {
  const nowMs = Date.now();
  const beginMs = nowMs - HISTORY_DAYS * DAY_MS + 2 * HOUR_MS;
  return { fromMs: Math.ceil(beginMs / DAY_MS) * DAY_MS, toMs: Math.floor(nowMs / DAY_MS) * DAY_MS };
}

/** The number of stored readings of every whole day of the backfill. */
async function wholeDayCounts(client: Client, siloId: string): Promise<readonly number[]> {
  const { fromMs, toMs } = wholeDays();
  const { points } = await client.telemetry.history(siloId, {
    interval: '1d',
    aggregate: 'count',
    from: toIso(fromMs),
    to: toIso(toMs),
  });
  return points.map(({ value }) => value);
}

async function assertHistoryIsComplete(client: Client): Promise<void> {
  const { fromMs, toMs } = wholeDays();
  const expected = Array.from({ length: (toMs - fromMs) / DAY_MS }, () => READINGS_PER_DAY);
  for (const { id } of SILOS) assert.deepEqual(await wholeDayCounts(client, id), expected, id);
}

/** Returns the devices whose label says that their history is being written. */
const beingWritten = async (client: Client): Promise<readonly string[]> =>
  (await Array.fromAsync(client.fleet.devicesAll({ label: 'history=writing' }))).map(
    ({ device_id }) => device_id,
  );

test('a farm registers its devices, reports, writes its history once, and disconnects cleanly', async (t) => {
  const { client, options } = await startService(t, FARM);
  const first = await farmWithEvents(t, options);
  await first.farm.historyWritten;
  assert.deepEqual(await beingWritten(client), []);
  await untilAll(client, 'online');
  assert.deepEqual(first.kinds(), new Set(['registered', 'link', 'history']));
  assert.deepEqual(first.events.at(-1), {
    kind: 'history',
    days: HISTORY_DAYS,
    devicesDone: DEVICES_TOTAL,
    devicesTotal: DEVICES_TOTAL,
  });
  await assertHistoryIsComplete(client);
  for (const { id, capacityKg } of SILOS) {
    assert.equal((await client.devices.silo.get(id)).capacity.max, capacityKg);
    const { level, temperature, humidity } = await client.telemetry.current(id);
    assert.deepEqual([level.quality, temperature.quality, humidity.quality], ['good', 'good', 'good']);
    assert.equal((await client.devices.silo.rejections(id)).total, 0);
  }
  await first.farm.stop();
  await untilAll(client, 'offline');

  const second = await farmWithEvents(t, options);
  await second.farm.historyWritten;
  await untilAll(client, 'online');
  // The service shows a device online before the device has received the acknowledgement of its status.
  while (second.events.length === 0) await sleep(POLL_MS);
  assert.deepEqual(second.kinds(), new Set(['link']));
  await assertHistoryIsComplete(client);
});

test('an interrupted backfill is finished by the next start', async (t) => {
  const { client, options } = await startService(t, FARM);
  const interrupted = Promise.withResolvers<void>();
  const farm: Farm = await startFarm({
    ...options,
    onEvent: (event) => {
      if (event.kind === 'history' && event.devicesDone === 4) interrupted.resolve();
    },
  });
  await interrupted.promise;
  await farm.stop();
  await farm.historyWritten;
  const lastSilo = SILOS.at(-1);
  assert.ok(lastSilo);
  assert.deepEqual(await wholeDayCounts(client, lastSilo.id), []);
  const left = await beingWritten(client);
  assert.ok(left.includes(lastSilo.id) && left.length <= DEVICES_TOTAL - 4, `${left}`);
  const next = await farmWithEvents(t, options);
  await next.farm.historyWritten;
  await assertHistoryIsComplete(client);
  assert.deepEqual(await beingWritten(client), []);
});

/** A silo without regular use or delivery at this time, so that only the test changes its content. */
function idleSilo(): string {
  const nowMs = Date.now();
  const quiet = SILOS.find(
    (silo) => Math.abs(weightKgAt(silo, nowMs + MINUTE_MS) - weightKgAt(silo, nowMs)) < 1,
  );
  return quiet?.id ?? assert.fail('every silo is busy');
}

test('after a restart of the farm the moved amount is still there, and the operation has ended', async (t) => {
  const { client, options } = await startService(t, FARM);
  const siloId = idleSilo();
  const first = await startFarm({ ...options, historyDays: 0 });
  t.after(() => first.stop());
  await untilAll(client, 'online');
  while ((await client.telemetry.current(siloId)).level.timestamp === null) await sleep(POLL_MS);
  first.fault(siloId, 'stall', true);
  const { operation_id } = await client.operations.discharge(siloId, {
    amount: 8,
    target_container: 'truck',
  });
  const operation = () => client.operations.get(siloId, operation_id);
  while (((await operation()).amount_completed ?? 0) < 4) await sleep(POLL_MS);
  await first.stop();

  const second = await startFarm({ ...options, historyDays: 0 });
  t.after(() => second.stop());
  assert.ok(
    Math.abs(second.model(siloId, SiloController).weightKg - first.model(siloId, SiloController).weightKg) <
      2,
  );
  while ((await operation()).status !== 'failed') await sleep(POLL_MS);
  assert.equal((await operation()).failure?.message, 'power lost');
  assert.throws(() => second.model('silo-99', SiloController), /no simulated device "silo-99"/);
});

test('lost secrets are replaced', async (t) => {
  const { client, options, credentialsFile } = await startService(t, FARM);
  const withoutHistory = { ...options, historyDays: 0 };
  const first = await farmWithEvents(t, withoutHistory);
  await untilAll(client, 'online');
  await first.farm.stop();
  await untilAll(client, 'offline');
  await rm(credentialsFile);
  const second = await farmWithEvents(t, withoutHistory);
  await untilAll(client, 'online');
  const wasRefused = (event: FarmEvent) => event.kind === 'link' && event.change.state === 'down';
  assert.deepEqual(second.events.filter(wasRefused), []);
});

test('a key without the scope to register devices is refused with a clear message', async (t) => {
  const { client, options } = await startService(t, FARM);
  const { key } = await client.keys.create({ name: 'reader', scopes: ['read'] });
  await assert.rejects(startFarm({ ...options, adminKey: key }), { name: 'ApiError', code: 'forbidden' });
});

test('waits while the service limits its key, instead of failing', async (t) => {
  const { client, options } = await startService(t, { ...FARM, historyDays: 0 }, { GRANARY_RATE_LIMIT: '5' });
  const { farm } = await farmWithEvents(t, options);
  assert.ok(farm.model(SILOS[0]?.id ?? '', SiloController));
  // The farm uses the same key and has used up its request limit.
  await sleep(1_000);
  assert.equal((await client.devices.field.list()).data.length, FIELD_UNITS.length + STATIONS.length);
});
