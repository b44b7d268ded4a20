import { isBuiltFrom } from '../../packages/cli/bin/sources-digest.mjs';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { CONSOLE_SOURCES } from './console-sources.ts';

/** Builds the operators' page unless it was built from the present sources. */
export async function ensureConsole(): Promise<void> {
  if (isBuiltFrom('dist/console', REPOSITORY_ROOT, CONSOLE_SOURCES)) return;
  console.log("granary: building the operators' page (once after a change of its sources, some seconds) ...");
  // Loaded only for a build, because the bundler takes longer to load than the comparison of the sources.
  const { buildConsole } = await import('./build.ts');
  await buildConsole();
}
