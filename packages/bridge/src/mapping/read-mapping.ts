import type { Checker } from '@granary/contract/input/schema';
import {
  checkHeader,
  checksOf,
  FORMS,
  type HeaderFields,
  type PointFields,
  PROTOCOLS,
  type ReportAt,
  type TableFields,
} from './file-form.ts';
import type { Mapping, ProtocolName } from './mapping.ts';
import type { Fields } from './place-form.ts';
import { checkAll, PointReader } from './read-points.ts';
import { runExample } from './run-example.ts';
import { type Fault, inOrder, readYaml, type YamlDocument } from './yaml-document.ts';

const POINTS_MAX = 2_000;
const DEFAULT_EVERY = '10s';
/** The names of fields that would write to the device. */
const WRITING = ['trigger', 'select', 'write', 'control'];

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
        : [runExample(fields, path, { form, points, defaults, document, report })];
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
