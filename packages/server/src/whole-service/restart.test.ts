import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '@granary/contract/time';
import { SIMULATED_PROFILES } from '@granary/simulator/profiles/profiles';
import { type Farm, startFarm } from '@granary/simulator/start-farm';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import { CountingSilo } from '@granary/testing/server/devices/counting-devices';
import { type Api, apiOf, siloNamed } from '@granary/testing/server/service';
import { type ServiceProcess, startServiceProcess } from '@granary/testing/server/service-process';

const SILOS = '/v1/siloscale/devices';
const ROVERS = '/v1/fielddevice/devices';
const ADMIN_KEY = 'an-admin-key-for-the-restart-test-only';
/** Alerts that say that a device is silent or broken. */
const SILENCE_ALERT_TYPES = new Set(['device_offline', 'sensor_stale', 'sensor_fault']);
const POLL_MS = 200;

/** The device is offline after three intervals, and that is an alarm after the delay. The outage is longer than both together. */
const { reporting, downMs, reportMs, foundWithinMs } = IS_FULL_SIZE
  ? {
      reporting: { interval_s: 10, offline_delay_s: 30 },
      downMs: 70 * SECOND_MS,
      reportMs: 10 * SECOND_MS,
      foundWithinMs: 150 * SECOND_MS,
    }
  : {
      reporting: { interval_s: 2, offline_delay_s: 2 },
      downMs: 10 * SECOND_MS,
      reportMs: SECOND_MS,
      foundWithinMs: 40 * SECOND_MS,
    };

let folder = '';
let service: ServiceProcess | undefined;
let farm: Farm | undefined;
let silent: CountingSilo | undefined;
after(async () => {
  silent?.leave();
  await farm?.stop();
  await service?.kill();
  await rm(folder, { recursive: true, force: true });
});

interface SilenceAlert {
  readonly device: string;
  readonly type: string;
  readonly message: string;
}

async function silenceAlerts(api: Api): Promise<SilenceAlert[]> {
  const found: SilenceAlert[] = [];
  for (const root of [SILOS, ROVERS]) {
    for (const { device_id: device } of (await api.get(root)).body.data) {
      for (const { type, message } of (await api.get(`${root}/${device}/alerts?status=all`)).body.data) {
        if (SILENCE_ALERT_TYPES.has(type)) found.push({ device, type, message });
      }
    }
  }
  return found;
}

async function untilAllReported(api: Api): Promise<void> {
  for (const root of [SILOS, ROVERS]) {
    for (const { device_id } of (await api.get(root)).body.data) {
      while ((await api.get(`${root}/${device_id}`)).body.data.status !== 'online') await sleep(POLL_MS);
    }
  }
}

test('after the service was down only the device that stays silent has an alert about it', async (t) => {
  folder = await mkdtemp(join(tmpdir(), 'granary-restart-'));
  const settings = { GRANARY_DATA_DIR: folder, GRANARY_ADMIN_KEY: ADMIN_KEY, GRANARY_RATE_LIMIT: 'off' };
  service = await startServiceProcess(settings);
  const { httpUrl, mqttUrl } = service;
  const api = apiOf(
    () => service ?? assert.fail(),
    () => ADMIN_KEY,
  );
  farm = await startFarm({
    profiles: SIMULATED_PROFILES,
    baseUrl: httpUrl,
    adminKey: ADMIN_KEY,
    mqttUrl,
    credentialsFile: join(folder, 'farm.json'),
    // Devices that wait longer than the alarm allows would rightly raise it.
    intervalMs: reportMs,
    historyDays: 0,
    reconnectMsMax: reportMs,
  });
  const { secret } = (await api.post(SILOS, siloNamed('silent'))).body.data.credentials;
  silent = new CountingSilo(mqttUrl, 'silent', secret, 500);
  for (const root of [SILOS, ROVERS]) {
    for (const { device_id } of (await api.get(root)).body.data) {
      assert.equal((await api.put(`${root}/${device_id}/config`, { reporting })).status, 200);
    }
  }
  await untilAllReported(api);
  assert.deepEqual(await silenceAlerts(api), []);

  await service.kill();
  silent.leave();
  await sleep(downMs);
  const ports = { GRANARY_HTTP_PORT: new URL(httpUrl).port, GRANARY_MQTT_PORT: new URL(mqttUrl).port };
  service = await startServiceProcess({ ...settings, ...ports });

  const untilMs = Date.now() + foundWithinMs;
  let found: SilenceAlert[] = [];
  while (!found.some(({ device }) => device === 'silent') && Date.now() < untilMs) {
    await sleep(POLL_MS);
    found = await silenceAlerts(api);
  }
  t.diagnostic(`${(await api.get(SILOS)).body.data.length} silos, down for ${downMs / SECOND_MS} s`);
  const types = found.map(({ device, type }) => `${device} ${type}`);
  assert.deepEqual(types, ['silent device_offline'], JSON.stringify(found));
});
