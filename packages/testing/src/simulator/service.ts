import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createClient } from '@granary/client';
import { createService } from '@granary/server/compose';
import { readSettings } from '@granary/server/process/settings';
import { SIMULATED_PROFILES } from '@granary/simulator/profiles/profiles';
import type { FarmOptions } from '@granary/simulator/start-farm';

/** The real service in a temporary folder, and the options for a farm that connects to it. */
export async function startService(
  t: TestContext,
  farm: Partial<FarmOptions>,
  env: Readonly<Record<string, string>> = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'granary-farm-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));
  const settings = readSettings({
    GRANARY_DATA_DIR: folder,
    GRANARY_HTTP_PORT: '0',
    GRANARY_MQTT_PORT: '0',
    GRANARY_LINK_THREADS: '0',
    GRANARY_LOG_LEVEL: 'silent',
    ...env,
  });
  const service = createService(settings);
  t.after(() => service.stop());
  const { httpUrl, mqttUrl, adminKey } = await service.start();
  const client = createClient({ baseUrl: httpUrl, apiKey: adminKey.key });
  const credentialsFile = join(folder, 'farm.json');
  const options: FarmOptions = {
    profiles: SIMULATED_PROFILES,
    baseUrl: httpUrl,
    adminKey: adminKey.key,
    mqttUrl,
    credentialsFile,
    ...farm,
  };
  return { client, options, credentialsFile };
}
