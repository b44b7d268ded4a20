import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationRecord } from '@granary/contract/operations';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import { CrashingService } from '@granary/testing/server/crashing-service';
import { CountingSilo } from '@granary/testing/server/devices/counting-devices';
import { siloNamed } from '@granary/testing/server/service';

const DEVICES = '/v1/siloscale/devices';
const SILOS = IS_FULL_SIZE ? 50 : 15;
const OPERATIONS_PER_SILO = IS_FULL_SIZE ? 4 : 2;
/** On a machine where the service starts slowly, further operations follow until it was killed this often. */
const KILLS_MIN = IS_FULL_SIZE ? 5 : 2;
const POLL_MS = 100;

const service = new CrashingService(IS_FULL_SIZE ? {} : { killsMax: 4 });
const silos: CountingSilo[] = [];

after(async () => {
  for (const silo of silos) silo.leave();
  await service.remove();
});

/** Starts operations one after the other, stops every other one at some moment, and waits for each to end. */
async function operate(silo: CountingSilo, seed: number): Promise<OperationRecord[]> {
  const operations: OperationRecord[] = [];
  const path = `${DEVICES}/${silo.deviceId}/operations`;
  for (let index = 0; index < OPERATIONS_PER_SILO || service.kills < KILLS_MIN; index++) {
    const isFeed = index % 2 === 0;
    const body = { amount: 3, rate: 90, ...(isFeed ? {} : { target_container: 'cart' }) };
    const key = `${silo.deviceId}-${index}`;
    const { operation_id } = await service.ask(`${path}/${isFeed ? 'feed' : 'discharge'}`, 'POST', body, key);
    if ((index + seed) % 2 === 0) {
      await sleep((seed * 131 + index * 377) % 1_800);
      await service.ask(`${path}/${operation_id}/stop`, 'POST');
    }
    let operation: OperationRecord;
    do {
      await sleep(POLL_MS);
      operation = await service.ask(`${path}/${operation_id}`, 'GET');
    } while (operation.ended_at === null);
    operations.push(operation);
  }
  return operations;
}

test('killed at random moments of many operations, none is started twice, lost, or told wrongly', async () => {
  await service.start();
  for (let index = 0; index < SILOS; index++) {
    const deviceId = `silo-${index}`;
    const { credentials } = await service.ask(DEVICES, 'POST', siloNamed(deviceId));
    silos.push(new CountingSilo(service.mqttUrl, deviceId, credentials.secret, 500));
  }

  service.beginKilling();
  const perSilo = await Promise.all(silos.map((silo, index) => operate(silo, index)));
  await service.endKilling();

  assert.ok(perSilo.flat().length >= SILOS * OPERATIONS_PER_SILO);
  for (const [index, operations] of perSilo.entries()) {
    const silo = silos[index];
    assert.ok(silo !== undefined);
    assert.equal(silo.startsAfterEnd, 0, 'moved after a confirmed end');
    assert.deepEqual(
      [...silo.starts.values()].filter((count) => count > 1),
      [],
      'started twice',
    );
    for (const { operation_id, status, amount_completed, failure } of operations) {
      const truth = silo.truth(operation_id);
      const told = { status, amount_completed, failure: failure?.reason };
      if (truth === undefined)
        assert.ok(
          status === 'stopped' || ['outcome_unknown', 'not_sent'].includes(failure?.reason ?? ''),
          JSON.stringify(told),
        );
      else {
        assert.equal(status, truth.state, JSON.stringify({ told, truth }));
        assert.ok(
          amount_completed !== null && Math.abs(amount_completed - truth.movedKg) < 0.001,
          JSON.stringify({ told, truth }),
        );
      }
    }
    const all: OperationRecord[] = await service.ask(`${DEVICES}/${silo.deviceId}/operations`, 'GET');
    // An operation whose start could not be sent was refused to its caller, who asked again.
    const listed = all.filter(({ failure }) => failure?.reason !== 'not_sent');
    const idsOf = (records: readonly OperationRecord[]) => records.map((one) => one.operation_id).toSorted();
    assert.deepEqual(idsOf(listed), idsOf(operations));
  }
});
