/** A package that users install, made from packages of the workspace. */
export interface PublishedPackage {
  /** Its folder below `packages`, which also has its name, version and README. */
  readonly name: string;
  readonly description: string;
  /** The modules from which the compiler starts, as patterns below `packages`. */
  readonly sources: readonly string[];
  readonly emitsTypes: boolean;
  /** The names in the standard library of the oldest platform, so that the compiler refuses newer ones. */
  readonly lib: readonly string[];
  /** The types of the platform's own modules. */
  readonly types: readonly string[];
  /** Further files, from the path in the repository to the path in the package. */
  readonly files: Readonly<Record<string, string>>;
  /** Folders of the repository that are copied to the same place in the package. */
  readonly folders: readonly string[];
  /** The fields of its `package.json` that only this package has. */
  readonly manifest: Readonly<Record<string, unknown>>;
  /** It runs on a Node that it brings, if the one of the machine is too old. */
  readonly bringsNode: boolean;
}

const NODE_MIN = '>=20.3';

/** Not the operators' page, which is built and copied. */
const MODULES_OF_COMMAND = [
  ...['app', 'cli', 'client', 'contract', 'core', 'link', 'server', 'simulator', 'store'],
];

export const PUBLISHED_PACKAGES: readonly PublishedPackage[] = [
  {
    name: 'client',
    description: 'Client of the Granary service for Node and browsers',
    sources: ['client/src/index.ts'],
    emitsTypes: true,
    lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable', 'es2024.string'],
    types: [],
    files: {},
    folders: [],
    manifest: {
      engines: { node: NODE_MIN },
      sideEffects: false,
      exports: { '.': { types: './lib/client/src/index.d.ts', default: './lib/client/src/index.js' } },
    },
    bringsNode: false,
  },
  {
    name: 'cli',
    description: 'The granary command: service, simulated farm and command line of Granary',
    sources: MODULES_OF_COMMAND.map((name) => `${name}/src/**/*.ts`),
    emitsTypes: false,
    lib: ['esnext'],
    types: ['node'],
    files: { 'packages/cli/bin/granary.mjs': 'bin/granary.mjs' },
    folders: ['dist/console'],
    manifest: { engines: { node: NODE_MIN }, bin: { granary: 'bin/granary.mjs' } },
    bringsNode: true,
  },
];
