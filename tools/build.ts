import { buildConsole, ensureConsole } from './console-build/build.ts';
import { buildService, ensureService } from './service-build/build.ts';

/** The bootstrap, which runs before every start, sets this option. */
const onlyIfChanged = process.argv.includes('--if-changed');

for (const build of onlyIfChanged ? [ensureConsole, ensureService] : [buildConsole, buildService]) {
  // The service and the operators' page work without each other, so a failed build of one does not stop the other.
  await build().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
}
