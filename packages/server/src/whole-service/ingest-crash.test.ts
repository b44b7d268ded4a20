import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { INTERVALS } from '@granary/contract/telemetry/telemetry';
import { DAY_MS } from '@granary/contract/time';
import { standardSensorsOf } from '@granary/core/sensors/standard-sensors';
import type { Reading } from '@granary/core/telemetry/readings';
import { rollUp } from '@granary/core/telemetry/rollup';
import { describeEachEngine } from '@granary/testing/app/engines';
import { rawReadings } from '@granary/testing/app/raw-readings';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import { type Publisher, startPublisher } from '@granary/testing/server/devices/publisher';
import { siloNamed } from '@granary/testing/server/service';
import { type ServiceProcess, startServiceProcess } from '@granary/testing/server/service-process';

const ADMIN_KEY = 'an-admin-key-for-the-crash-test-only';
const DEVICES = ['crash-1', 'crash-2', 'crash-3', 'crash-4'];
const KILLS = IS_FULL_SIZE ? { sqlite: 20, postgres: 6 } : { sqlite: 4, postgres: 2 };

describeEachEngine('a service that is killed while devices publish', (engine) => {
  let dataDir = '';
  let service: ServiceProcess | undefined;
  const publishers: Publisher[] = [];
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'granary-crash-'));
  });
  after(async () => {
    for (const publisher of publishers) publisher.abandon();
    await service?.kill();
    await rm(dataDir, { recursive: true, force: true });
  });

  const start = (mqttPort: string): Promise<ServiceProcess> => {
    const { location } = engine;
    return startServiceProcess({
      GRANARY_DATA_DIR: location.engine === 'sqlite' ? location.folder : dataDir,
      GRANARY_DATABASE_URL: location.engine === 'postgres' ? location.url : '',
      GRANARY_ADMIN_KEY: ADMIN_KEY,
      GRANARY_MQTT_PORT: mqttPort,
    });
  };

  test('every acknowledged reading is stored exactly once, and every bucket is correct', async () => {
    service = await start('0');
    const mqttUrl = new URL(service.mqttUrl);
    for (const deviceId of DEVICES) {
      const secret = await register(service, deviceId);
      publishers.push(startPublisher(mqttUrl, deviceId, secret));
    }
    for (let kill = 0; kill < KILLS[engine.name]; kill++) {
      await sleep(150 + ((kill * 97) % 300));
      await service.kill();
      service = await start(mqttUrl.port);
    }
    await sleep(500);
    const acknowledged = await Promise.all(publishers.map((publisher) => publisher.stop()));
    await service.stop();

    const app = await engine.open();
    const raw = await rawReadings(engine.location);
    for (const [index, deviceId] of DEVICES.entries()) {
      const deviceNo = (await app.devices.find(deviceId))?.deviceNo;
      const stored = new Map<number, Reading>();
      for (const reading of raw) if (reading.deviceNo === deviceNo) stored.set(reading.tsMs, reading);
      const sent = acknowledged[index] ?? [];
      assert.ok(sent.length > KILLS[engine.name], `${deviceId} had ${sent.length} readings acknowledged`);
      for (const { tsMs, weightG } of sent) assert.equal(stored.get(tsMs)?.a, weightG, `${deviceId} ${tsMs}`);
    }
    assert.equal(raw.length, new Set(raw.map(({ deviceNo, tsMs }) => `${deviceNo} ${tsMs}`)).size);

    const expected = rollUp(raw);
    let compared = 0;
    for (const deviceNo of new Set(raw.map((reading) => reading.deviceNo))) {
      for (const { lane } of standardSensorsOf('silo_scale')) {
        for (const interval of INTERVALS) {
          const range = {
            deviceNo,
            lane,
            interval,
            fromMs: Date.now() - 2 * DAY_MS,
            toMs: Date.now() + DAY_MS,
          };
          for (const { startMs, sum, count, min, max, last, badCount } of await app.telemetry.history(
            range,
          )) {
            const right = expected.find(
              (one) =>
                one.deviceNo === deviceNo &&
                one.group === lane.group &&
                one.slot === lane.slot &&
                one.interval === interval &&
                one.startMs === startMs,
            );
            assert.deepEqual({ sum, count, min, max, last, badCount }, right && pick(right));
            compared++;
          }
        }
      }
    }
    assert.equal(compared, expected.length);
  });
});

const pick = ({ sum, count, min, max, last, bad }: ReturnType<typeof rollUp>[number]) => ({
  sum,
  count,
  min,
  max,
  last,
  badCount: bad?.count ?? 0,
});

async function register(service: ServiceProcess, deviceId: string): Promise<string> {
  const response = await fetch(`${service.httpUrl}/v1/siloscale/devices`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(siloNamed(deviceId)),
  });
  assert.equal(response.status, 200);
  const { data } = (await response.json()) as { data: { credentials: { secret: string } } };
  return data.credentials.secret;
}
