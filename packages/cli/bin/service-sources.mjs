const PACKAGES = [
  'app',
  'bridge',
  'cli',
  'client',
  'common',
  'contract',
  'core',
  'link',
  'server',
  'simulator',
  'store',
  'words',
];

/** All sources on which the built service depends. */
export const SERVICE_SOURCES = [
  ...PACKAGES.flatMap((name) => [`packages/${name}/package.json`, `packages/${name}/src`]),
  'packages/bridge/library',
  'tools/service-build',
  'package-lock.json',
];
