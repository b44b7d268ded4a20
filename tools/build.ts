import { ensureConsole } from './console-build/ensure.ts';
import { ensureService } from './service-build/ensure.ts';

const buildConsole = async () => (await import('./console-build/build.ts')).buildConsole();
const buildService = async () => (await import('./service-build/build.ts')).buildService();

/** Given by the bootstrap, which runs before every start. */
const onlyIfChanged = process.argv.includes('--if-changed');

for (const build of onlyIfChanged ? [ensureConsole, ensureService] : [buildConsole, buildService]) {
  // One can be used without the other.
  await build().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
}
