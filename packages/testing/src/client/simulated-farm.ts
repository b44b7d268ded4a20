import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@granary/client';
import { SIMULATED_PROFILES } from '@granary/simulator/profiles/profiles';
import { startFarm } from '@granary/simulator/start-farm';
import { startServiceProcess } from '../server/service-process.ts';
import { validatedUrl } from '../server/validated-url.ts';

export interface Farm {
  readonly url: string;
  readonly apiKey: string;
  stop(): Promise<void>;
}

/** Starts the service in a process of its own, with the simulated farm, and waits until its silos have reported. */
export async function startSimulatedFarm(): Promise<Farm> {
  const folder = await mkdtemp(join(tmpdir(), 'granary-client-'));
  const service = await startServiceProcess({ GRANARY_DATA_DIR: folder, GRANARY_RATE_LIMIT: 'off' });
  const { httpUrl: url, mqttUrl, adminKey } = service;
  const farm = await startFarm({
    profiles: SIMULATED_PROFILES,
    baseUrl: url,
    adminKey: adminKey.key,
    mqttUrl,
    credentialsFile: join(folder, 'farm.json'),
    intervalMs: 1_000,
    historyDays: 0,
  });
  const client = createClient({ baseUrl: url, apiKey: adminKey.key });
  const areOnline = async (): Promise<boolean> => {
    const { data } = await client.fleet.devices({ include: 'readings', profile: 'silo_scale' });
    return data.every(({ status, readings }) => status === 'online' && readings?.['level'] !== undefined);
  };
  while (!(await areOnline())) await sleep(200);
  const undos: (() => void)[] = [];
  return {
    url: await validatedUrl({ after: (undo) => undos.push(undo) }, url),
    apiKey: adminKey.key,
    stop: async () => {
      for (const undo of undos) undo();
      await farm.stop();
      await service.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
