import { SERVICE_SOURCES } from '../../packages/cli/bin/service-sources.mjs';
import { isBuiltFrom } from '../../packages/cli/bin/sources-digest.mjs';
import { REPOSITORY_ROOT } from '../repository-files.ts';

/** Builds the service unless it was built from the present sources. */
export async function ensureService(): Promise<void> {
  if (isBuiltFrom('dist/service', REPOSITORY_ROOT, SERVICE_SOURCES)) return;
  console.log('granary: building the service (once after a change of its sources, some seconds) ...');
  // Loaded only for a build, because the bundler takes longer to load than the comparison of the sources.
  const { buildService } = await import('./build.ts');
  await buildService();
}
