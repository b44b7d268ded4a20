import { readFile } from 'node:fs/promises';
import { deviceFaults } from '@granary/bridge/bridge';
import { endpointFaults } from '@granary/bridge/drivers/modbus/device-faults';
import type { ModbusMapping } from '@granary/bridge/mapping/mapping';
import { readMapping } from '@granary/bridge/mapping/read-mapping';
import {
  DEFAULT_BAUD,
  groupMs,
  type Line,
  lineLoad,
  type PlannedRead,
  planReads,
  type ReadGroup,
  TYPICAL_ROUND_TRIP_MS,
} from '@granary/bridge/mapping/read-plan';
import { faultLine } from '@granary/bridge/mapping/yaml-document';
import { readSite } from '@granary/bridge/site/site-file';
import type { Define } from '../../program/environment.ts';
import { CommandFailure, EXIT, UsageError } from '../../program/explain.ts';
import { positiveNumber, withExamples, withJson } from '../../program/options.ts';
import { outputOf } from '../../terminal/output.ts';

interface Values {
  readonly baud?: number;
  readonly roundTrip: number;
  readonly json?: boolean;
}

/** What `granary bridge check` finds about one file. */
interface Checked {
  /** Of a site file; a mapping has none. */
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

const NOTHING: Omit<Checked, 'file'> = {
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

const seconds = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`;

export const check: Define = (command, environment) => {
  command
    .description(
      'Checks mappings: every fault with its line, the examples, the requests that read the points, and the time that they take. A period that cannot be met is refused.',
    )
    .argument('<file...>', 'mappings or site files, in YAML')
    .option('--baud <speed>', 'refuse what a serial line of this speed cannot read in time', positiveNumber)
    .option('--round-trip <ms>', 'of a request over TCP', positiveNumber, TYPICAL_ROUND_TRIP_MS);
  withExamples(
    command,
    'granary bridge check my-scale.yaml',
    'granary bridge check my-scale.yaml --baud 9600',
  );
  withJson(command).action(async (files: readonly string[], values: Values) => {
    const checked = await Promise.all(files.map((file) => checkFile(file, values)));
    const output = outputOf(environment, values.json);
    output.one(checked, () => checked.map((one) => textOf(one, values.baud ?? DEFAULT_BAUD)).join('\n\n'));
    const wrong = checked.filter(({ faults }) => faults.length > 0);
    if (wrong.length > 0)
      throw new CommandFailure(`${wrong.map(({ file }) => file).join(', ')} cannot be used`, {
        exitCode: EXIT.failed,
        cure: 'Nothing of a mapping with a fault is used; `docs/mappings.md` explains every field.',
      });
  });
};

async function checkFile(file: string, { baud, roundTrip }: Values): Promise<Checked> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new UsageError(`${file} cannot be read`, { cause });
  });
  if (/^(bridge|devices):/m.test(text)) return await checkSite(file);
  const outcome = readMapping(text);
  if ('faults' in outcome) {
    const faults = outcome.faults.map((fault) => faultLine(file, fault));
    return { ...NOTHING, file, faults };
  }
  const { mapping } = outcome;
  const groups = mapping.protocol === 'modbus' ? planReads(mapping) : [];
  const line: Line = baud === undefined ? { roundTripMs: roundTrip } : { baud };
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
        ? groups.map((group) => plannedGroup(group, mapping, roundTrip, baud ?? DEFAULT_BAUD))
        : [],
  };
}

/** A site file with its mappings, and whether each endpoint can read its devices in time. */
async function checkSite(file: string): Promise<Checked> {
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

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

const NAMES_MAX = 6;

function readText({ table, functionCode, at, count, points }: PlannedRead): string {
  const names = points.map(({ name }) => name);
  const more = names.length > NAMES_MAX ? `, … ${names.length} points` : '';
  return `${table} ${at}-${at + count - 1} (function ${functionCode}, ${count}): ${names.slice(0, NAMES_MAX).join(', ')}${more}`;
}

function textOf(
  { file, devices, mapping, version, evidence, points, sensors, examples, faults, plan }: Checked,
  baud: number,
): string {
  if (faults.length === 0 && devices !== null) return `${file}: ${devices} devices, each can be read in time`;
  if (mapping === null) return faults.join('\n');
  const requests = plan.reduce((sum, group) => sum + group.requests, 0);
  const registers = plan.reduce((sum, group) => sum + group.registers, 0);
  return [
    `${file}: ${mapping} ${version}, ${evidence}; ${points} points, ${sensors} sensors, ${examples} examples as expected`,
    ...(plan.length === 0 ? [] : [`${counted(requests, 'request')} for ${counted(registers, 'register')}:`]),
    ...plan.flatMap((group) => [
      `  every ${seconds(group.every_ms)}: ${counted(group.requests, 'request')}, ${seconds(group.tcp_ms)} over TCP, ${seconds(group.serial_ms)} at ${baud} baud`,
      ...group.reads.map((read) => `    ${read}`),
    ]),
    ...faults,
  ].join('\n');
}
