import { LIBRARIES_OUTSIDE } from '../service-build/build.ts';

/** A package that users install, made from packages of the workspace. */
export interface PublishedPackage {
  /** The name of its folder below `packages`, which has the package name, the version and the README. */
  readonly name: string;
  readonly description: string;
  /** The module below `packages` from which the compiler starts; `null` if everything is in the built folders. */
  readonly source: string | null;
  /** The libraries that the built folders need beside themselves. */
  readonly libraries: readonly string[];
  /** Further files, from the path in the repository to the path in the package. */
  readonly files: Readonly<Record<string, string>>;
  /** Built folders that are copied to the same place in the package. */
  readonly folders: readonly string[];
  /** The fields of its `package.json` that only this package has. */
  readonly manifest: Readonly<Record<string, unknown>>;
  /** Whether the package fetches a Node if the one of the machine is too old. */
  readonly fetchesNode: boolean;
}

const NODE_MIN = '>=20.3';

export const PUBLISHED_PACKAGES: readonly PublishedPackage[] = [
  {
    name: 'client',
    description: 'Client of the Granary service for Node and browsers',
    source: 'client/src/index.ts',
    libraries: [],
    files: {},
    folders: [],
    manifest: {
      engines: { node: NODE_MIN },
      sideEffects: false,
      exports: { '.': { types: './lib/index.d.ts', default: './lib/client/src/index.js' } },
    },
    fetchesNode: false,
  },
  {
    name: 'cli',
    description: 'The granary command: service, simulated farm and command line of Granary',
    source: null,
    libraries: LIBRARIES_OUTSIDE,
    files: { 'packages/cli/bin/granary.mjs': 'bin/granary.mjs' },
    folders: ['dist/console', 'dist/service'],
    manifest: { engines: { node: NODE_MIN }, bin: { granary: 'bin/granary.mjs' } },
    fetchesNode: true,
  },
];

export interface SourceManifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

/** The `package.json` that users get: without packages of the workspace, and with the versions with which the tests ran. */
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

/** The `package.json` and the lock file from which npm installs the Node of the tests for its platform. */
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
