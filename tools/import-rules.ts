import type { IForbiddenRuleType } from 'dependency-cruiser';

/** The imports that a package may have; a package that also runs in a browser imports no `node:` modules. */
interface PackageRule {
  readonly packages: readonly string[];
  readonly libraries: readonly string[];
  readonly nodeModules: boolean;
}

/** The packages that tests of every package may also import: the test rigs, and the two packages that use the service from outside. */
const TEST_PACKAGES = ['testing', 'client', 'simulator'];
const TEST_LIBRARIES = [
  '@formatjs/icu-messageformat-parser',
  '@modelcontextprotocol/client',
  '@simplewebauthn/server',
  'aedes',
  'ajv',
  'ajv-formats',
  'axe-core',
  'fast-check',
  'geographiclib-geodesic',
  'http_ece',
  'jsmodbus',
  'mqtt',
  'mqtt-packet',
  'oauth2-mock-server',
  'oidc-provider',
  'pg',
  'playwright-core',
  'smtp-server',
  'standardwebhooks',
];

const PACKAGES: Readonly<Record<string, PackageRule>> = {
  words: { packages: [], libraries: [], nodeModules: false },
  contract: { packages: ['words'], libraries: ['typebox'], nodeModules: false },
  common: { packages: ['contract'], libraries: [], nodeModules: true },
  core: {
    packages: ['common', 'contract', 'words'],
    libraries: ['geographiclib-geodesic'],
    nodeModules: false,
  },
  store: { packages: ['common', 'contract'], libraries: ['pg'], nodeModules: true },
  app: {
    packages: ['common', 'contract', 'core', 'store', 'words'],
    libraries: [],
    nodeModules: true,
  },
  link: { packages: ['common', 'contract'], libraries: ['mqtt-packet'], nodeModules: true },
  server: {
    packages: ['common', 'contract', 'core', 'store', 'app', 'link', 'words'],
    libraries: [
      '@modelcontextprotocol/server',
      'fastify',
      'jose',
      'nodemailer',
      'openid-client',
      'pino',
      'swagger-ui-dist',
      'ws',
      'yaml',
    ],
    nodeModules: true,
  },
  client: {
    packages: ['contract'],
    libraries: [],
    nodeModules: false,
  },
  simulator: {
    packages: ['contract', 'client'],
    libraries: ['mqtt'],
    nodeModules: true,
  },
  console: {
    packages: ['common', 'contract', 'client', 'words'],
    libraries: ['preact', '@preact/signals', 'uplot', 'uqr'],
    nodeModules: false,
  },
  bridge: {
    packages: ['common', 'contract', 'client'],
    libraries: ['mqtt', 'typebox', 'yaml'],
    nodeModules: true,
  },
  cli: {
    packages: ['common', 'contract', 'core', 'client', 'server', 'simulator', 'bridge', 'words'],
    libraries: ['commander', 'yaml'],
    nodeModules: true,
  },
  testing: {
    packages: [
      'common',
      'contract',
      'core',
      'store',
      'app',
      'link',
      'server',
      'client',
      'simulator',
      'bridge',
      'console',
      'cli',
      'words',
    ],
    libraries: TEST_LIBRARIES,
    nodeModules: true,
  },
};

const ANY_PACKAGE = '[^/]+';
const packagePath = (name: string): string => `^packages/${name}/src/`;
/** A package may import its own `package.json` to read its version, and its own catalogues. */
const manifestPath = (name: string): string => `^packages/${name}/(package|catalogue/\\w+)\\.json$`;
const testPath = (name: string): string => `${packagePath(name)}.*\\.test\\.ts$`;
const libraryPath = (library: string): string => `(^|/)node_modules/(@types/)?${library}/`;

function rulesOf([name, rule]: [string, PackageRule]): IForbiddenRuleType[] {
  const packages = [name, ...rule.packages];
  const sourcePaths = [...packages.map(packagePath), manifestPath(name), ...rule.libraries.map(libraryPath)];
  const testOnlyPaths = [...TEST_PACKAGES.map(packagePath), ...TEST_LIBRARIES.map(libraryPath)];
  const source = { path: packagePath(name), pathNot: testPath(name) };
  const rules: IForbiddenRuleType[] = [
    {
      name: `${name}-imports`,
      comment: `${name} may import ${[...rule.packages, ...rule.libraries].join(', ') || 'nothing'}`,
      severity: 'error',
      from: source,
      to: { pathNot: sourcePaths, dependencyTypesNot: ['core'], couldNotResolve: false },
    },
    {
      name: `${name}-test-imports`,
      severity: 'error',
      from: { path: testPath(name) },
      to: {
        pathNot: [...sourcePaths, ...testOnlyPaths],
        dependencyTypesNot: ['core'],
        couldNotResolve: false,
      },
    },
  ];
  if (!rule.nodeModules) {
    rules.push({
      name: `${name}-without-node`,
      comment: `${name} must run anywhere`,
      severity: 'error',
      from: source,
      to: { dependencyTypes: ['core'] },
    });
  }
  return rules;
}

/** The rooms of the server; each may import those after it. */
const ROOMS = ['http', 'background', 'devices', 'process'];
const room = (name: string): string => `^packages/server/src/${name}/`;

const roomRules: IForbiddenRuleType[] = ROOMS.slice(1).map((name, index) => ({
  name: `server-${name}-imports`,
  comment: `server/src/${name} imports nothing of ${ROOMS.slice(0, index + 1).join(', ')} or of the composition`,
  severity: 'error',
  from: { path: room(name), pathNot: testPath('server') },
  to: { path: [...ROOMS.slice(0, index + 1).map(room), '^packages/server/src/[^/]+$'] },
}));

const apart = (one: string, other: string): IForbiddenRuleType => ({
  name: `${one}-apart-from-${other}`,
  severity: 'error',
  from: { path: `^packages/store/src/${one}/` },
  to: { path: `^packages/store/src/${other}/` },
});

export const IMPORT_RULES: IForbiddenRuleType[] = [
  ...Object.entries(PACKAGES).flatMap(rulesOf),
  {
    name: 'known-packages-only',
    comment: 'a new package needs its line in the table of packages',
    severity: 'error',
    from: { path: packagePath(ANY_PACKAGE), pathNot: Object.keys(PACKAGES).map(packagePath) },
    to: {},
  },
  {
    name: 'tests-stay-outside',
    comment: 'what runs in the field must not need what tests need',
    severity: 'error',
    from: { path: packagePath(ANY_PACKAGE), pathNot: [testPath(ANY_PACKAGE), packagePath('testing')] },
    to: { path: [testPath(ANY_PACKAGE), packagePath('testing')] },
  },
  {
    name: 'lab-stays-outside',
    comment: 'nothing needs what measures and tries the service',
    severity: 'error',
    from: { pathNot: '^lab/' },
    to: { path: '^lab/' },
  },
  {
    name: 'examples-imports',
    comment: 'users copy an example, so it needs only what users can install',
    severity: 'error',
    from: { path: '^examples/' },
    to: {
      pathNot: ['^examples/', `${packagePath('client')}index\\.ts$`, libraryPath('mqtt')],
      dependencyTypesNot: ['core'],
      couldNotResolve: false,
    },
  },
  ...roomRules,
  apart('sqlite', 'postgres'),
  apart('postgres', 'sqlite'),
  { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
  {
    name: 'resolvable',
    severity: 'error',
    from: {},
    to: { couldNotResolve: true },
  },
  {
    name: 'no-relative-path-into-another-package',
    comment: 'import it by its name',
    severity: 'error',
    from: { path: '^packages/([^/]+)/' },
    to: { path: '^packages/', pathNot: '^packages/$1/', dependencyTypes: ['local'] },
  },
];
