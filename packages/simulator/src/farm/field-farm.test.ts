import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@granary/client';
import type { MissionRecord } from '@granary/contract/missions';
import { startService } from '@granary/testing/simulator/service';
import { FieldController } from '../field/field-controller.ts';
import { declaredConfiguration, FIELD_UNITS, type FieldUnit } from '../field/fleet.ts';
import { apartM, planePointOf, pointOf } from '../field/vehicle/ground.ts';
import { startFarm } from '../start-farm.ts';

const POLL_MS = 100;
const HOME = { eastM: 0, northM: 0 };
const [FIRST = assert.fail(), SECOND = assert.fail(), THIRD = assert.fail()] = FIELD_UNITS;

async function startAll(t: TestContext) {
  const { client, options } = await startService(t, { historyDays: 1 });
  const farm = await startFarm(options);
  t.after(() => farm.stop());
  await farm.historyWritten;
  return { client, farm };
}

/** A mission of two waypoints, a few metres north. */
const shortMission = ({ ground }: FieldUnit) => ({
  mission_name: 'a look around',
  waypoints: [4, 8].map((northM) => ({
    ...pointOf(ground, { eastM: 0, northM }),
    action: 'photograph' as const,
  })),
});

async function untilOver(client: Client, deviceId: string, { mission_id }: MissionRecord) {
  for (;;) {
    const mission = await client.missions.get(deviceId, mission_id);
    if (mission.ended_at !== null) return mission;
    await sleep(POLL_MS);
  }
}

async function fromHomeM(client: Client, { id, ground }: FieldUnit): Promise<number> {
  const { latitude, longitude } = (await client.fieldReadings.location(id)).coordinates;
  assert.ok(latitude !== null && longitude !== null);
  return apartM(planePointOf(ground, { lat: latitude, lng: longitude }), HOME);
}

test('field devices are registered, have a history, and send only valid messages', async (t) => {
  const { client } = await startAll(t);
  for (const unit of FIELD_UNITS) {
    const { configuration } = await client.configuration.field.get(unit.id);
    const { base, geofence } = declaredConfiguration(unit);
    assert.ok('base' in configuration);
    assert.deepEqual([configuration.base, configuration.geofence], [base, geofence]);
    const { points } = await client.fieldReadings.history(unit.id, { sensor: 'soil_moisture' });
    assert.ok(points.length >= 22, `${points.length} hours of ${unit.id}`);
    assert.equal((await client.devices.field.rejections(unit.id)).total, 0);
  }
});

test('a move moves, a mission completes, and a lost link brings the rover home', async (t) => {
  const { client, farm } = await startAll(t);
  farm.fault(THIRD.id, 'link-loss-while-running', true);
  const { lat, lng } = pointOf(FIRST.ground, { eastM: 8, northM: 0 });
  const [move, mission, cutOff] = await Promise.all([
    client.commands.give(FIRST.id, {
      command: 'move_to_coordinates',
      parameters: { latitude: lat, longitude: lng, altitude: 0 },
    }),
    client.missions.create(SECOND.id, shortMission(SECOND)),
    client.missions.create(THIRD.id, {
      ...shortMission(THIRD),
      waypoints: [{ ...pointOf(THIRD.ground, { eastM: 60, northM: 0 }), action: 'none' }],
    }),
  ]);
  while ((await client.commands.get(FIRST.id, move.command_id)).status !== 'succeeded') await sleep(POLL_MS);
  while (Math.abs((await fromHomeM(client, FIRST)) - 8) > 0.1) await sleep(POLL_MS);

  const done = await untilOver(client, SECOND.id, mission);
  assert.equal(done.status, 'completed');
  assert.ok(done.waypoints.every(({ status, action_result }) => status === 'reached' && action_result));

  const lost = await untilOver(client, THIRD.id, cutOff);
  assert.deepEqual([lost.status, lost.result?.message], ['aborted', 'link lost']);
  while ((await fromHomeM(client, THIRD)) > 0.1) await sleep(POLL_MS);
  assert.throws(() => farm.model('rover-99', FieldController), /no simulated device "rover-99"/);
});
