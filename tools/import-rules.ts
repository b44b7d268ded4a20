import type { IForbiddenRuleType } from 'dependency-cruiser';

/** What a room may import besides itself. A room that runs anywhere, also in a browser, has no `node:` modules. */
interface Room {
  readonly rooms: readonly string[];
  readonly libraries: readonly string[];
  readonly nodeModules: boolean;
  readonly testRooms?: readonly string[];
}

const ROOMS: Readonly<Record<string, Room>> = {
  contract: { rooms: [], libraries: ['typebox'], nodeModules: false },
  core: { rooms: ['contract'], libraries: [], nodeModules: false },
  store: { rooms: ['contract', 'core'], libraries: ['pg'], nodeModules: true },
  link: { rooms: ['contract'], libraries: [], nodeModules: true },
  server: {
    rooms: ['contract', 'core', 'store', 'link'],
    libraries: ['fastify', 'pino'],
    nodeModules: true,
    testRooms: ['client', 'simulator'],
  },
  client: { rooms: ['contract'], libraries: [], nodeModules: false },
  simulator: {
    rooms: ['contract', 'client'],
    libraries: ['mqtt'],
    nodeModules: true,
    testRooms: ['link', 'server'],
  },
  cli: { rooms: ['contract', 'client', 'server', 'simulator'], libraries: [], nodeModules: true },
};

const ANY_ROOM = '[^/]+';
const TEST_LIBRARIES = ['fast-check', 'geographiclib-geodesic', 'mqtt', 'mqtt-packet'];

const roomPath = (room: string): string => `^packages/${room}/src/`;
/** Tests, and what only tests use. */
const testPaths = (room: string): string[] => [
  `${roomPath(room)}.*\\.test\\.ts$`,
  `${roomPath(room)}testing/`,
];
const libraryPath = (library: string): string => `(^|/)node_modules/(@types/)?${library}/`;

function rulesOf([name, room]: [string, Room]): IForbiddenRuleType[] {
  const rooms = [name, ...room.rooms];
  const sourcePaths = [...rooms.map(roomPath), ...room.libraries.map(libraryPath)];
  const testOnlyPaths = [...(room.testRooms ?? []).map(roomPath), ...TEST_LIBRARIES.map(libraryPath)];
  const source = { path: roomPath(name), pathNot: testPaths(name) };
  const rules: IForbiddenRuleType[] = [
    {
      name: `${name}-imports`,
      comment: `${name} may import ${[...room.rooms, ...room.libraries].join(', ') || 'nothing'}`,
      severity: 'error',
      from: source,
      to: { pathNot: sourcePaths, dependencyTypesNot: ['core'], couldNotResolve: false },
    },
    {
      name: `${name}-test-imports`,
      severity: 'error',
      from: { path: testPaths(name) },
      to: {
        pathNot: [...sourcePaths, ...testOnlyPaths],
        dependencyTypesNot: ['core'],
        couldNotResolve: false,
      },
    },
  ];
  if (!room.nodeModules) {
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

const apart = (one: string, other: string): IForbiddenRuleType => ({
  name: `${one}-apart-from-${other}`,
  severity: 'error',
  from: { path: `^packages/store/src/${one}/` },
  to: { path: `^packages/store/src/${other}/` },
});

export const IMPORT_RULES: IForbiddenRuleType[] = [
  ...Object.entries(ROOMS).flatMap(rulesOf),
  {
    name: 'known-rooms-only',
    comment: 'a new package needs its line in the table of rooms',
    severity: 'error',
    from: { path: roomPath(ANY_ROOM), pathNot: Object.keys(ROOMS).map(roomPath) },
    to: {},
  },
  {
    name: 'tests-stay-outside',
    comment: 'what runs in the field must not need what tests need',
    severity: 'error',
    from: { path: roomPath(ANY_ROOM), pathNot: testPaths(ANY_ROOM) },
    to: { path: testPaths(ANY_ROOM) },
  },
  apart('sqlite', 'postgres'),
  apart('postgres', 'sqlite'),
  { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
  { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  {
    name: 'no-relative-path-into-another-package',
    comment: 'import it by its name',
    severity: 'error',
    from: { path: '^packages/([^/]+)/' },
    to: { path: '^packages/', pathNot: '^packages/$1/', dependencyTypes: ['local'] },
  },
];
