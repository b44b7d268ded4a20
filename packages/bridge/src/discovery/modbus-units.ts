import { ModbusLine, parseLineAddress } from '../drivers/modbus/line.ts';
import { ReadError } from '../drivers/read-error.ts';

/** A unit of Modbus that has answered. */
export interface FoundUnit {
  readonly unit: number;
  /** The answer to a request for one register; an exception is an answer, too. */
  readonly answer: string;
  readonly roundTripMs: number;
}

const UNIT_MAX = 247;
/** The requests: for one holding register, or for one input register if the device has no holding registers. */
const REQUESTS = [
  { functionCode: 3, at: 0, count: 1 },
  { functionCode: 4, at: 0, count: 1 },
] as const;

/** Returns the units of a list such as `1-10,20`; `null` for a text that is no such list. */
export function parseUnits(text: string): number[] | null {
  const units = text.split(',').flatMap((part) => {
    const [, first, last = first] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(part.trim()) ?? [];
    const [from, to] = [Number(first), Number(last)];
    if (first === undefined || from > to || to > UNIT_MAX) return [Number.NaN];
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
  return units.some(Number.isNaN) ? null : [...new Set(units)];
}

/** Asks one unit after the other for a register; nothing is written. Throws if the line itself cannot be used. */
export async function* modbusUnits(
  endpoint: string,
  units: readonly number[],
  timeoutMs: number,
): AsyncGenerator<{ readonly unit: number; readonly found: FoundUnit | null }> {
  const line = new ModbusLine(parseLineAddress(endpoint), { pauseAfterConnectMs: 0 });
  try {
    for (const unit of units) yield { unit, found: await ask(line, unit, timeoutMs) };
  } finally {
    line.close();
  }
}

async function ask(line: ModbusLine, unit: number, timeoutMs: number): Promise<FoundUnit | null> {
  let refusal: FoundUnit | null = null;
  for (const request of REQUESTS) {
    const startedMs = performance.now();
    const answered = (answer: string): FoundUnit => ({
      unit,
      answer,
      roundTripMs: performance.now() - startedMs,
    });
    try {
      const data = await line.ask(unit, request, timeoutMs);
      const kind = request.functionCode === 3 ? 'holding' : 'input';
      return answered(`${kind} register 0 is ${data.toString('hex')}`);
    } catch (error) {
      if (!(error instanceof ReadError) || error.isConnection) throw error;
      if (error.code === 'timeout') return refusal;
      refusal ??= answered(error.message);
    }
  }
  return refusal;
}
