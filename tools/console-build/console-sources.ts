/** Everything that the built page depends on. */
export const CONSOLE_SOURCES: readonly string[] = [
  'packages/console',
  'packages/client/src',
  'packages/contract/src',
  'tools/console-build',
  'package-lock.json',
];
