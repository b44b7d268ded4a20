import { CHANNELS } from '@granary/contract/telemetry/channels';
import type { Sample } from '../drivers/driver.ts';

/** The service stores no larger number for any sensor; a larger number is no measurement. */
const VALUE_MAX = 1e9;

/** A reading in the form in which it waits and is sent; `body` is a JSON object without the time. */
export interface Reading {
  readonly deviceId: string;
  readonly atMs: number;
  /**
   * How far the time of the reading was ahead of the boot clock, which is never set. It is `null` if the service has confirmed
   * the time, or if the device reported it.
   */
  readonly clockMs: number | null;
  readonly body: string;
}

/** Smaller differences between clocks are caused by the transmission. */
export const DIFFERENCE_MS_MAX = 2_000;

/** Returns the reading with the corrected time, if it is known how far the service is ahead of the boot clock. */
export function settled(reading: Reading, aheadMs: number | null): Reading {
  const { atMs, clockMs } = reading;
  if (clockMs === null || aheadMs === null) return reading;
  const byMs = Math.abs(aheadMs - clockMs) > DIFFERENCE_MS_MAX ? aheadMs - clockMs : 0;
  return { ...reading, atMs: Math.round(atMs + byMs), clockMs: null };
}

interface Body {
  [channel: string]: number | Record<string, number> | string[];
}

/** Returns the reading of a sample; `null` for a sample without any number: then nothing is sent, and the values become stale. */
export function readingOf(
  { deviceId, atMs, hasOwnTime, values }: Sample,
  clockMs: number | null,
): Reading | null {
  const body: Body = {};
  const declared: Record<string, number> = {};
  const bad: string[] = [];
  for (const { sensor, value, quality } of values) {
    if (sensor === null || value === null || !(Math.abs(value) <= VALUE_MAX)) continue;
    if (Object.hasOwn(CHANNELS, sensor)) body[sensor] = value;
    else declared[sensor] = value;
    if (quality === 'bad') bad.push(sensor);
  }
  const hasDeclared = Object.keys(declared).length > 0;
  if (!hasDeclared && Object.keys(body).length === 0) return null;
  if (hasDeclared) body['sensors'] = declared;
  if (bad.length > 0) body['bad'] = bad;
  return {
    deviceId,
    atMs: Math.round(atMs),
    clockMs: hasOwnTime === true ? null : clockMs,
    body: JSON.stringify(body),
  };
}

const withTime = ({ atMs, body }: Pick<Reading, 'atMs' | 'body'>): string => `{"ts":${atMs},${body.slice(1)}`;

/** The payload of one message. */
export const payloadOf = (readings: readonly Pick<Reading, 'atMs' | 'body'>[]): string =>
  readings.length === 1 && readings[0] !== undefined
    ? withTime(readings[0])
    : `[${readings.map(withTime).join()}]`;

/** The limits of a message, reduced by a margin. */
const PAYLOAD_CHARACTERS_MAX = 400_000;
const TOKENS_MAX = 24_000;

/** Returns how many of these readings, oldest first, fit into one message. */
export function fitting(readings: readonly Pick<Reading, 'body'>[]): number {
  let characters = 0;
  let tokens = 0;
  let count = 0;
  for (const { body } of readings) {
    characters += body.length + 24;
    // Each value has a colon and a comma, and each list or object two brackets.
    tokens += body.split(':').length + body.split(',').length + 6;
    if (count > 0 && (characters > PAYLOAD_CHARACTERS_MAX || tokens > TOKENS_MAX)) break;
    count++;
  }
  return count;
}
