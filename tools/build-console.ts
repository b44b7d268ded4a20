import { ensureConsole } from './console-build/ensure.ts';

/** Given by the bootstrap, which runs before every start. */
if (process.argv.includes('--if-changed')) await ensureConsole();
else await (await import('./console-build/build.ts')).buildConsole();
