import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationRecord } from '@granary/contract/operations';
import { CountingSilo } from './testing/counting-silo.ts';
import { siloNamed } from './testing/service.ts';
import { type ServiceProcess, startServiceProcess } from './testing/service-process.ts';

const ADMIN_KEY = 'an-admin-key-for-the-crash-test-only';
const SILOS = 50;
const OPERATIONS_PER_SILO = 4;
const KILL_AFTER_MS_MAX = 2_500;
const RETRY_MS = 100;

let service: ServiceProcess | undefined;
let dataDir = '';
let isOver = false;
const silos: CountingSilo[] = [];

after(async () => {
  isOver = true;
  for (const silo of silos) silo.leave();
  await service?.kill();
  await rm(dataDir, { recursive: true, force: true });
});

const start = (mqttPort: string, httpPort: string): Promise<ServiceProcess> =>
  startServiceProcess({
    ...{ GRANARY_DATA_DIR: dataDir, GRANARY_ADMIN_KEY: ADMIN_KEY, GRANARY_RATE_LIMIT: 'off' },
    ...{ GRANARY_MQTT_PORT: mqttPort, GRANARY_HTTP_PORT: httpPort },
  });

/** Asks until the service is there to answer; a refusal for want of a fresh reading is asked again too. */
async function ask(
  url: string,
  method: string,
  body?: object,
  key?: string,
): Promise<ReturnType<typeof JSON.parse>> {
  const headers: Record<string, string> = { authorization: `Bearer ${ADMIN_KEY}` };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (key !== undefined) headers['idempotency-key'] = key;
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  for (;;) {
    if (isOver) throw new Error('the test is over');
    try {
      const response = await fetch(url, init);
      const answer = JSON.parse(await response.text());
      if (response.ok) return answer.data;
      assert.ok([409, 503].includes(response.status), JSON.stringify(answer));
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
    }
    await sleep(RETRY_MS);
  }
}

/** Starts operations one after the other, stops every other one at some moment, and waits for each to end. */
async function operate(silo: CountingSilo, devices: string, seed: number): Promise<OperationRecord[]> {
  const operations: OperationRecord[] = [];
  const path = `${devices}/${silo.deviceId}/operations`;
  for (let index = 0; index < OPERATIONS_PER_SILO; index++) {
    const isFeed = index % 2 === 0;
    const body = { amount: 3, rate: 90, ...(isFeed ? {} : { target_container: 'cart' }) };
    const key = `${silo.deviceId}-${index}`;
    const { operation_id } = await ask(`${path}/${isFeed ? 'feed' : 'discharge'}`, 'POST', body, key);
    if ((index + seed) % 2 === 0) {
      await sleep((seed * 131 + index * 377) % 1_800);
      await ask(`${path}/${operation_id}/stop`, 'POST');
    }
    let operation: OperationRecord;
    do {
      await sleep(RETRY_MS);
      operation = await ask(`${path}/${operation_id}`, 'GET');
    } while (operation.ended_at === null);
    operations.push(operation);
  }
  return operations;
}

test('killed at random moments of 200 operations, none is started twice, lost, or told wrongly', async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'granary-crash-'));
  service = await start('0', '0');
  const { httpUrl, mqttUrl } = service;
  const devices = `${httpUrl}/v1/siloscale/devices`;
  for (let index = 0; index < SILOS; index++) {
    const deviceId = `silo-${index}`;
    const { credentials } = await ask(devices, 'POST', siloNamed(deviceId));
    silos.push(new CountingSilo(mqttUrl, deviceId, credentials.secret, 500));
  }

  let kills = 0;
  const killing = (async () => {
    while (!isOver) {
      await sleep(300 + Math.random() * KILL_AFTER_MS_MAX);
      if (isOver) return;
      await service?.kill();
      kills++;
      service = await start(new URL(mqttUrl).port, new URL(httpUrl).port);
    }
  })();
  const perSilo = await Promise.all(silos.map((silo, index) => operate(silo, devices, index)));
  isOver = true;
  await killing;

  assert.equal(perSilo.flat().length, SILOS * OPERATIONS_PER_SILO);
  assert.ok(kills >= 5, `${kills} kills`);
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
        assert.ok(status === 'stopped' || failure?.reason === 'not_started', JSON.stringify(told));
      else {
        assert.equal(status, truth.state, JSON.stringify({ told, truth }));
        assert.ok(Math.abs(amount_completed - truth.movedKg) < 0.001, JSON.stringify({ told, truth }));
      }
    }
    const listed = (await listAll(`${devices}/${silo.deviceId}/operations`)).map((one) => one.operation_id);
    assert.deepEqual(listed.toSorted(), operations.map((one) => one.operation_id).toSorted());
  }
});

async function listAll(url: string): Promise<OperationRecord[]> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
  return ((await response.json()) as { data: OperationRecord[] }).data;
}
