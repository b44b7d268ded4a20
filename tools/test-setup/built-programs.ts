import { join } from 'node:path';
import { SERVICE_SOURCES } from '../../packages/cli/bin/service-sources.mjs';
import { isBuiltFrom } from '../../packages/cli/bin/sources-digest.mjs';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { ensureService } from '../service-build/build.ts';

const PROGRAM = 'packages/testing/src/server/child.ts';
const FOLDER = 'dist/test-service';
const SOURCES = [...SERVICE_SOURCES, PROGRAM];

/** Builds the command and the service that tests start in processes of their own, because a built one starts in a third of the time. */
export async function ensureBuiltPrograms(): Promise<NodeJS.ProcessEnv> {
  await ensureService();
  if (!isBuiltFrom(FOLDER, REPOSITORY_ROOT, SOURCES)) {
    const { buildEntry } = await import('../service-build/build.ts');
    await buildEntry(join(REPOSITORY_ROOT, PROGRAM), SOURCES, join(REPOSITORY_ROOT, FOLDER));
  }
  return {
    GRANARY_TEST_COMMAND: join(REPOSITORY_ROOT, 'dist/service/granary.js'),
    GRANARY_TEST_SERVICE: join(REPOSITORY_ROOT, FOLDER, 'child.js'),
  };
}
