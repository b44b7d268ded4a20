import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const REMOVED_TEXT = 'The demo was removed. Without this file `granary up` starts it again.\n';

/** The files that the demo has in the data folder. */
export interface DemoFiles {
  /** The secrets of the simulated farm. */
  readonly credentials: string;
  readonly memory: string;
  readonly bridgeFolder: string;
  /** This file exists when people have removed the demo, so that a start does not bring it back. */
  readonly removed: string;
}

export const demoFiles = (dataDir: string): DemoFiles => ({
  credentials: join(dataDir, 'farm-credentials.json'),
  memory: join(dataDir, 'farm-memory.json'),
  bridgeFolder: join(dataDir, 'bridge'),
  removed: join(dataDir, 'demo-removed'),
});

export const isDemoRemoved = (dataDir: string): boolean => existsSync(demoFiles(dataDir).removed);

/** Removes all files of the demo from the data folder, so that the next start has no demo. */
export async function forgetDemo(dataDir: string): Promise<void> {
  const { credentials, memory, bridgeFolder, removed } = demoFiles(dataDir);
  await mkdir(dataDir, { recursive: true });
  await writeFile(removed, REMOVED_TEXT);
  await Promise.all(
    [credentials, memory, bridgeFolder].map((path) => rm(path, { recursive: true, force: true })),
  );
}
