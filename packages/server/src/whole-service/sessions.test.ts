import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { IS_FULL_SIZE, SEED } from '@granary/testing/contract/size';
import { mayTestWith, pythonWithPaho } from '@granary/testing/link/outside-clients';
import {
  cutsOf,
  type RigResult,
  type RigSize,
  SessionRig,
} from '@granary/testing/server/sessions/session-rig';

const SHORT: RigSize = {
  silos: 5,
  pahoSilos: 1,
  rovers: 3,
  operationsPerSilo: 2,
  missionsPerRover: 1,
  cuts: 30,
  cutEveryMs: 700,
  absentMsMax: 3_000,
  kills: 1,
  killEveryMs: 5_000,
  endsWithinMs: 60_000,
};
const FULL: RigSize = {
  silos: 8,
  pahoSilos: 2,
  rovers: 5,
  operationsPerSilo: 5,
  missionsPerRover: 4,
  cuts: 200,
  cutEveryMs: 700,
  absentMsMax: 15_000,
  kills: 10,
  killEveryMs: 8_000,
  endsWithinMs: 150_000,
};

const size = IS_FULL_SIZE ? FULL : SHORT;
const rig = new SessionRig(size, SEED);
after(() => rig.remove());

/** Events that must not happen, found in the logs of the devices. */
function findings({ devices, operations, halts }: RigResult) {
  const ofDevices = <T>(list: (device: RigResult['devices'][number]) => readonly T[]) =>
    devices.flatMap((device) => list(device).map((what) => ({ device: device.deviceId, what })));
  return {
    deliveredAfterExpiry: ofDevices(({ log }) => log.late),
    deliveredTwice: ofDevices(({ log }) => log.deliveredTwice),
    executedTwice: ofDevices(({ log }) => log.executedTwice),
    unexpectedDisconnects: ofDevices(({ proxy }) => Array.from({ length: proxy.unexpectedDisconnects })),
    movedAfterItsEnd: operations.filter(
      ({ device, record }) =>
        device.log.lastMovedAtMs(record.operation_id) > Date.parse(`${record.ended_at}`),
    ),
    movedWhileHalted: halts.flatMap(({ device, command, releasedAtMs }) =>
      device.log.movedBetween(Date.parse(`${command.ended_at}`), releasedAtMs),
    ),
    haltsNotConfirmed: halts.filter(({ command }) => command.status !== 'succeeded'),
    haltsNotDelivered: halts.filter(
      ({ device, command }) => device.log.countOf('execute', command.command_id) === 0,
    ),
  };
}

test('devices with persistent sessions, disconnected at every moment of operations and missions, repeat no movement', async (t) => {
  t.diagnostic(`GRANARY_TEST_SEED=${SEED}`);
  mayTestWith(t, 'paho', pythonWithPaho() !== undefined);
  const result = await rig.run();
  const { operations, missions, devices, halts, kills } = result;
  const cuts = cutsOf(devices);
  const outcomes = Object.groupBy(
    operations,
    ({ record }) => `${record.status} ${record.failure?.reason ?? ''}`,
  );
  t.diagnostic(
    `${operations.length} operations (${Object.entries(outcomes).map(([name, list]) => `${list?.length} ${name.trim()}`)}), ` +
      `${missions.length} missions, ${halts.length} emergency stops, ${cuts} cuts, ${kills} kills`,
  );
  assert.equal(operations.length, (size.silos + size.pahoSilos) * size.operationsPerSilo);
  assert.equal(missions.length, size.rovers * size.missionsPerRover);
  assert.ok(cuts >= size.cuts, `${cuts} cuts`);
  const nothing = Object.fromEntries(Object.keys(findings(result)).map((name) => [name, []]));
  assert.deepEqual(findings(result), nothing);
});
