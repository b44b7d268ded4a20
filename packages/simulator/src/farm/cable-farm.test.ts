import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@granary/client';
import { DAY_MS, toIso } from '@granary/contract/time';
import { startService } from '@granary/testing/simulator/service';
import { registrationOf, type SimulatedProfile } from '../profiles/profile.ts';
import { createSiloDevice, siloScale } from '../profiles/silo-scale.ts';
import { SILOS } from '../silo/silos.ts';
import { CABLE_RULES, CABLE_SENSORS } from '../silo/temperature-cable.ts';
import { type FarmOptions, startFarm } from '../start-farm.ts';

const POLL_MS = 50;
const HISTORY_DAYS = 4;
/** The number of days before today of which the history is complete at any time of the day. */
const WHOLE_DAYS = HISTORY_DAYS - 2;
const READINGS_PER_DAY = 48;
const { hasCable, ...PLAIN_SILO } = SILOS.find((silo) => silo.hasCable) ?? assert.fail();
const SILO_ID = PLAIN_SILO.id;
const CABLE_IDS = CABLE_SENSORS.map(({ sensor_id }) => sensor_id);

/** The profile with only the silo that has the cable. */
const cableSilo: SimulatedProfile = {
  ...siloScale,
  devices: siloScale.devices.filter(({ unit }) => unit.id === SILO_ID),
};

/** The same silo in an earlier version of the farm. */
const siloWithoutCable: SimulatedProfile = {
  ...cableSilo,
  devices: cableSilo.devices.map((device) => ({
    ...device,
    register: (client) =>
      client.devices.silo.register({
        ...registrationOf(PLAIN_SILO),
        model: PLAIN_SILO.model.name,
        capacity: { max: PLAIN_SILO.capacityKg, unit: 'kg' },
      }),
    create: (options) => createSiloDevice(PLAIN_SILO, { ...options, faults: new Set() }),
    backfills: (client) => device.backfills(client).slice(0, 1),
  })),
};

const declaredIds = async (client: Client): Promise<readonly string[]> =>
  (await client.devices.silo.get(SILO_ID)).sensors
    .filter((sensor) => 'unit' in sensor)
    .map(({ sensor_id }) => sensor_id);

async function untilCableReported(client: Client) {
  for (;;) {
    const { sensors = {} } = await client.telemetry.current(SILO_ID);
    if (CABLE_IDS.every((sensorId) => sensors[sensorId]?.quality === 'good')) return sensors;
    await sleep(POLL_MS);
  }
}

/** Returns the types of the alerts of the silo, without those of its level, which depend on the day. */
async function sensorAlerts(client: Client): Promise<readonly string[]> {
  const { data } = await client.alerts.silo.list(SILO_ID, { status: 'all' });
  return data.map(({ type }) => type).filter((type) => type.startsWith('sensor_'));
}

async function assertCableIsComplete(client: Client): Promise<void> {
  assert.deepEqual(await declaredIds(client), CABLE_IDS);
  const { configuration } = await client.configuration.silo.get(SILO_ID);
  assert.deepEqual(configuration.rules, CABLE_RULES);
  const sensors = await untilCableReported(client);
  assert.deepEqual(Object.keys(sensors), CABLE_IDS);
  assert.equal((await client.devices.silo.rejections(SILO_ID)).total, 0);
  assert.deepEqual(await sensorAlerts(client), []);
  const todayMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const { points } = await client.telemetry.history(SILO_ID, {
    sensor: 'temp_12',
    interval: '1d',
    aggregate: 'count',
    from: toIso(todayMs - WHOLE_DAYS * DAY_MS),
    to: toIso(todayMs),
  });
  assert.deepEqual(
    points.map(({ value }) => value),
    Array.from({ length: WHOLE_DAYS }, () => READINGS_PER_DAY),
  );
}

/** Runs a farm until its history is written, does something while it runs, and stops it. */
async function withFarm(options: FarmOptions, run: () => Promise<void>): Promise<void> {
  const farm = await startFarm(options);
  try {
    await farm.historyWritten;
    await run();
  } finally {
    await farm.stop();
  }
}

const FARM = { profiles: [cableSilo], intervalMs: 200, historyDays: HISTORY_DAYS };

test('a new silo has its cable with rules, readings and a history, and the next start changes nothing', async (t) => {
  const { client, options } = await startService(t, FARM);
  await withFarm(options, () => assertCableIsComplete(client));
  const { etag } = await client.configuration.silo.get(SILO_ID);
  await withFarm(options, () => assertCableIsComplete(client));
  assert.equal((await client.configuration.silo.get(SILO_ID)).etag, etag);
});

test('a silo that an earlier version registered gets the cable and its history, and keeps its own sensors', async (t) => {
  const { client, options } = await startService(t, FARM);
  await withFarm({ ...options, profiles: [siloWithoutCable] }, async () => {
    assert.deepEqual(await declaredIds(client), []);
  });
  await withFarm(options, () => assertCableIsComplete(client));

  const co2 = { sensor_id: 'co2', type: 'co2', unit: 'ppm', reporting_interval_s: 60 };
  await client.devices.silo.update(SILO_ID, { sensors: [co2] });
  await withFarm(options, async () => {
    assert.deepEqual(await declaredIds(client), ['co2', ...CABLE_IDS]);
  });
});

test('a point above its threshold raises an alert', async (t) => {
  const { client, options } = await startService(t, { ...FARM, historyDays: 0 });
  await withFarm(options, async () => {
    await untilCableReported(client);
    const rules = [{ sensor_id: 'temp_6', above: -39, severity: 'warning' as const }];
    await client.configuration.silo.update(SILO_ID, { rules });
    while (!(await sensorAlerts(client)).includes('sensor_threshold')) await sleep(POLL_MS);
  });
});
