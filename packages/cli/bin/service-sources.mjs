const PACKAGES = [
  'app',
  'cli',
  'client',
  'common',
  'contract',
  'core',
  'link',
  'server',
  'simulator',
  'store',
];

/** Everything that the built service depends on. */
export const SERVICE_SOURCES = [
  ...PACKAGES.flatMap((name) => [`packages/${name}/package.json`, `packages/${name}/src`]),
  'tools/service-build',
  'package-lock.json',
];
