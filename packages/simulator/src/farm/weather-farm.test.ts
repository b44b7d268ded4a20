import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@granary/client';
import { DAY_MS, toIso } from '@granary/contract/time';
import { startService } from '@granary/testing/simulator/service';
import { weatherStation } from '../profiles/weather-station.ts';
import { type FarmOptions, startFarm } from '../start-farm.ts';
import { STATIONS } from '../weather.ts';
import { parseFaultPlan } from './fault-plan.ts';

const POLL_MS = 50;
const HISTORY_DAYS = 4;
/** The number of days before today of which the history is complete at any time of the day. */
const WHOLE_DAYS = HISTORY_DAYS - 2;
const READINGS_PER_DAY = 96;
const [FIRST = assert.fail(), SECOND = assert.fail()] = STATIONS;

async function startStations(t: TestContext, farm: Partial<FarmOptions>) {
  const { client, options } = await startService(t, { profiles: [weatherStation], intervalMs: 100, ...farm });
  const started = await startFarm(options);
  t.after(() => started.stop());
  await started.historyWritten;
  return client;
}

async function untilReported(client: Client, deviceId: string) {
  for (;;) {
    const reading = await client.fieldReadings.environment(deviceId);
    if (reading.temperature !== null) return reading;
    await sleep(POLL_MS);
  }
}

test('weather stations have a history of every sensor, and send only valid messages', async (t) => {
  const client = await startStations(t, { historyDays: HISTORY_DAYS });
  const todayMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const days = {
    interval: '1d',
    from: toIso(todayMs - WHOLE_DAYS * DAY_MS),
    to: toIso(todayMs),
  } as const;
  for (const { id } of STATIONS) {
    for (const sensor of ['temperature', 'rainfall', 'wind_speed'] as const) {
      const query = { ...days, sensor, aggregate: 'count' } as const;
      const { points } = await client.fieldReadings.history(id, query);
      assert.deepEqual(
        points.map(({ value }) => value),
        Array.from({ length: WHOLE_DAYS }, () => READINGS_PER_DAY),
        `${id} ${sensor}`,
      );
    }
    await untilReported(client, id);
    assert.equal((await client.devices.field.rejections(id)).total, 0);
  }
});

test('a station with a dropout reports no wind and no rain, and the other one reports everything', async (t) => {
  const faults = parseFaultPlan(`${FIRST.id}:dropout,${FIRST.id}:duplicates`, [weatherStation]);
  const client = await startStations(t, { historyDays: 0, faults });
  const faulty = await untilReported(client, FIRST.id);
  assert.deepEqual([faulty.wind_speed, typeof faulty.humidity], [null, 'number']);
  const sound = await untilReported(client, SECOND.id);
  assert.equal(typeof sound.wind_speed, 'number');
});
