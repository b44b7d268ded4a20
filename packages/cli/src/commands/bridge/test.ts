import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AttachedDevice, Sample } from '@granary/bridge/drivers/driver';
import { deviceFaults, driverNameOf, schemesOf } from '@granary/bridge/drivers/drivers';
import { ModbusLine, parseLineAddress } from '@granary/bridge/drivers/modbus/line';
import { valuesInOrders } from '@granary/bridge/drivers/modbus/modbus';
import { answererOf, readRecording, recordDevice } from '@granary/bridge/drivers/modbus/recording';
import { type ReadableRange, scanRegisters } from '@granary/bridge/drivers/modbus/scan';
import { modbusServer } from '@granary/bridge/drivers/modbus/server';
import { ReadError } from '@granary/bridge/drivers/read-error';
import { readOnce } from '@granary/bridge/drivers/read-once';
import { LIBRARY, libraryNames, loadMapping } from '@granary/bridge/mapping/library';
import type { Mapping } from '@granary/bridge/mapping/mapping';
import { ORDERS } from '@granary/bridge/mapping/modbus-place';
import type { PointValue } from '@granary/bridge/mapping/value';
import { faultLine } from '@granary/bridge/mapping/yaml-document';
import { readSite } from '@granary/bridge/site/site-file';
import { SECOND_MS } from '@granary/contract/time';
import type { Command } from 'commander';
import type { Define, Environment } from '../../program/environment.ts';
import { CommandFailure, EXIT, UsageError } from '../../program/explain.ts';
import { choice, positiveNumber, wholeNumber, withExamples, withJson } from '../../program/options.ts';
import { durationMs } from '../../program/times.ts';
import { runUntilSignal } from '../../running/until-signal.ts';
import { type Output, outputOf } from '../../terminal/output.ts';
import type { Column } from '../../terminal/table.ts';
import type { Tone } from '../../terminal/text.ts';

/** The address and the model of a device. */
interface Place {
  readonly site?: string;
  readonly mapping?: string;
  readonly unit?: number;
  readonly json?: boolean;
}

interface TestValues extends Place {
  readonly orders?: boolean;
  readonly scan?: string;
  readonly table: 'holding' | 'input';
  readonly watch?: boolean;
  readonly wait: number;
}

const WAIT_S = 15;
const WATCH_MS = 2_000;

const withPlace = (command: Command): Command =>
  withJson(
    command
      .argument(
        '<device>',
        'an endpoint such as tcp://10.0.4.20:502, rtu+tcp://host:port or serial:///dev/ttyUSB0?baud=9600, or the id of a device of --site',
      )
      .option('--site <file>', 'the site file that has the device')
      .option('--mapping <name>', 'a mapping of the library by its name, or a file')
      .option('--unit <number>', 'the unit behind the endpoint (1)', wholeNumber),
  );

export const test: Define = (command, environment) => {
  withPlace(command)
    .description(
      'Reads a device now and shows every point: raw, value, unit, quality and round trip. Nothing is stored and nothing is written to the device.',
    )
    .option('--orders', 'show the values in all four byte orders')
    .option('--scan <range>', 'find the registers that can be read, such as 0-200; needs no mapping')
    .addOption(choice('--table <table>', 'where to scan', ['holding', 'input']).default('holding'))
    .option('--watch', 'read again every two seconds until Ctrl+C')
    .option('--wait <seconds>', 'for a device that speaks by itself', positiveNumber, WAIT_S)
    .action(async (endpoint: string, values: TestValues) => {
      const output = outputOf(environment, values.json);
      if (values.scan !== undefined) return await scan(endpoint, values, values.scan, environment, output);
      const device = await deviceAt(endpoint, values);
      do {
        const sample = await sampleOf(device, values.wait);
        show(sample, device.mapping, values.orders === true, output);
        if (values.watch === true) await sleep(WATCH_MS);
      } while (values.watch === true);
    });
  withExamples(
    command,
    'granary bridge test tcp://10.0.4.20:502 --mapping my-scale.yaml --unit 3',
    'granary bridge test tcp://10.0.4.20:502 --mapping my-scale.yaml --orders',
    'granary bridge test tcp://10.0.4.20:502 --scan 0-200',
    'granary bridge test silo-7 --site site.yaml',
  );
};

async function deviceAt(endpoint: string, { mapping: name, unit, site }: Place): Promise<AttachedDevice> {
  if (site !== undefined) return await deviceOfSite(endpoint, site);
  if (name === undefined)
    throw new UsageError('--mapping is missing', {
      cure: `Name a file, or one of the library: ${(await libraryNames()).join(', ')}.`,
    });
  return { id: 'device', mapping: await mappingOf(name), endpoint, unit: unit ?? null, options: {} };
}

async function deviceOfSite(id: string, file: string): Promise<AttachedDevice> {
  const { site, faults } = await readSite(file, deviceFaults);
  if (site === null)
    throw new CommandFailure(`the site file ${file} cannot be used`, {
      exitCode: EXIT.failed,
      cure: faults.map((fault) => faultLine(fault.file, fault)).join('\n  '),
    });
  const found = site.devices.find(({ attached }) => attached.id === id);
  if (found === undefined)
    throw new UsageError(`the site file ${file} has no device ${id}`, {
      cure: `It has ${site.devices.map(({ attached }) => attached.id).join(', ') || 'none'}.`,
    });
  return found.attached;
}

async function mappingOf(name: string): Promise<Mapping> {
  try {
    return await loadMapping(name);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')
      throw new UsageError(`there is no mapping ${name}`, {
        cause,
        cure: `Give a file, or one of the library in ${LIBRARY}: ${(await libraryNames()).join(', ')}.`,
      });
    throw cause;
  }
}

const CURES: Readonly<Record<string, string>> = {
  timeout:
    'Is the unit number right, and is the device switched on? `granary bridge discover <endpoint>` lists the units that answer.',
  connection_refused:
    'Is the address right, and does the device accept another client? Many accept only one.',
  not_resolved: 'The name of the host is unknown on this machine: use its IP address.',
  wrong_unit:
    'The gateway answered for another unit: it may answer late, so give the mapping a longer timeout.',
  exception:
    'The device refuses these registers. A manual that counts from 40001 has 40008 for `at: 7`; `--scan 0-200` finds those that can be read.',
  malformed:
    'The answer is not the one that was asked for: is it rtu+tcp:// instead of tcp://, or another baud rate?',
};

function deviceFailure(code: string, detail: string): CommandFailure {
  const cure = CURES[code];
  return new CommandFailure(`the device cannot be read: ${detail} (${code})`, {
    exitCode: EXIT.notReachable,
    ...(cure === undefined ? {} : { cure }),
  });
}

const asFailure = (error: unknown): Error => {
  if (error instanceof ReadError) return deviceFailure(error.code, error.message);
  return error instanceof Error ? error : new Error(String(error));
};

async function sampleOf(device: AttachedDevice, waitS: number): Promise<Sample> {
  const { protocol } = device.mapping;
  const name = driverNameOf(protocol, device.endpoint);
  if (name === null)
    throw new UsageError(`a device of ${protocol} is not reached at ${device.endpoint}`, {
      cure: `Use ${schemesOf(protocol).join(', ')}.`,
    });
  try {
    return await readOnce(name, device, waitS * SECOND_MS);
  } catch (error) {
    throw asFailure(error);
  }
}

interface Row extends PointValue {
  readonly age_ms: number;
  readonly round_trip_ms: number | null;
  readonly orders?: Readonly<Record<string, number | string | null>>;
}

const number = (value: number | string | null | undefined): string =>
  typeof value === 'number' ? String(Number(value.toPrecision(9))) : (value ?? '-');

const QUALITY_TONES: Readonly<Record<string, Tone>> = { good: 'good', bad: 'bad' };

const COLUMNS: readonly Column<Row>[] = [
  { title: 'POINT', text: ({ point }) => point },
  { title: 'SENSOR', text: ({ sensor }) => sensor ?? '-' },
  { title: 'RAW', text: ({ raw }) => raw },
  { title: 'VALUE', text: ({ value }) => number(value) },
  { title: 'UNIT', text: ({ unit }) => unit },
  {
    title: 'QUALITY',
    text: ({ quality, reason }) => (reason === null ? quality : `${quality}: ${reason.replaceAll('_', ' ')}`),
    tone: ({ quality }) => QUALITY_TONES[quality],
  },
];

function show(sample: Sample, mapping: Mapping, hasOrders: boolean, output: Output): void {
  const age_ms = Math.max(0, Date.now() - sample.atMs);
  const orders =
    hasOrders && mapping.protocol === 'modbus' ? valuesInOrders(mapping.points, sample.values) : null;
  const rows = sample.values.map((value): Row => {
    const own = orders?.get(value.point);
    return {
      ...value,
      age_ms,
      round_trip_ms: sample.roundTripMs,
      ...(own === undefined ? {} : { orders: own }),
    };
  });
  const orderColumns =
    orders === null
      ? []
      : ORDERS.map((order) => ({ title: order, text: (row: Row) => number(row.orders?.[order]) }));
  output.list([...COLUMNS, ...orderColumns], rows, 'The device has said nothing about its points.');
  const trip =
    sample.roundTripMs === null ? '' : `, round trip ${Math.round(sample.roundTripMs * 10) / 10} ms`;
  output.note(`${rows.length} of ${mapping.points.length} points, ${age_ms} ms old${trip}.`);
}

const SCAN_TIMEOUT_MS = 1_000;
const SCAN_FUNCTIONS = { holding: 3, input: 4 } as const;
const WORDS_IN_ROW = 8;

const SCAN_COLUMNS: readonly Column<ReadableRange>[] = [
  { title: 'ADDRESSES', text: ({ first, last }) => (first === last ? `${first}` : `${first}-${last}`) },
  {
    title: 'WORDS',
    text: ({ words }) =>
      words.length > WORDS_IN_ROW
        ? '0000 …'
        : words.map((word) => word.toString(16).padStart(4, '0')).join(' '),
  },
];

/** Divides a range into rows of some words, so that each word can be found by its address; consecutive rows of zeros are one row. */
function rowsOf({ first, words }: ReadableRange): ReadableRange[] {
  const rows: { first: number; last: number; words: number[] }[] = [];
  for (let at = 0; at < words.length; at += WORDS_IN_ROW) {
    const own = words.slice(at, at + WORDS_IN_ROW);
    const before = rows.at(-1);
    const last = first + at + own.length - 1;
    const isZero = (row: readonly number[]) => row.every((word) => word === 0);
    if (before !== undefined && isZero(before.words) && isZero(own)) {
      before.last = last;
      before.words.push(...own);
    } else rows.push({ first: first + at, last, words: own });
  }
  return rows;
}

async function scan(
  endpoint: string,
  values: TestValues,
  range: string,
  { showProgress }: Environment,
  output: Output,
): Promise<void> {
  const [, first = '', last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(range) ?? [];
  if (first === '' || Number(last) < Number(first) || Number(last) > 65_535)
    throw new UsageError(`--scan needs two addresses such as 0-200, not "${range}"`);
  const line = new ModbusLine(parseLineAddress(endpoint), { pauseAfterConnectMs: 0 });
  try {
    const ranges = await scanRegisters(
      (request) => line.ask(values.unit ?? 1, request, SCAN_TIMEOUT_MS),
      SCAN_FUNCTIONS[values.table],
      [Number(first), Number(last)],
      SCAN_REGISTERS_MAX,
      (address) => showProgress?.(`looking at ${address}`),
    );
    const rows = values.json === true ? ranges : ranges.flatMap(rowsOf);
    output.list(SCAN_COLUMNS, rows, `None of the registers ${first}-${last} can be read.`);
  } catch (error) {
    throw asFailure(error);
  } finally {
    line.close();
  }
}

/** The number of registers in one read. A device that allows fewer refuses, and the block is divided. */
const SCAN_REGISTERS_MAX = 32;

interface RecordValues extends Place {
  readonly output: string;
  readonly for: number;
}

const RECORD_S = 10;

export const record: Define = (command, environment) => {
  withPlace(command)
    .description(
      'Reads a Modbus device for some time and writes everything that it answers into a file, for granary bridge replay and for examples of a mapping.',
    )
    .requiredOption('-o, --output <file>', 'where to write it, one JSON object in each line')
    .option('--for <duration>', 'how long, such as 30s', durationMs, RECORD_S * 1_000)
    .action(async (endpoint: string, values: RecordValues) => {
      const device = await deviceAt(endpoint, values);
      const { protocol } = device.mapping;
      if (protocol !== 'modbus')
        throw new UsageError(`granary bridge record is for Modbus, and the mapping is one of ${protocol}`);
      const stream = createWriteStream(values.output);
      await once(stream, 'open');
      let count = 0;
      await recordDevice(device, values.for, (line) => {
        count += 1;
        stream.write(`${line}\n`);
        environment.showProgress?.(`${count} requests`);
      });
      stream.end();
      await once(stream, 'close');
      outputOf(environment, values.json).one(
        { file: values.output, requests: count },
        () => `${values.output} has ${count} requests with their answers.`,
      );
    });
  withExamples(
    command,
    'granary bridge record tcp://10.0.4.20:502 --mapping my-scale.yaml --for 30s -o scale.jsonl',
  );
};

interface ReplayValues extends Place {
  readonly port?: number;
  readonly orders?: boolean;
}

export const replay: Define = (command, environment) => {
  withJson(command)
    .description(
      'Decodes a recording with a mapping, without the device; with --port it is a Modbus TCP device that answers as recorded, until Ctrl+C.',
    )
    .argument('<file>', 'of granary bridge record')
    .option('--mapping <name>', 'a mapping of the library by its name, or a file')
    .option('--unit <number>', 'the unit that was recorded (that of the first line)', wholeNumber)
    .option('--port <number>', 'answer at this port of 127.0.0.1 (0 for any)', wholeNumber)
    .option('--orders', 'show the values in all four byte orders')
    .action(async (file: string, values: ReplayValues) => {
      const text = await readFile(file, 'utf8').catch((cause: unknown) => {
        throw new UsageError(`${file} cannot be read`, { cause });
      });
      const recording = readRecording(text);
      const output = outputOf(environment, values.json);
      const server = modbusServer(answererOf(recording)).listen(values.port ?? 0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      if (values.port !== undefined) {
        output.item(
          { port, requests: recording.length },
          () => `Answering at tcp://127.0.0.1:${port} as recorded; Ctrl+C ends it.`,
        );
        await runUntilSignal((onStop) => {
          onStop(() => Promise.resolve(void server.close()));
          return Promise.resolve();
        });
        return;
      }
      try {
        const unit = values.unit ?? recording[0]?.unit ?? 1;
        const device = await deviceAt(`tcp://127.0.0.1:${port}`, { ...values, unit });
        show(await sampleOf(device, WAIT_S), device.mapping, values.orders === true, output);
      } finally {
        server.close();
      }
    });
  withExamples(
    command,
    'granary bridge replay scale.jsonl --mapping my-scale.yaml',
    'granary bridge replay scale.jsonl --port 5020',
  );
};
