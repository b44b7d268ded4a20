import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createService } from '@granary/server/compose';
import { readSettings } from '@granary/server/settings';
import { SIMULATED_PROFILES } from '@granary/simulator/profiles/profiles';
import { startFarm } from '@granary/simulator/start-farm';

export interface DemoService {
  readonly httpUrl: string;
  readonly adminKey: string;
  readonly adminKeyFile: string;
  stop(): Promise<void>;
}

/** The service with the simulated farm, as `npm start` starts it, on free ports. */
export async function startDemoService(): Promise<DemoService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'granary-conformance-'));
  const settings = readSettings({
    GRANARY_HTTP_PORT: '0',
    GRANARY_MQTT_PORT: '0',
    GRANARY_LOG_LEVEL: 'error',
    GRANARY_DATA_DIR: dataDir,
  });
  const service = createService(settings);
  const { httpUrl, mqttUrl, adminKey } = await service.start();
  const { siloSegment, fieldSegment } = settings;
  const farm = await startFarm({
    baseUrl: httpUrl,
    siloSegment,
    fieldSegment,
    adminKey: adminKey.key,
    mqttUrl,
    profiles: SIMULATED_PROFILES,
    historyDays: 8,
    intervalMs: 2_000,
    credentialsFile: join(dataDir, 'farm.json'),
  });
  await farm.historyWritten;
  return {
    httpUrl,
    adminKey: adminKey.key,
    adminKeyFile: join(dataDir, 'admin-key'),
    stop: async () => {
      await farm.stop();
      await service.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
