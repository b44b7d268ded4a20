import { isConvertible } from '@granary/common/units';
import { SENSORS_DECLARED_MAX } from '@granary/contract/devices/sensors';
import { CHANNELS } from '@granary/contract/telemetry/channels';
import { durationMs } from './duration.ts';
import type { ConditionField, PointFields, ReportAt, TableFields } from './file-form.ts';
import type { Point } from './mapping.ts';
import type { Fields, PlaceForm } from './place-form.ts';
import type { Condition, FromPoint, ValueRules } from './value.ts';

const EVERY_MS_MIN = 100;
const N = '{n}';

/** Makes the points of a file, one for each repetition. */
export class PointReader {
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
    given: ConditionField,
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

/** Reports names and sensors that two points have, and too many sensors to declare. */
export function checkAll(points: readonly Point<unknown>[], report: ReportAt): void {
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
