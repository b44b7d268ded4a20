import { buildConsole } from './console-build/build.ts';

await buildConsole();
