import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { createService, type Started } from '@granary/server/compose';
import { readSettings } from '@granary/server/process/settings';
import { QUICK_PASSWORDS } from './quick-passwords.ts';
import { type Api, apiOf } from './service.ts';

type Parts = NonNullable<Parameters<typeof createService>[1]>;

interface Options {
  readonly env?: Readonly<Record<string, string>>;
  /** A folder of its own, which is removed at the end, unless one is given. */
  readonly dataDir?: string;
  readonly makeParts?: (dataDir: string) => Promise<Parts>;
}

export interface LocalService {
  /** The addresses and the key that the service reported at its start. */
  current(): Started;
  readonly api: Api;
}

/** A service with SQLite in the process of the tests: it starts before the tests of a suite and ends after them. */
export function localService({ env = {}, dataDir, makeParts }: Options = {}): LocalService {
  let started: Started | undefined;
  const undos: (() => Promise<void>)[] = [];
  const current = (): Started => {
    if (started === undefined) throw new Error('the service has not started');
    return started;
  };

  before(async () => {
    const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'granary-test-')));
    if (dataDir === undefined) undos.push(() => rm(folder, { recursive: true, force: true }));
    const settings = readSettings({
      GRANARY_HTTP_PORT: '0',
      GRANARY_MQTT_PORT: '0',
      GRANARY_LOG_LEVEL: 'silent',
      GRANARY_LINK_THREADS: '0',
      GRANARY_DATA_DIR: folder,
      ...env,
    });
    const parts = await makeParts?.(folder);
    const service = createService(settings, { passwordCosts: QUICK_PASSWORDS, ...parts });
    undos.push(() => service.stop());
    started = await service.start();
  });

  after(async () => {
    for (const undo of undos.reverse()) await undo();
  });

  return { current, api: apiOf(current, () => current().adminKey.key) };
}
