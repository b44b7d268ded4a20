import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MissionRecord } from '@granary/contract/missions';
import { SECOND_MS, toIso } from '@granary/contract/time';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import { CrashingService } from '@granary/testing/server/crashing-service';
import { CountingRover } from '@granary/testing/server/devices/counting-devices';
import { roverNamed } from '@granary/testing/server/devices/scripted-rover';
import { TWO_WAYPOINTS } from '@granary/testing/server/missions';

const DEVICES = '/v1/fielddevice/devices';
const ROVERS = IS_FULL_SIZE ? 25 : 10;
const MISSIONS_PER_ROVER = IS_FULL_SIZE ? 4 : 2;
/** On a machine where the service starts slowly, further missions follow until it was killed this often. */
const KILLS_MIN = IS_FULL_SIZE ? 5 : 2;
const POLL_MS = 100;

const service = new CrashingService(IS_FULL_SIZE ? {} : { killsMax: 4 });
const rovers: CountingRover[] = [];

after(async () => {
  for (const rover of rovers) rover.leave();
  await service.remove();
});

/** Sends missions one after the other, which start now or a moment later. Every other mission is cancelled at some moment. */
async function send(rover: CountingRover, seed: number): Promise<MissionRecord[]> {
  const missions: MissionRecord[] = [];
  const path = `${DEVICES}/${rover.deviceId}/missions`;
  for (let index = 0; index < MISSIONS_PER_ROVER || service.kills < KILLS_MIN; index++) {
    const ahead = () => ({ ...TWO_WAYPOINTS, scheduled_start: toIso(Date.now() + 2 * SECOND_MS) });
    const body = index % 2 === 0 ? TWO_WAYPOINTS : ahead;
    const { mission_id } = await service.ask(path, 'POST', body, `${rover.deviceId}-${index}`);
    if ((index + seed) % 2 === 0) {
      await sleep((seed * 131 + index * 377) % 2_500);
      await service.ask(`${path}/${mission_id}/cancel`, 'POST');
    }
    let mission: MissionRecord;
    do {
      await sleep(POLL_MS);
      mission = await service.ask(`${path}/${mission_id}`, 'GET');
    } while (mission.ended_at === null);
    missions.push(mission);
  }
  return missions;
}

/** The service must say of a mission what the device did. */
function assertTold(rover: CountingRover, { mission_id, status, waypoints, result }: MissionRecord): void {
  const truth = rover.truth(mission_id);
  const runs = rover.runs.get(mission_id) ?? 0;
  const told = JSON.stringify({ status, truth, runs });
  assert.ok(runs <= 1, told);
  // A start that died with the service is not sent again: such a mission has not begun.
  const isUnbegun = runs === 0 && (status === 'missed' || result?.reason === 'not_sent');
  assert.ok(isUnbegun || status === 'completed' || status === 'cancelled', told);
  assert.equal(truth?.state === 'completed', status === 'completed', told);
  assert.notEqual(truth?.state, 'running', told);
  if (runs === 0) return;
  const reached = waypoints.filter((waypoint) => waypoint.status === 'reached');
  assert.equal(reached.length, truth?.reached, told);
}

test('killed at random moments of many missions, none is lost, run twice, or told wrongly', async () => {
  await service.start();
  for (let index = 0; index < ROVERS; index++) {
    const deviceId = `rover-${index}`;
    const { credentials } = await service.ask(DEVICES, 'POST', roverNamed(deviceId));
    rovers.push(new CountingRover(service.mqttUrl, deviceId, credentials.secret));
  }

  service.beginKilling();
  const perRover = await Promise.all(rovers.map((rover, index) => send(rover, index)));
  await service.endKilling();

  assert.ok(perRover.flat().length >= ROVERS * MISSIONS_PER_ROVER);
  for (const [index, missions] of perRover.entries()) {
    const rover = rovers[index];
    assert.ok(rover !== undefined);
    for (const mission of missions) assertTold(rover, mission);
    const listed: MissionRecord[] = await service.ask(`${DEVICES}/${rover.deviceId}/missions`, 'GET');
    const idsOf = (records: readonly MissionRecord[]) => records.map((one) => one.mission_id).toSorted();
    assert.deepEqual(idsOf(listed), idsOf(missions));
  }
});
