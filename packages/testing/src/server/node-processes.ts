import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { TestEngine } from '../app/engines.ts';
import { type Api, apiOf } from './service.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

export const NODE_ADMIN_KEY = 'an-admin-key-for-the-tests-of-several-nodes';

export interface NodeProcess extends ServiceProcess {
  readonly dataDir: string;
  readonly api: Api;
}

type Env = Readonly<Record<string, string>>;

/** Starts nodes on one database, each with a data folder of its own unless one is given; they end with the tests. */
export function nodeProcesses(engine: TestEngine): (env?: Env) => Promise<NodeProcess> {
  const nodes: Promise<ServiceProcess>[] = [];
  const folders: string[] = [];
  after(async () => {
    // Nodes that were still starting when a test failed are ended, too.
    for (const node of await Promise.allSettled(nodes)) {
      if (node.status === 'fulfilled') await node.value.kill();
    }
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });
  return async (env = {}) => {
    const dataDir = env['GRANARY_DATA_DIR'] ?? (await mkdtemp(join(tmpdir(), 'granary-node-')));
    folders.push(dataDir);
    const starting = startServiceProcess({
      GRANARY_DATA_DIR: dataDir,
      GRANARY_DATABASE_URL: engine.location.engine === 'postgres' ? engine.location.url : '',
      GRANARY_ADMIN_KEY: NODE_ADMIN_KEY,
      GRANARY_LINK_THREADS: '0',
      GRANARY_RATE_LIMIT: 'off',
      GRANARY_TEST_BROKER: 'external',
      ...env,
    });
    nodes.push(starting);
    const node = await starting;
    const api = apiOf(
      () => node,
      () => NODE_ADMIN_KEY,
    );
    return { ...node, dataDir, api };
  };
}
