import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { TestEngine } from '../app/engines.ts';
import { type Api, apiOf } from './service.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

/** A service that a test kills and starts again with the same data; it ends with the tests. */
export function restartedService(engine: TestEngine) {
  let service: ServiceProcess | undefined;
  let folder: string | undefined;
  const kill = async (): Promise<void> => service?.kill();
  after(async () => {
    await kill();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });
  return {
    kill,
    start: async (): Promise<Api> => {
      folder ??= await mkdtemp(join(tmpdir(), 'granary-test-'));
      const started = await startServiceProcess({
        GRANARY_DATA_DIR: folder,
        GRANARY_DATABASE_URL: engine.location.engine === 'postgres' ? engine.location.url : '',
      });
      service = started;
      return apiOf(
        () => started,
        () => started.adminKey.key,
      );
    },
  };
}
