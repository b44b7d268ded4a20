import type { ChannelName } from './channels.ts';

/**
 * Returns a function that recognises the usual telemetry: readings with a time in milliseconds and values of these channels only.
 * The schema accepts all of it and more, but its compiled form compares every name with a regular expression.
 */
export function plainReadings(
  channels: readonly ChannelName[],
  readingsMax: number,
): (value: unknown) => boolean {
  const names: ReadonlySet<string> = new Set(channels);
  const isPlain = (reading: unknown): boolean => {
    if (typeof reading !== 'object' || reading === null) return false;
    const members = reading as Readonly<Record<string, unknown>>;
    let values = 0;
    for (const name in members) {
      if (name === 'ts') continue;
      if (!names.has(name) || !Number.isFinite(members[name])) return false;
      values++;
    }
    return values > 0 && Number.isInteger(members['ts']);
  };
  return (value) => {
    if (!Array.isArray(value)) return isPlain(value);
    if (value.length === 0 || value.length > readingsMax) return false;
    for (const reading of value) if (!isPlain(reading)) return false;
    return true;
  };
}
