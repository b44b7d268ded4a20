import type { PublishedPackage } from './published-packages.ts';

export interface SourceManifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

/** The `package.json` that users get: no package of the workspace, and the versions with which the tests ran. */
export function publishedManifest(
  { description, source, manifest, folders, bringsNode }: PublishedPackage,
  { name, version, license }: SourceManifest,
  libraries: readonly string[],
  nodeBinaries: Readonly<Record<string, string>>,
  lock: LockFile,
): Readonly<Record<string, unknown>> {
  return {
    ...{ name, version, description, license, type: 'module' },
    files: [...(bringsNode ? ['bin'] : []), ...(source === null ? [] : ['lib']), ...folders],
    ...manifest,
    dependencies: Object.fromEntries(
      [...new Set(libraries)].sort().map((library) => [library, lockedVersion(lock, library)]),
    ),
    ...(bringsNode ? { optionalDependencies: nodeBinaries } : {}),
  };
}

function lockedVersion({ packages }: LockFile, library: string): string {
  const version = packages[`node_modules/${library}`]?.version;
  if (version === undefined) throw new Error(`package-lock.json has no ${library}, which a package imports`);
  return version;
}
