import { type Static, type TSchema, Type } from 'typebox';
import { SensorDeclaration } from './devices/sensors.ts';
import { DeviceId } from './ids.ts';
import { checker, closed, described } from './input/schema.ts';
import { id, line, lineOrEmpty } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import { PROFILE_NAMES } from './profiles/profiles.ts';
import { CHANNEL_NAMES } from './telemetry/channels.ts';

export const BRIDGES_MAX = 100;
/** The limit of bridges that a key makes known by its reports; more can be given to the key. */
export const BRIDGES_PER_KEY_MAX = 4;
export const BRIDGE_DEVICES_MAX = 5_000;
export const BRIDGE_MAPPINGS_MAX = 500;
/** The limit of requests that people have made and one bridge has not carried out yet. */
export const BRIDGE_REQUESTS_MAX = 20;
/** A report with more devices would have more JSON than a body may have; a bridge sends the others with its next report. */
export const REPORTED_DEVICES_MAX = 200;
export const REPORTED_MAPPINGS_MAX = 20;
/** How long a bridge may let its report wait for requests. */
const REPORT_WAIT_S_MAX = 20;
/** The longest time that a person waits for a bridge. */
const BRIDGE_ANSWER_S_MAX = 20;
export const BRIDGE_ANSWER_S_DEFAULT = 12;
export const POINTS_MAX = 1_000;

const BridgeId = id();
const TimestampOrNull = Type.Union([Timestamp, Type.Null()]);
const Count = Type.Integer({ minimum: 0 });
const Text = line(200);
const Detail = lineOrEmpty(500);
const MappingName = Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,99}$' });
const Endpoint = described(
  'Where the field device, or the gateway or broker in front of it, is reached: `tcp://10.0.4.20:502`.',
  Type.String({ maxLength: 500, pattern: '^[a-z][a-z0-9+.-]{0,19}://[\\x21-\\x7e]+$' }),
);
const Unit = described(
  'The unit behind a gateway, such as the Modbus unit id; `null` where there is only one.',
  Type.Union([Type.Integer({ minimum: 0, maximum: 65_535 }), Type.Null()]),
);
const Options = described(
  'What the mapping asks of each device beyond that, such as the address of a radio sensor.',
  Type.Record(
    Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' }),
    Type.Union([Type.String({ maxLength: 200 }), Type.Number(), Type.Boolean()]),
    { maxProperties: 20, additionalProperties: false },
  ),
);

export const BRIDGED_STATES = ['answering', 'silent', 'waiting'] as const;

/** The code of the driver with English details. */
const Failure = closed({ code: Text, detail: Detail });

const failureAtPoints = { code: Text, at: Timestamp, points: Type.Array(Text, { maxItems: 100 }) };

const DeclaredUnitsOf = described(
  'The unit of each declared sensor of a device.',
  Type.Record(SensorDeclaration.properties.sensor_id, SensorDeclaration.properties.unit),
);

/** One device of a bridge, as the bridge sees it. */
export const BridgedDevice = closed({
  device_id: DeviceId,
  mapping: MappingName,
  endpoint: Endpoint,
  unit: Unit,
  state: described('`waiting`: it was not asked yet, or has said nothing yet.', Type.Enum(BRIDGED_STATES)),
  connected: described('Whether it has a session at the service.', Type.Boolean()),
  last_answer_at: TimestampOrNull,
  round_trip_ms: Type.Union([Type.Number({ minimum: 0 }), Type.Null()]),
  breaker: described(
    'While it is open the device is asked only at `next_try_at`.',
    closed({ open: Type.Boolean(), next_try_at: TimestampOrNull, failures: Count }),
  ),
  last_failure: Type.Union([closed({ ...failureAtPoints, detail: Detail }), Type.Null()]),
  counters: closed({
    requests: Count,
    failures: Count,
    timeouts: Count,
    skipped: Count,
    lateness_ms_max: Type.Number({ minimum: 0 }),
  }),
  waiting: described('The readings in the journal of the bridge.', Count),
});

/** A device of a bridge, as a caller sees it. */
export const ShownBridgedDevice = closed({
  ...BridgedDevice.properties,
  endpoint: described(
    'Where the field device is reached; `null`, as `unit` is, for callers who may not `configure` the device.',
    Type.Union([Endpoint, Type.Null()]),
  ),
  last_failure: Type.Union([
    closed({
      ...failureAtPoints,
      detail: described(
        '`null` for callers who may not `configure` the device.',
        Type.Union([Detail, Type.Null()]),
      ),
    }),
    Type.Null(),
  ]),
});

/** A model of device that the bridge can attach, from its library or from the site. */
export const BridgeMapping = closed({
  name: MappingName,
  version: Type.Integer({ minimum: 0 }),
  title: Text,
  protocol: Text,
  source: described('The document, with its pages, in which everything was read.', lineOrEmpty(500)),
  profile: described(
    'The profile that most of these devices have.',
    Type.Union([Type.Enum(PROFILE_NAMES), Type.Null()]),
  ),
  evidence: described('What it was tried with: `documented`, `peer` or `hardware`.', Text),
  channels: described(
    'The standard sensors that it fills.',
    Type.Array(Type.Enum(CHANNEL_NAMES), { maxItems: CHANNEL_NAMES.length }),
  ),
  sensors: described(
    'What to declare when a device is registered for it.',
    Type.Array(SensorDeclaration, { maxItems: 64 }),
  ),
});

export const BridgeSite = closed({
  file: lineOrEmpty(500),
  loaded_at: TimestampOrNull,
  faults: described(
    'Of the file as it is now; the bridge goes on with the last one that had none.',
    Type.Array(closed({ line: Type.Union([Count, Type.Null()]), message: Detail }), { maxItems: 50 }),
  ),
});

export const BridgeJournal = closed({
  readings: described('Readings that the service has not acknowledged yet.', Count),
  bytes: Count,
  oldest_at: TimestampOrNull,
  dropped: described('Readings that were given up, because the journal or the disk was full.', Count),
  fault: described('Why nothing can be written to it at present.', Type.Union([Detail, Type.Null()])),
  gaps: described(
    'The last periods of which readings were given up.',
    Type.Array(closed({ device_id: DeviceId, from: Timestamp, to: Timestamp, readings: Count }), {
      maxItems: 20,
    }),
  ),
});

/** The value of one point of a device in a test. */
export const TestedPoint = closed({
  point: Text,
  sensor: Type.Union([Text, Type.Null()]),
  raw: lineOrEmpty(500),
  value: Type.Union([Type.Number(), Type.Null()]),
  unit: lineOrEmpty(32),
  quality: Type.Enum(['good', 'bad']),
  reason: Type.Union([Text, Type.Null()]),
});

const BridgeResult = closed({
  request_id: id(),
  failure: Type.Union([Failure, Type.Null()]),
  round_trip_ms: Type.Optional(Type.Union([Type.Number({ minimum: 0 }), Type.Null()])),
  points: Type.Optional(Type.Array(TestedPoint, { maxItems: POINTS_MAX })),
});

const general = {
  version: Text,
  started_at: Timestamp,
  site: BridgeSite,
  journal: BridgeJournal,
};

export const BridgeReport = closed({
  session: described(
    'Chosen anew at each start of the bridge; a new one removes all devices and mappings that were reported before.',
    id(),
  ),
  ...general,
  devices: Type.Optional(Type.Array(BridgedDevice, { maxItems: REPORTED_DEVICES_MAX })),
  mappings: Type.Optional(Type.Array(BridgeMapping, { maxItems: REPORTED_MAPPINGS_MAX })),
  gone: Type.Optional(
    described(
      'Devices that the bridge does not have any more.',
      Type.Array(DeviceId, { maxItems: REPORTED_DEVICES_MAX }),
    ),
  ),
  results: Type.Optional(Type.Array(BridgeResult, { maxItems: BRIDGE_REQUESTS_MAX })),
  working: Type.Optional(
    described(
      'Requests that the bridge has and works on.',
      Type.Array(id(), { maxItems: BRIDGE_REQUESTS_MAX }),
    ),
  ),
  missed_answer: Type.Optional(
    described(
      'The answer to the report before did not arrive: a new secret that was in it is made and handed over once more.',
      Type.Boolean(),
    ),
  ),
  units_of: Type.Optional(
    described(
      'Devices whose declared sensors the bridge compares with its mappings.',
      Type.Array(DeviceId, { maxItems: REPORTED_DEVICES_MAX }),
    ),
  ),
  wait_s: Type.Optional(
    described(
      'How long the answer may wait until there is something to do.',
      Type.Number({ minimum: 0, maximum: REPORT_WAIT_S_MAX }),
    ),
  ),
});

const BRIDGE_REQUEST_KINDS = ['test', 'add', 'remove'] as const;

/** A request to a bridge. It is repeated until the bridge has sent a result, except if it contains a secret. */
export const BridgeRequest = closed({
  request_id: id(),
  kind: Type.Enum(BRIDGE_REQUEST_KINDS),
  device_id: Type.Union([DeviceId, Type.Null()]),
  mapping: Type.Union([MappingName, Type.Null()]),
  endpoint: Type.Union([Endpoint, Type.Null()]),
  unit: Unit,
  options: Options,
  secret: Type.Optional(
    described(
      'Of `add`: the new secret of the device, which nobody else gets. It is handed over once.',
      Type.String(),
    ),
  ),
  units: Type.Optional(DeclaredUnitsOf),
});

export const BridgeInstructions = closed({
  time: described('The clock of the service, when it wrote the answer.', Timestamp),
  known: described(
    'Whether the service knows this session; if not, the bridge sends all devices and mappings again.',
    Type.Boolean(),
  ),
  requests: Type.Array(BridgeRequest, { maxItems: BRIDGE_REQUESTS_MAX }),
  units: described(
    'By device, of those in `units_of` that are registered.',
    Type.Record(DeviceId, DeclaredUnitsOf),
  ),
});

const KeyOfBridge = closed({
  key_id: Type.String(),
  name: Type.String(),
  ended: described('It was revoked or has expired, so nobody can report for the bridge.', Type.Boolean()),
});

/** The value names devices and addresses of all sites of the bridge. */
const ofWholeBridge = <T extends TSchema>(schema: T) =>
  described('`null` for callers who may not `configure` everything.', Type.Union([schema, Type.Null()]));

export const Bridge = closed({
  bridge_id: BridgeId,
  key: described(
    'The only key that reports for it; after a rotation the new one. `null` for callers who may not `configure` everything.',
    Type.Union([KeyOfBridge, Type.Null()]),
  ),
  status: described(
    '`away`: it has not reported for a minute; its devices may be reporting all the same.',
    Type.Enum(['connected', 'away']),
  ),
  reported_at: Timestamp,
  version: Text,
  started_at: Timestamp,
  site: ofWholeBridge(BridgeSite),
  journal: ofWholeBridge(BridgeJournal),
  devices: closed({
    total: described('Those that the caller may read, as the other figures.', Count),
    answering: Count,
    silent: Count,
    waiting: Count,
    unit_differs: described(
      'Devices with sensors that the mapping gives in another unit than the declared one; their values are not sent.',
      Count,
    ),
  }),
});

export const BridgeDetail = closed({
  ...Bridge.properties,
  devices: Type.Array(ShownBridgedDevice),
});

/** Gives a bridge to a key with the scope `ingest`. */
export const BridgeKeyChoice = closed({ key_id: id() });
export const BridgeKey = closed({ bridge_id: BridgeId, key_id: Type.String(), name: Type.String() });

const place = {
  mapping: MappingName,
  endpoint: Endpoint,
  unit: Type.Optional(Unit),
  options: Type.Optional(Options),
};
const wait = {
  wait_s: Type.Optional(
    described(
      `How long to wait for the bridge; ${BRIDGE_ANSWER_S_DEFAULT} s if it is not given.`,
      Type.Number({ minimum: 0, maximum: BRIDGE_ANSWER_S_MAX }),
    ),
  ),
};

/** The test of a device that the bridge has, or of a device that may be added. */
export const NewBridgeTest = Type.Union([
  closed({ device_id: DeviceId, ...wait }),
  closed({ ...place, ...wait }),
]);

export const BridgeTest = closed({
  failure: described('`null` if it was read.', Type.Union([Failure, Type.Null()])),
  round_trip_ms: Type.Union([Type.Number(), Type.Null()]),
  points: Type.Array(TestedPoint),
});

export const NewBridgedDevice = closed({ device_id: DeviceId, ...place, ...wait });

/** The failure code of a device whose units differ from the declared ones. */
export const UNIT_DIFFERS = 'unit_differs';

export type DeclaredUnitsOf = Static<typeof DeclaredUnitsOf>;
export type BridgedDevice = Static<typeof BridgedDevice>;
export type ShownBridgedDevice = Static<typeof ShownBridgedDevice>;
export type BridgeMapping = Static<typeof BridgeMapping>;
export type BridgeSite = Static<typeof BridgeSite>;
export type BridgeJournal = Static<typeof BridgeJournal>;
export type BridgeResult = Static<typeof BridgeResult>;
export type BridgeReport = Static<typeof BridgeReport>;
export type BridgeRequest = Static<typeof BridgeRequest>;
export type BridgeInstructions = Static<typeof BridgeInstructions>;
export type KeyOfBridge = Static<typeof KeyOfBridge>;
export type BridgeKey = Static<typeof BridgeKey>;
export type Bridge = Static<typeof Bridge>;
export type BridgeDetail = Static<typeof BridgeDetail>;
export type BridgeTest = Static<typeof BridgeTest>;
export type TestedPoint = Static<typeof TestedPoint>;
export type NewBridgeTest = Static<typeof NewBridgeTest>;
export type NewBridgedDevice = Static<typeof NewBridgedDevice>;

export const checkBridgeId = checker(BridgeId);
export const checkBridgeReport = checker(BridgeReport);
export const checkBridgeKeyChoice = checker(BridgeKeyChoice);
export const checkNewBridgeTest = checker(NewBridgeTest);
export const checkNewBridgedDevice = checker(NewBridgedDevice);
