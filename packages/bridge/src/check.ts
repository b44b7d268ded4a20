import { deviceFaults } from './drivers/drivers.ts';
import { endpointFaults } from './drivers/modbus/device-faults.ts';
import type { ModbusMapping } from './mapping/mapping.ts';
import { readMapping } from './mapping/read-mapping.ts';
import {
  DEFAULT_BAUD,
  groupMs,
  type Line,
  lineLoad,
  type PlannedRead,
  planReads,
  type ReadGroup,
} from './mapping/read-plan.ts';
import { faultLine } from './mapping/yaml-document.ts';
import { readSite } from './site/site-file.ts';

/** The results of the check of one file. */
export interface CheckedFile {
  /** The number of devices in a site file; `null` for a mapping. */
  readonly devices: number | null;
  readonly file: string;
  readonly mapping: string | null;
  readonly version: number | null;
  readonly evidence: string | null;
  readonly points: number;
  readonly sensors: number;
  readonly examples: number;
  readonly faults: readonly string[];
  readonly plan: readonly PlannedGroup[];
}

const NOTHING: Omit<CheckedFile, 'file'> = {
  devices: null,
  mapping: null,
  version: null,
  evidence: null,
  points: 0,
  sensors: 0,
  examples: 0,
  faults: [],
  plan: [],
};

interface PlannedGroup {
  readonly every_ms: number;
  readonly requests: number;
  readonly registers: number;
  readonly tcp_ms: number;
  readonly serial_ms: number;
  readonly reads: readonly string[];
}

interface LineSpeed {
  /** The speed of a serial line; without it periods are checked for TCP. */
  readonly baud?: number;
  /** The time of a request over TCP in milliseconds. */
  readonly roundTripMs: number;
}

export const seconds = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`;

/** Checks a mapping or a site file: its faults, its examples, and whether its values can be read in time. */
export async function checkFile(
  file: string,
  text: string,
  { baud, roundTripMs }: LineSpeed,
): Promise<CheckedFile> {
  if (/^(bridge|devices):/m.test(text)) return await checkSite(file);
  const outcome = readMapping(text);
  if ('faults' in outcome) {
    const faults = outcome.faults.map((fault) => faultLine(file, fault));
    return { ...NOTHING, file, faults };
  }
  const { mapping } = outcome;
  const groups = mapping.protocol === 'modbus' ? planReads(mapping) : [];
  const line: Line = baud === undefined ? { roundTripMs } : { baud };
  return {
    file,
    devices: null,
    mapping: mapping.name,
    version: mapping.version,
    evidence: mapping.evidence,
    points: mapping.points.length,
    sensors: mapping.points.filter(({ sensor }) => sensor !== null).length,
    examples: mapping.examples.length,
    faults: mapping.protocol === 'modbus' ? periodFaults(file, mapping, groups, line) : [],
    plan:
      mapping.protocol === 'modbus'
        ? groups.map((group) => plannedGroup(group, mapping, roundTripMs, baud ?? DEFAULT_BAUD))
        : [],
  };
}

/** Checks a site file with its mappings, and whether the devices of each endpoint can be read in time. */
async function checkSite(file: string): Promise<CheckedFile> {
  const { site, faults } = await readSite(file, deviceFaults);
  const devices = (site?.devices ?? []).map(({ attached }) => attached);
  const modbus = Map.groupBy(
    devices.filter(({ mapping }) => mapping.protocol === 'modbus'),
    ({ endpoint }) => endpoint,
  );
  const late = [...modbus].flatMap(([endpoint, here]) => endpointFaults(endpoint, here));
  return {
    ...NOTHING,
    file,
    devices: devices.length,
    faults: [
      ...faults.map((fault) => faultLine(fault.file, fault)),
      ...late.map((told) => `${file} ${told}`),
    ],
  };
}

function periodFaults(
  file: string,
  mapping: ModbusMapping,
  groups: readonly ReadGroup[],
  line: Line,
): string[] {
  const where = 'baud' in line ? `at ${line.baud} baud` : `with a round trip of ${line.roundTripMs} ms`;
  const single = groups
    .filter((group) => groupMs(group, line, mapping.settings) > group.everyMs)
    .map(
      (group) =>
        `${file} the points of every ${seconds(group.everyMs)} need ${group.reads.length} requests and ${seconds(groupMs(group, line, mapping.settings))} ${where}: give them a longer period`,
    );
  const load = lineLoad(groups, line, mapping.settings);
  return single.length > 0 || load <= 1
    ? single
    : [
        `${file} all points together keep the line busy for ${Math.round(load * 100)} % of the time ${where}: give some a longer period`,
      ];
}

const plannedGroup = (
  group: ReadGroup,
  mapping: ModbusMapping,
  roundTripMs: number,
  baud: number,
): PlannedGroup => ({
  every_ms: group.everyMs,
  requests: group.reads.length,
  registers: group.reads.reduce((sum, { count }) => sum + count, 0),
  tcp_ms: Math.round(groupMs(group, { roundTripMs }, mapping.settings)),
  serial_ms: Math.round(groupMs(group, { baud }, mapping.settings)),
  reads: group.reads.map(readText),
});

const NAMES_MAX = 6;

function readText({ table, functionCode, at, count, points }: PlannedRead): string {
  const names = points.map(({ name }) => name);
  const more = names.length > NAMES_MAX ? `, … ${names.length} points` : '';
  return `${table} ${at}-${at + count - 1} (function ${functionCode}, ${count}): ${names.slice(0, NAMES_MAX).join(', ')}${more}`;
}
