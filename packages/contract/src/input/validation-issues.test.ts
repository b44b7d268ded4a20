import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type TSchema, Type } from 'typebox';
import * as alerts from '../alerts.ts';
import * as commands from '../commands.ts';
import * as fieldConfiguration from '../configuration/field-configuration.ts';
import * as configuration from '../configuration/silo-configuration.ts';
import * as devices from '../devices/devices.ts';
import * as envelope from '../envelope.ts';
import * as events from '../events.ts';
import * as findings from '../foresight/findings.ts';
import * as forecasts from '../foresight/forecasts.ts';
import * as refills from '../foresight/refills.ts';
import * as ids from '../ids.ts';
import * as keys from '../keys.ts';
import * as fieldLink from '../link/field-messages.ts';
import * as link from '../link/messages.ts';
import * as missions from '../missions.ts';
import * as operations from '../operations.ts';
import { PROFILES } from '../profiles/profiles.ts';
import { siloScale } from '../profiles/silo-scale.ts';
import * as fieldReadings from '../telemetry/field-readings.ts';
import * as telemetry from '../telemetry/telemetry.ts';
import { type Checker, checker } from './schema.ts';
import { findIssues, ISSUES_MAX } from './validation-issues.ts';

/** The type is widened, because the compiler would otherwise compare all schemas with each other. */
const FORESIGHT: Readonly<Record<string, object>> = { findings, forecasts, refills };

const MODULES = {
  alerts,
  commands,
  configuration,
  devices,
  envelope,
  events,
  fieldConfiguration,
  fieldLink,
  fieldReadings,
  ids,
  keys,
  link,
  missions,
  operations,
  telemetry,
  ...FORESIGHT,
  ...PROFILES,
};

const isChecker = (value: unknown): value is Checker<unknown> =>
  typeof value === 'object' && value !== null && 'accepts' in value && 'faults' in value;

/** Every checker that the contract exports, by its name; all input from outside passes one of them. */
const CHECKERS = Object.entries(MODULES).flatMap(([module, exported]) =>
  Object.entries(exported).flatMap(([name, value]): [string, Checker<unknown>][] => {
    return isChecker(value) ? [[`${module}.${name}`, value]] : [];
  }),
);

const KEYWORDS =
  /^(type|description|x-meaning|x-shown-as|const|enum|anyOf|properties|required|additionalProperties|patternProperties|minProperties|maxProperties|items|minItems|maxItems|uniqueItems|minLength|maxLength|pattern|format|minimum|maximum|exclusiveMinimum|exclusiveMaximum)$/;

type Node = Readonly<Record<string, unknown>>;

function* nodesOf(schema: TSchema | Node, path: string): Generator<[string, Node]> {
  const node = schema as Node;
  yield [path, node];
  for (const [name, property] of Object.entries((node['properties'] ?? {}) as Node)) {
    yield* nodesOf(property as Node, `${path}/${name}`);
  }
  for (const [name, property] of Object.entries((node['patternProperties'] ?? {}) as Node)) {
    assert.ok(Number(node['maxProperties']) <= 1_000, `${path} has no maxProperties`);
    yield* nodesOf(property as Node, `${path}/${name}`);
  }
  if (node['items'] !== undefined) yield* nodesOf(node['items'] as Node, `${path}/*`);
  for (const branch of (node['anyOf'] ?? []) as Node[]) yield* nodesOf(branch, path);
}

describe('schemas of what comes from outside', () => {
  test('are found', () => assert.ok(CHECKERS.length >= 25, String(CHECKERS.length)));

  for (const [name, { schema }] of CHECKERS) {
    test(`${name} bounds every list and text, with patterns that cannot backtrack`, () => {
      for (const [path, node] of nodesOf(schema, '')) {
        for (const keyword of Object.keys(node)) assert.match(keyword, KEYWORDS, `${path} ${keyword}`);
        if (node['type'] === 'array') assert.ok(Number(node['maxItems']) <= 1_000, `${path} has no maxItems`);
        if (node['type'] === 'object') assert.equal(node['additionalProperties'], false, `${path} is open`);
        if (node['type'] !== 'string') continue;
        const pattern = String(node['pattern'] ?? '');
        const isBounded =
          'const' in node ||
          node['format'] === 'date-time' ||
          Number(node['maxLength']) <= 8_000 ||
          /^\^\[[^\]]+\]\{1,\d+\}\$$/.test(pattern);
        assert.ok(isBounded, `${path} has no maxLength`);
        assert.doesNotMatch(pattern, /\)[*+{]/, `${path} repeats a group`);
      }
    });
  }
});

describe('faults', () => {
  test('are found exactly where the compiled schema refuses', () => {
    // JSON cannot contain `undefined`, and the compiled schema treats it as an absent field.
    const present = fc.anything().filter((value) => value !== undefined);
    const values = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
      fc.record({ ts: present, weight: present, sensors: present }, { requiredKeys: [] }),
      fc.record({ ts: fc.integer(), sensors: fc.dictionary(fc.string(), fc.oneof(fc.double(), present)) }),
      fc.record({ name: fc.string(), scopes: fc.array(fc.constantFrom(...keys.SCOPES, 'x')) }),
      fc.record({
        mission_name: fc.string(),
        waypoints: fc.array(fc.record({ lat: fc.double(), lng: fc.double() })),
      }),
      fc.record({ command: fc.constantFrom(...commands.COMMAND_NAMES), parameters: fc.jsonValue() }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...CHECKERS), values, ([name, one], value) => {
        const faults = one.faults(value);
        assert.equal(faults.length === 0, one.accepts(value), name);
        for (const { path, message } of faults) {
          assert.notEqual(message, 'is not valid', name);
          assert.ok(path === '' || path.startsWith('/'));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('are no more than a person reads', () => {
    const unknown = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i]));
    const many: readonly [Checker<unknown>, unknown][] = [
      [keys.checkNewKey, unknown],
      [missions.checkMission, { mission_name: 'm', waypoints: Array(500).fill({}) }],
      [siloScale.checkTelemetry, Array(1_000).fill({ ts: 'x' })],
    ];
    for (const [one, value] of many) assert.equal(one.faults(value).length, ISSUES_MAX);
  });

  test('stop at a list that is too long, whatever it holds', () => {
    const touched: unknown[] = [];
    const watched = new Proxy(Array(100_000).fill('read'), {
      get: (list, property, receiver) => {
        if (typeof property === 'string' && /^\d+$/.test(property)) touched.push(property);
        return Reflect.get(list, property, receiver);
      },
    });
    const faults = findIssues(keys.NewKey, { name: 'k', scopes: watched });
    assert.equal(faults.length, 1);
    assert.partialDeepStrictEqual(faults, [
      { path: '/scopes', message: 'must have at most 7 items, not 100000' },
    ]);
    assert.deepEqual(touched, []);
  });

  test('do not repeat a long name', () => {
    const [fault] = keys.checkNewKey.faults({ name: 'k', scopes: ['read'], ['x'.repeat(1_000_000)]: 1 });
    assert.ok(fault !== undefined && fault.path.length < 100);
  });
});

const TELLING: readonly (readonly [Checker<unknown>, unknown, string, RegExp])[] = [
  [
    devices.checkSiloRegistration,
    {
      device_id: 's',
      name: 's',
      model: 'm',
      location: { facility: 'f', zone: 'z' },
      capacity: { max: 1, unit: 'lb' },
    },
    '/capacity/unit',
    /^must be kg$/,
  ],
  [ids.checkDeviceId, 'a b', '', /1 to 64 letters, digits, - or _, such as a-b$/],
  [ids.checkDeviceId, ' Süd/Silo №7! ', '', /, such as Sud-Silo-No7$/],
  [ids.checkDeviceId, '???', '', /1 to 64 letters, digits, - or _$/],
  [
    telemetry.checkHistoryQuery,
    { from: '2026-11-15' },
    '/from',
    /^must be a time with its offset, such as 2026-/,
  ],
  [
    telemetry.checkHistoryQuery,
    { from: '2026-11-16T00:00:00 01:00' },
    '/from',
    /^has a space where its offset begins: in an address a \+ must be written as %2B$/,
  ],
  [siloScale.checkTelemetry, { ts: 1, weight: 'heavy' }, '/weight', /^must be a number$/],
  [siloScale.checkTelemetry, { ts: 1 }, '', /at least one of weight, temperature, humidity/],
  [siloScale.checkTelemetry, 'x', '', /^must be an object or an array$/],
  [
    events.checkEventQuery,
    { type: 'alert.rised' },
    '/type',
    /"alert\.rised" is none of device\.registered, /,
  ],
  [events.checkEventQuery, { device_id: 'a,b c' }, '/device_id', /"b c" is none/],
  [envelope.checkPageQuery, { limit: '1e2' }, '/limit', /^must be a whole number from 1 to 1000$/],
  [fieldReadings.checkTrackQuery, { limit: 'all' }, '/limit', /^must be a whole number from 1 to 10000$/],
  [events.checkEventQuery, { last_event_id: 'x' }, '/last_event_id', /^must be the id of an event$/],
  [keys.checkNewKey, { name: 'a\u0000b', scopes: ['read'] }, '/name', /without control characters/],
  [keys.checkNewKey, { name: 'k', scopes: ['read', 'read'] }, '/scopes', /twice/],
  [alerts.checkAcknowledgement, { acknowledged_by: 'Ada', note: 'a\u0007' }, '/note', /control characters/],
  [checker(Type.Object({ a: Type.Boolean() })), { a: 1 }, '/a', /^must be true or false$/],
];

for (const [one, value, path, message] of TELLING) {
  test(`${JSON.stringify(value).slice(0, 60)} is told what to send at ${path || 'the whole'}`, () => {
    const [fault, ...others] = one.faults(value);
    assert.deepEqual([fault?.path, others], [path, []]);
    assert.match(fault?.message ?? '', message);
  });
}

test('notes may have lines and tabs', () => {
  assert.equal(alerts.checkAcknowledgement.accepts({ acknowledged_by: 'Ada', note: 'one\n\ttwo\r\n' }), true);
});
