import { isConvertible } from '@granary/common/units';
import { SENSORS_DECLARED_MAX } from '@granary/contract/devices/sensors';
import { type Checker, checker, closed } from '@granary/contract/input/schema';
import { line } from '@granary/contract/input/text-schemas';
import { PROFILE_NAMES } from '@granary/contract/profiles/profiles';
import { CHANNELS } from '@granary/contract/telemetry/channels';
import { type Static, type TProperties, Type } from 'typebox';
import { Duration, durationMs } from './duration.ts';
import {
  EVIDENCE,
  type Example,
  type Expected,
  type Mapping,
  type Point,
  type ProtocolName,
} from './mapping.ts';
import { messageForm } from './message-form.ts';
import { modbusForm } from './modbus-form.ts';
import { type Fields, type PlaceForm, patternText } from './place-form.ts';
import {
  BAD_REASONS,
  type Condition,
  evaluatePoints,
  type FromPoint,
  type PointValue,
  type ValueRules,
} from './value.ts';
import { type Fault, inOrder, readYaml, type YamlDocument } from './yaml-document.ts';

const messages = messageForm as PlaceForm<unknown, unknown>;

/** The form of each protocol in a mapping file. */
const FORMS: Readonly<Record<ProtocolName, PlaceForm<unknown, unknown>>> = {
  modbus: modbusForm as PlaceForm<unknown, unknown>,
  mqtt: messages,
  http: messages,
  lorawan: messages,
  nmea: messages,
  gpsd: messages,
  ascii: messages,
};
const PROTOCOLS = Object.keys(FORMS) as readonly ProtocolName[];

const POINTS_MAX = 2_000;
const REPETITIONS_MAX = 1_000;
const DEFAULT_EVERY = '10s';
const EVERY_MS_MIN = 100;
const NAME = '^[a-z][a-z0-9_]{0,39}$';
const N = '{n}';
/** The names of fields that would write to the device. */
const WRITING = ['trigger', 'select', 'write', 'control'];

const Name = patternText(NAME, 'a name of small letters, digits and _');
const ConditionText = patternText(
  '^[a-z][a-z0-9_]{0,39}\\.[a-z][a-z0-9_]{0,39}$',
  'a bit such as status.overload',
);
const ConditionValue = Type.Union([Type.Number(), line(64)]);
const ConditionField = Type.Union([
  ConditionText,
  closed({ point: Name, is: Type.Union([ConditionValue, Type.Array(ConditionValue, { minItems: 1 })]) }),
]);
const Conditions = Type.Optional(Type.Array(ConditionField, { minItems: 1, maxItems: 64 }));
const From = Type.Optional(closed({ point: Name, table: Name }));

const PointFields = closed({
  sensor: Type.Optional(
    patternText(
      '^[A-Za-z0-9](?:[A-Za-z0-9_-]|\\{n\\}){0,63}$',
      'the id of a sensor, with {n} for the number of a repeated point',
    ),
  ),
  kind: Type.Optional(Name),
  decimals: Type.Optional(Type.Integer({ minimum: 0, maximum: 6 })),
  every: Type.Optional(Duration),
  doc: Type.Optional(Type.Union([Type.Number(), line(64)])),
  note: Type.Optional(line(300)),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: REPETITIONS_MAX })),
  first: Type.Optional(Type.Integer({ minimum: 0, maximum: REPETITIONS_MAX })),
  scale: Type.Optional(Type.Number()),
  offset: Type.Optional(Type.Number()),
  scale_from: From,
  negative_when: Type.Optional(ConditionField),
  table_of: Type.Optional(Name),
  unit: Type.Optional(line(32)),
  unit_from: From,
  convert: Type.Optional(line(32)),
  none: Type.Optional(Type.Union([Type.Number(), Type.Array(Type.Number(), { minItems: 1, maxItems: 20 })])),
  range: Type.Optional(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })),
  bits: Type.Optional(
    Type.Object({}, { additionalProperties: false, patternProperties: { '^[0-9]{1,2}$': Name } }),
  ),
  bad_when: Conditions,
  valid_when: Conditions,
});

const ExpectedFields = closed({
  value: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  unit: Type.Optional(Type.String({ maxLength: 32 })),
  quality: Type.Optional(Type.Enum(['good', 'bad'])),
  reason: Type.Optional(Type.Enum(BAD_REASONS)),
});

const Tables = Type.Object(
  {},
  {
    additionalProperties: false,
    patternProperties: {
      [NAME]: Type.Object(
        {},
        {
          additionalProperties: false,
          patternProperties: { '^[\\s\\S]{1,64}$': Type.Union([Type.Number(), line(32)]) },
        },
      ),
    },
  },
);

const Header = closed({
  mapping: patternText('^[a-z0-9][a-z0-9-]{0,63}$', 'a name of small letters, digits and -'),
  version: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  title: line(200),
  source: Type.Union([line(1_000), Type.Array(line(1_000), { minItems: 1, maxItems: 20 })]),
  evidence: Type.Enum(EVIDENCE),
  protocol: Type.Enum(PROTOCOLS),
  profile: Type.Optional(Type.Enum(PROFILE_NAMES)),
  defaults: Type.Optional(Type.Unknown()),
  tables: Type.Optional(Tables),
  points: Type.Object(
    {},
    { additionalProperties: false, minProperties: 1, patternProperties: { [NAME]: Type.Unknown() } },
  ),
  examples: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 500 })),
});

type PointFields = Static<typeof PointFields>;
type HeaderFields = Static<typeof Header> & { readonly points: Readonly<Record<string, unknown>> };
type TableFields = Readonly<Record<string, Readonly<Record<string, number | string>>>>;

interface Checks {
  readonly defaults: Checker<unknown>;
  readonly point: Checker<unknown>;
  readonly example: Checker<unknown>;
}

const checkHeader = checker(Header);
const checksByProtocol = new Map<ProtocolName, Checks>();

function checksOf(protocol: ProtocolName): Checks {
  const known = checksByProtocol.get(protocol);
  if (known !== undefined) return known;
  const { defaults, point, example } = FORMS[protocol];
  const extended = (own: TProperties, others: TProperties) => checker(closed({ ...own, ...others }));
  const checks = {
    defaults: extended({ every: Type.Optional(Duration), valid_when: Conditions }, defaults),
    point: extended(PointFields.properties, point),
    example: extended(
      {
        note: Type.Optional(line(300)),
        gives: Type.Object(
          {},
          {
            additionalProperties: false,
            minProperties: 1,
            patternProperties: { '^[a-z][a-z0-9_]{0,49}$': Type.Union([Type.Number(), ExpectedFields]) },
          },
        ),
      },
      example,
    ),
  };
  checksByProtocol.set(protocol, checks);
  return checks;
}

export type MappingOutcome = { readonly mapping: Mapping } | { readonly faults: readonly Fault[] };

/** Reads a mapping file, which is used completely or not at all: every fault is listed with its line. */
export function readMapping(text: string): MappingOutcome {
  const document = readYaml(text);
  if (!('value' in document)) return { faults: document };
  const faults: Fault[] = [];
  const report = (path: string, message: string): void => {
    faults.push({ line: document.lineOf(path), path, message });
  };
  const value = withoutWriting(document.value, report);
  for (const { path, message } of checkHeader.accepts(value) ? [] : checkHeader.faults(value))
    report(path, message);
  // The other parts are checked as far as their form does not depend on the faults in the header.
  const header = value as Partial<HeaderFields> | null;
  if (isRecord(header) && PROTOCOLS.includes(header.protocol as ProtocolName) && isRecord(header.points)) {
    const mapping = compile(header as HeaderFields, document, report);
    if (faults.length === 0) return { mapping };
  }
  return { faults: inOrder(faults) };
}

type ReportAt = (path: string, message: string) => void;

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Removes fields that would write, and reports them with the reason, because a mapping only reads. */
function withoutWriting(value: unknown, report: ReportAt): unknown {
  const cleaned = (part: unknown, path: string): unknown => {
    if (!isRecord(part)) return part;
    const writing = Object.keys(part).filter((name) => WRITING.includes(name));
    for (const name of writing) {
      if (part[name] !== null)
        report(`${path}/${name}`, 'would write to the device, and a mapping may only read');
    }
    return Object.fromEntries(Object.entries(part).filter(([name]) => !writing.includes(name)));
  };
  const header = cleaned(value, '');
  if (!isRecord(header)) return header;
  const points = isRecord(header['points'])
    ? Object.entries(header['points']).map(([name, point]) => [name, cleaned(point, `/points/${name}`)])
    : null;
  return {
    ...header,
    ...(header['defaults'] === undefined ? {} : { defaults: cleaned(header['defaults'], '/defaults') }),
    ...(points === null ? {} : { points: Object.fromEntries(points) }),
  };
}

function compile(header: HeaderFields, document: YamlDocument, report: ReportAt): Mapping {
  const form = FORMS[header.protocol];
  const checks = checksOf(header.protocol);
  const defaults = checked(header.defaults ?? {}, '/defaults', checks.defaults, report) ?? {};
  const settings = form.settings(defaults, (field, message) => report(`/defaults/${field}`, message));
  const every = typeof defaults['every'] === 'string' ? defaults['every'] : DEFAULT_EVERY;
  const files = new Map<string, PointFields>();
  for (const [name, fields] of Object.entries(header.points)) {
    const point = checked(fields, `/points/${name}`, checks.point, report);
    if (point !== undefined) files.set(name, point as PointFields);
  }
  const reader = new PointReader(form, defaults, every, (header.tables ?? {}) as TableFields, files, report);
  // The points are counted before they are made: a short file could ask for millions of them.
  const wanted = [...files.values()].reduce((sum, { count = 1 }) => sum + count, 0);
  const isTooMany = wanted > POINTS_MAX;
  if (isTooMany) report('/points', `are ${wanted} with all repetitions, more than ${POINTS_MAX}`);
  const points = isTooMany ? [] : [...files.keys()].flatMap((name) => reader.pointsOf(name));
  checkAll(points, report);
  return {
    name: header.mapping,
    version: header.version,
    title: header.title,
    source: [header.source].flat().join('; '),
    evidence: header.evidence,
    protocol: header.protocol,
    profile: header.profile ?? null,
    points,
    settings,
    examples: (Array.isArray(header.examples) ? header.examples : []).flatMap((example, index) => {
      const path = `/examples/${index}`;
      const fields = checked(example, path, checks.example, report);
      // An example is run only if all points are valid, because points with faults are missing here.
      const isWhole = !isTooMany && files.size === Object.keys(header.points).length;
      return fields === undefined || !isWhole
        ? []
        : [exampleOf(fields, path, { form, points, defaults, document, report })];
    }),
  } as Mapping;
}

function checked(
  value: unknown,
  path: string,
  check: Checker<unknown>,
  report: ReportAt,
): Fields | undefined {
  if (check.accepts(value)) return value as Fields;
  for (const fault of check.faults(value)) report(`${path}${fault.path}`, fault.message);
  return undefined;
}

/** Makes the points of a file, one for each repetition. */
class PointReader {
  readonly #form: PlaceForm<unknown, unknown>;
  readonly #defaults: Fields;
  readonly #every: string;
  readonly #tables: TableFields;
  readonly #files: ReadonlyMap<string, PointFields>;
  readonly #report: ReportAt;
  readonly #told = new Set<string>();

  constructor(
    form: PlaceForm<unknown, unknown>,
    defaults: Fields,
    every: string,
    tables: TableFields,
    files: ReadonlyMap<string, PointFields>,
    report: ReportAt,
  ) {
    this.#form = form;
    this.#defaults = defaults;
    this.#every = every;
    this.#tables = tables;
    this.#files = files;
    this.#report = report;
  }

  pointsOf(name: string): Point<unknown>[] {
    const fields = this.#files.get(name);
    if (fields === undefined) return [];
    const { sensor = null, count } = fields;
    this.#checkPoint(name, fields);
    const points: Point<unknown>[] = [];
    for (let index = 0; index < (count ?? 1); index += 1) {
      const number = String((fields.first ?? 1) + index);
      points.push({
        name: count === undefined ? name : `${name}_${number}`,
        sensor: sensor === null ? null : sensor.replaceAll(N, number),
        kind: fields.kind ?? null,
        decimals: fields.decimals ?? null,
        everyMs: durationMs(fields.every ?? this.#every),
        doc: fields.doc === undefined ? null : String(fields.doc),
        // A fault that every repetition has is reported once.
        rules: this.#rulesOf(name, fields, number, index === 0),
        place: this.#form.place(fields, this.#defaults, index, (field, message) => {
          if (index === 0 || field === 'at') this.#fault(name, field, message);
        }),
      });
    }
    return points;
  }

  #fault(name: string, field: string, message: string): void {
    this.#report(`/points/${name}/${field}`, message);
  }

  #checkPoint(name: string, fields: PointFields): void {
    const { sensor, count, first, unit, unit_from, range, bits, table_of } = fields;
    const place = this.#form.place(fields, this.#defaults, 0, () => undefined);
    const convert = this.#convertOf(fields);
    if (durationMs(fields.every ?? this.#every) < EVERY_MS_MIN)
      this.#fault(name, 'every', `must be ${EVERY_MS_MIN}ms at least`);
    if (sensor?.includes(N) !== true && sensor !== undefined && count !== undefined)
      this.#fault(name, 'sensor', `must have ${N}, because the point is repeated`);
    if (sensor?.includes(N) === true && count === undefined)
      this.#fault(name, 'sensor', `has ${N}, but the point has no count`);
    if (first !== undefined && count === undefined) this.#fault(name, 'first', 'is for repeated points only');
    if (sensor !== undefined && unit === undefined && unit_from === undefined)
      this.#fault(name, 'sensor', 'needs the unit in which the device gives the value');
    if (unit !== undefined && unit_from !== undefined)
      this.#fault(name, 'unit_from', 'cannot be given together with unit');
    if (sensor !== undefined && unit_from !== undefined && convert === null)
      this.#fault(name, 'unit_from', 'needs convert, because a sensor has one unit');
    if (unit !== undefined && convert !== null && !isConvertible(unit, convert))
      this.#fault(name, 'unit', `cannot be converted from ${unit} to ${convert}`);
    if (range !== undefined && (range[0] ?? 0) >= (range[1] ?? 0))
      this.#fault(name, 'range', 'must have the smaller number first');
    if (bits !== undefined && !this.#form.isWholeNumber(place))
      this.#fault(name, 'bits', 'are those of a whole number');
    if (sensor !== undefined && this.#form.isText(place) && table_of === undefined)
      this.#fault(name, 'sensor', 'gets numbers, and this point is a text: give it a table_of');
  }

  #convertOf({ convert, sensor }: PointFields): string | null {
    if (convert !== undefined) return convert;
    return sensor !== undefined && Object.hasOwn(CHANNELS, sensor)
      ? CHANNELS[sensor as keyof typeof CHANNELS].unit
      : null;
  }

  #rulesOf(name: string, fields: PointFields, number: string, isFirst: boolean): ValueRules {
    const fault = (field: string, message: string) => {
      if (isFirst) this.#fault(name, field, message);
    };
    const from = <Entry extends number | string>(
      field: 'scale_from' | 'unit_from',
      type: 'number' | 'string',
    ): FromPoint<Entry> | null => {
      const given = fields[field];
      if (given === undefined) return null;
      const point = this.#named(given.point, fields, number, (message) => fault(`${field}/point`, message));
      return { point, table: this.#table<Entry>(given.table, type, (told) => fault(`${field}/table`, told)) };
    };
    const conditions = (field: 'bad_when' | 'valid_when') =>
      (fields[field] ?? []).map((given, index) =>
        this.#condition(given, fields, number, (told) => fault(`${field}/${index}`, told)),
      );
    // These conditions hold for the whole device, such as its model.
    const ofDevice = fields.sensor === undefined ? [] : this.#deviceConditions(fields, number);
    const { table_of, negative_when, none, range } = fields;
    return {
      scale: fields.scale ?? 1,
      offset: fields.offset ?? 0,
      scaleFrom: from<number>('scale_from', 'number'),
      negativeWhen:
        negative_when === undefined
          ? null
          : this.#condition(negative_when, fields, number, (told) => fault('negative_when', told)),
      table:
        table_of === undefined
          ? null
          : this.#table<number>(table_of, 'number', (told) => fault('table_of', told)),
      unit: fields.unit ?? '',
      unitFrom: from<string>('unit_from', 'string'),
      convert: this.#convertOf(fields),
      none: none === undefined ? [] : [none].flat(),
      range: range === undefined ? null : [range[0] ?? 0, range[1] ?? 0],
      badWhen: conditions('bad_when'),
      validWhen: [...ofDevice, ...conditions('valid_when')],
    };
  }

  #deviceConditions(fields: PointFields, number: string): Condition[] {
    const { valid_when: given = [] } = this.#defaults as Pick<PointFields, 'valid_when'>;
    return given.map((one, index) =>
      this.#condition(one, fields, number, (told) => {
        const path = `/defaults/valid_when/${index}`;
        // A fault that every point has is reported once.
        if (!this.#told.has(path)) this.#report(path, told);
        this.#told.add(path);
      }),
    );
  }

  /** Returns the name of another point; of a repeated point, that with the same number. */
  #named(other: string, fields: PointFields, number: string, fault: (message: string) => void): string {
    const target = this.#files.get(other);
    if (target === undefined) fault(`names no point: ${other}`);
    if (target?.count === undefined) return other;
    if (target.count !== fields.count || (target.first ?? 1) !== (fields.first ?? 1))
      fault(`names ${other}, which is repeated, so this point needs the same count and first`);
    return `${other}_${number}`;
  }

  #table<Entry extends number | string>(
    name: string,
    type: 'number' | 'string',
    fault: (message: string) => void,
  ): ReadonlyMap<string, Entry> {
    const table = Object.hasOwn(this.#tables, name) ? this.#tables[name] : undefined;
    const entries = Object.entries(table ?? {});
    if (table === undefined) fault(`names no table: ${name}`);
    const wrong = entries.find(([, entry]) => typeof entry !== type);
    if (wrong !== undefined)
      fault(`needs a table of ${type === 'number' ? 'numbers' : 'units'}, and ${name} has ${wrong[1]}`);
    return new Map(entries as [string, Entry][]);
  }

  #condition(
    given: Static<typeof ConditionField>,
    fields: PointFields,
    number: string,
    fault: (message: string) => void,
  ): Condition {
    if (typeof given !== 'string') {
      return { point: this.#named(given.point, fields, number, fault), is: { values: [given.is].flat() } };
    }
    const [other = '', bitName = ''] = given.split('.');
    const bits = this.#files.get(other)?.bits as Readonly<Record<string, string>> | undefined;
    const bit = Object.entries(bits ?? {}).find(([, one]) => one === bitName)?.[0];
    const point = this.#named(other, fields, number, fault);
    if (bit === undefined && this.#files.has(other)) fault(`names no bit of ${other}: ${bitName}`);
    return { point, is: { bit: Number(bit ?? 0) } };
  }
}

function checkAll(points: readonly Point<unknown>[], report: ReportAt): void {
  for (const [what, key] of [
    ['point', 'name'],
    ['sensor', 'sensor'],
  ] as const) {
    const seen = new Set<string>();
    for (const point of points) {
      const value = point[key];
      if (value === null) continue;
      if (seen.has(value)) report('/points', `have the ${what} ${value} twice`);
      seen.add(value);
    }
  }
  const declared = points.filter(({ sensor }) => sensor !== null && !Object.hasOwn(CHANNELS, sensor));
  if (declared.length > SENSORS_DECLARED_MAX)
    report(
      '/points',
      `have ${declared.length} sensors to declare; a device has ${SENSORS_DECLARED_MAX} at most`,
    );
}

interface ExampleParts {
  readonly form: PlaceForm<unknown, unknown>;
  readonly points: readonly Point<unknown>[];
  readonly defaults: Fields;
  readonly document: YamlDocument;
  readonly report: ReportAt;
}

/** Reads and runs an example: a mapping that does not give the promised result is refused. */
function exampleOf({ gives, note: _, ...given }: Fields, path: string, parts: ExampleParts): Example {
  const { form, points, defaults, document, report } = parts;
  const expected = Object.entries(gives as Readonly<Record<string, number | Expected>>).map(
    ([name, one]) =>
      [name, typeof one === 'number' ? { value: one, quality: 'good' as const } : one] as const,
  );
  const raw = form.rawValues(given, points, defaults);
  const values = new Map(evaluatePoints(points, (name) => raw.get(name)).map((one) => [one.point, one]));
  for (const [name, wanted] of expected) {
    const where = `${path}/gives/${name}`;
    const found = values.get(name);
    if (!points.some((point) => point.name === name)) report(where, 'names no point');
    else if (found === undefined) report(where, 'has no value, because the example lacks what it depends on');
    else for (const told of differences(wanted, found)) report(where, told);
  }
  return { line: document.lineOf(path), given, gives: Object.fromEntries(expected) };
}

/** The relative tolerance of results: a number of 32 bits has seven digits. */
const TOLERANCE = 1e-6;

function differences(wanted: Expected, found: PointValue): string[] {
  const isNear = (one: number, other: number) =>
    Math.abs(one - other) <= TOLERANCE * Math.max(Math.abs(one), Math.abs(other));
  return (['value', 'unit', 'quality', 'reason'] as const).flatMap((field) => {
    const [want, got] = [wanted[field], found[field]];
    const isSame =
      want === undefined ||
      want === got ||
      (typeof want === 'number' && typeof got === 'number' && isNear(want, got));
    return isSame ? [] : [`should have the ${field} ${want}, and has ${got}`];
  });
}
