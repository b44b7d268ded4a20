import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Client, createClient } from '@granary/client';
import type { LabelChanges } from '@granary/contract/devices/labels';
import { startService } from '@granary/testing/simulator/service';
import type { SimulatedDevice } from '../profiles/profile.ts';
import { weatherStation } from '../profiles/weather-station.ts';
import { type FarmOptions, startFarm, tellHistoryIsWritten } from '../start-farm.ts';

const [FIRST = assert.fail(), SECOND = assert.fail()] = weatherStation.devices;
const OWN_ID = 'field-own';
const WRITING = { history: 'writing' };
const SIMULATED = { simulated: 'yes' };

const startStations = (t: TestContext) =>
  startService(t, { profiles: [weatherStation], intervalMs: 500, historyDays: 2 });

const labelsOf = async ({ devices }: Client, { unit }: Pick<SimulatedDevice, 'unit'>) =>
  (await devices.field.get(unit.id)).labels;

async function runFarm(options: FarmOptions): Promise<void> {
  const farm = await startFarm(options);
  await farm.historyWritten;
  await farm.stop();
}

test('a farm that was killed before it said that a history is written says so at its next start, and touches nothing else', async (t) => {
  const { client, options } = await startStations(t);
  const { field } = client.devices;
  const place = { location: { facility: 'Own', zone: 'yard' }, profile: 'weather_station' as const };
  await field.register({ device_id: OWN_ID, name: 'Own', model: 'WS-6', ...place, labels: WRITING });
  await runFarm(options);
  assert.deepEqual(await labelsOf(client, FIRST), SIMULATED);

  await field.update(FIRST.unit.id, { labels: { ...WRITING, crop: 'oats' } });
  await field.update(SECOND.unit.id, { labels: { history: 'on paper' } });
  await runFarm(options);
  assert.deepEqual(await labelsOf(client, FIRST), { crop: 'oats', ...SIMULATED });
  assert.deepEqual(await labelsOf(client, SECOND), { history: 'on paper', ...SIMULATED });
  assert.deepEqual((await field.get(OWN_ID)).labels, WRITING);
});

test('a farm without a history says of no device that its history is being written', async (t) => {
  const { client, options } = await startStations(t);
  const withoutHistory = { ...options, historyDays: 0 };
  await runFarm(withoutHistory);
  const { device, etag } = await client.devices.field.getVersioned(FIRST.unit.id);
  assert.deepEqual([device.labels, etag], [SIMULATED, '"1"']);
  await client.devices.field.update(FIRST.unit.id, { labels: WRITING });
  await runFarm(withoutHistory);
  assert.deepEqual(await labelsOf(client, FIRST), SIMULATED);
});

/** Reports the end of the history, while another client changes the labels after they were read and before they are changed. */
async function tellBeside(t: TestContext, change: (client: Client) => Promise<unknown>) {
  const { client, options } = await startStations(t);
  await FIRST.register(client, Date.now(), WRITING);
  let hasChanged = false;
  const interrupted = createClient({
    baseUrl: options.baseUrl,
    apiKey: options.adminKey,
    fetch: async (input, init) => {
      if (init?.method === 'PATCH' && !hasChanged) {
        hasChanged = true;
        await change(client);
      }
      return fetch(input, init);
    },
  });
  await tellHistoryIsWritten(interrupted, FIRST, new AbortController().signal);
  assert.ok(hasChanged);
  return client;
}

const changeLabels = (labels: LabelChanges) => (client: Client) =>
  client.devices.field.update(FIRST.unit.id, { labels });

test('what somebody changes at the same time stays', async (t) => {
  const client = await tellBeside(t, changeLabels({ crop: 'oats' }));
  assert.deepEqual(await labelsOf(client, FIRST), { crop: 'oats', ...SIMULATED });
});

test('what somebody writes at the same time in place of the label stays', async (t) => {
  const client = await tellBeside(t, changeLabels({ history: 'on paper' }));
  assert.deepEqual(await labelsOf(client, FIRST), { history: 'on paper', ...SIMULATED });
});

test('a device that is removed at the same time is none of its concern', async (t) => {
  const client = await tellBeside(t, (other) => other.devices.field.remove(FIRST.unit.id));
  const [removed] = (await client.fleet.devices({ removed: 'true' })).data;
  assert.equal(removed?.device_id, FIRST.unit.id);
});
