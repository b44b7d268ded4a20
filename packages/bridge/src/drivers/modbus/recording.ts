import { setTimeout as sleep } from 'node:timers/promises';
import type { AttachedDevice } from '../driver.ts';
import { ReadError } from '../read-error.ts';
import { EXCEPTION_NUMBER } from './frame.ts';
import type { Exchange } from './line.ts';
import { readDevice } from './modbus.ts';
import type { Answerer } from './server.ts';

/** One line of a recording: a request to a device, and the answer. */
interface Recorded {
  readonly at: string;
  readonly unit: number;
  readonly function: number;
  readonly address: number;
  readonly count: number;
  /** The data in hexadecimal. */
  readonly data?: string;
  readonly failure?: string;
  readonly detail?: string;
}

const LINES_MAX = 1_000_000;

/** Reads a Modbus device repeatedly for some time; each request with its answer, including a failed one, is a line. */
export async function recordDevice(
  device: AttachedDevice,
  forMs: number,
  write: (line: string) => void,
): Promise<void> {
  const { mapping } = device;
  const everyMs =
    mapping.protocol === 'modbus' ? Math.min(...mapping.points.map((point) => point.everyMs)) : 0;
  const tap = (exchange: Exchange): void => write(recordedLine(exchange, Date.now()));
  const endsAtMs = performance.now() + forMs;
  do {
    await readDevice(device, { now: Date.now }, { tap }).catch((error: unknown) => {
      if (!(error instanceof ReadError)) throw error;
    });
    await sleep(Math.min(everyMs, Math.max(0, endsAtMs - performance.now())));
  } while (performance.now() < endsAtMs);
}

function recordedLine({ unit, request, outcome }: Exchange, atMs: number): string {
  const { functionCode, at: address, count } = request;
  const recorded: Recorded = {
    at: new Date(atMs).toISOString(),
    unit,
    function: functionCode,
    address,
    count,
    ...('data' in outcome
      ? { data: outcome.data.toString('hex') }
      : { failure: outcome.failure.code, detail: outcome.failure.message }),
  };
  return JSON.stringify(recorded);
}

/** Parses a recording; throws an error that names the line. */
export function readRecording(text: string): Recorded[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length > LINES_MAX) throw new Error(`the recording has more than ${LINES_MAX} lines`);
  return lines.map((line, index) => {
    const fault = (cause?: unknown) =>
      new Error(`line ${index + 1} of the recording is not one of granary bridge record`, { cause });
    let value: Partial<Recorded> | null;
    try {
      value = JSON.parse(line) as Partial<Recorded> | null;
    } catch (cause) {
      throw fault(cause);
    }
    const numbers = [value?.unit, value?.function, value?.address, value?.count];
    const isData = typeof value?.data === 'string' && /^([0-9a-f]{2})+$/.test(value.data);
    if (!numbers.every(Number.isInteger) || (!isData && typeof value?.failure !== 'string')) throw fault();
    return value as Recorded;
  });
}

/**
 * Answers like the recorded device: the same request gets its recorded answers one after the other, and then always the last
 * one; another request is answered from the recorded registers.
 */
export function answererOf(recording: readonly Recorded[]): Answerer {
  const sequences = Map.groupBy(recording, keyOf);
  const positions = new Map<string, number>();
  const registers = new Map<string, number>();
  for (const { unit, function: code, address, count, data } of recording) {
    if (data === undefined || code <= 2) continue;
    const bytes = Buffer.from(data, 'hex');
    for (let index = 0; index < count && 2 * index + 1 < bytes.length; index += 1)
      registers.set(`${unit}/${code}/${address + index}`, bytes.readUInt16BE(2 * index));
  }
  return (unit, { functionCode, at, count }) => {
    const key = keyOf({ unit, function: functionCode, address: at, count });
    const sequence = sequences.get(key);
    if (sequence !== undefined) {
      const position = positions.get(key) ?? 0;
      positions.set(key, position + 1);
      return answerOf(sequence[Math.min(position, sequence.length - 1)]);
    }
    const words = Array.from({ length: count }, (_, index) =>
      registers.get(`${unit}/${functionCode}/${at + index}`),
    );
    const known = words.filter((word) => word !== undefined);
    if (known.length < words.length) return ILLEGAL_ADDRESS;
    const data = Buffer.alloc(2 * count);
    for (const [index, word] of known.entries()) data.writeUInt16BE(word, 2 * index);
    return data;
  };
}

const ILLEGAL_ADDRESS = 2;

const keyOf = ({
  unit,
  function: code,
  address,
  count,
}: Pick<Recorded, 'unit' | 'function' | 'address' | 'count'>): string =>
  `${unit}/${code}/${address}/${count}`;

function answerOf(recorded: Recorded | undefined): Buffer | number | null {
  if (recorded?.data !== undefined) return Buffer.from(recorded.data, 'hex');
  const [, number] = EXCEPTION_NUMBER.exec(recorded?.detail ?? '') ?? [];
  return number === undefined ? null : Number(number);
}
