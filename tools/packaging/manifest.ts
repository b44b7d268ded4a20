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
  { description, source, manifest, folders, fetchesNode }: PublishedPackage,
  { name, version, license }: SourceManifest,
  libraries: readonly string[],
  lock: LockFile,
): Readonly<Record<string, unknown>> {
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    files: [...(fetchesNode ? ['bin', 'runtime'] : []), ...(source === null ? [] : ['lib']), ...folders],
    ...manifest,
    dependencies: Object.fromEntries(
      [...new Set(libraries)].sort().map((library) => [library, lockedVersion(lock, library)]),
    ),
  };
}

/** From these two npm installs the Node of the tests, for the platform on which it runs. */
export function nodeRuntime(nodeBinaries: Readonly<Record<string, string>>, { packages }: LockFile) {
  const [version = ''] = Object.values(nodeBinaries);
  const manifest = { name: 'granary-node', version, private: true, optionalDependencies: nodeBinaries };
  const binaries = Object.keys(nodeBinaries).map((name) => {
    const path = `node_modules/${name}`;
    return [path, packages[path]] as const;
  });
  const lock = {
    name: manifest.name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': manifest, ...Object.fromEntries(binaries) },
  };
  return { manifest, lock };
}

function lockedVersion({ packages }: LockFile, library: string): string {
  const version = packages[`node_modules/${library}`]?.version;
  if (version === undefined) throw new Error(`package-lock.json has no ${library}, which a package imports`);
  return version;
}
