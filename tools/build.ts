import { buildConsole, ensureConsole } from './console-build/build.ts';
import { buildService, ensureService } from './service-build/build.ts';

/** Given by the bootstrap, which runs before every start. */
const onlyIfChanged = process.argv.includes('--if-changed');

for (const build of onlyIfChanged ? [ensureConsole, ensureService] : [buildConsole, buildService]) {
  // One can be used without the other.
  await build().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
}
