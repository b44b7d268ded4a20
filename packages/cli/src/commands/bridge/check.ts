import { readFile } from 'node:fs/promises';
import { type CheckedFile, checkFile, seconds } from '@granary/bridge/check';
import { DEFAULT_BAUD, TYPICAL_ROUND_TRIP_MS } from '@granary/bridge/mapping/read-plan';
import type { Define } from '../../program/environment.ts';
import { CommandFailure, EXIT, UsageError } from '../../program/explain.ts';
import { given, positiveNumber, withExamples, withJson } from '../../program/options.ts';
import { outputOf } from '../../terminal/output.ts';

interface Values {
  readonly baud?: number;
  readonly roundTrip: number;
  readonly json?: boolean;
}

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
    const { baud, roundTrip: roundTripMs } = values;
    const speed = { roundTripMs, ...given({ baud }) };
    const checked = await Promise.all(
      files.map(async (file) => await checkFile(file, await textOfFile(file), speed)),
    );
    const output = outputOf(environment, values.json);
    output.one(checked, () => checked.map((file) => checkedText(file, baud ?? DEFAULT_BAUD)).join('\n\n'));
    const wrong = checked.filter(({ faults }) => faults.length > 0);
    if (wrong.length > 0)
      throw new CommandFailure(`${wrong.map(({ file }) => file).join(', ')} cannot be used`, {
        exitCode: EXIT.failed,
        cure: 'Nothing of a mapping with a fault is used; `docs/mappings.md` explains every field.',
      });
  });
};

const textOfFile = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((cause: unknown) => {
    throw new UsageError(`${file} cannot be read`, { cause });
  });

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

function checkedText(
  { file, devices, mapping, version, evidence, points, sensors, examples, faults, plan }: CheckedFile,
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
