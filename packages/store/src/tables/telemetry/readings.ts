import { PROFILES } from '@granary/contract/profiles/profiles';
import { CHANNEL_NAMES, type ChannelName } from '@granary/contract/telemetry/channels';
import type { Reading, StoredValues } from '@granary/core/telemetry/readings';
import type { BulkTarget, NumberRow, Sql } from '../../sql.ts';
import { badBitOf } from './channel-layout.ts';

/** The columns of the rows of a batch. */
interface RowLayout {
  readonly channels: readonly ChannelName[];
  readonly withMask: boolean;
}

const FULL_LAYOUT: RowLayout = { channels: CHANNEL_NAMES, withMask: true };

const targetOf = ({ channels, withMask }: RowLayout): BulkTarget => ({
  table: 'readings',
  key: ['ts_ms', 'device_no'],
  columns: ['ts_ms', 'device_no', ...channels, ...(withMask ? ['bad_mask'] : [])],
});

/** Inserts those whose device and time are new, and answers the positions of the others. */
export async function insertReadings(sql: Sql, readings: readonly Reading[]): Promise<number[]> {
  const layout = layoutOf(readings);
  return await sql.insertNew(targetOf(layout), rowsOf(readings, layout));
}

/** What is stored of the device and time of each of these readings; nobody else changes it before the transaction ends. */
export async function lockReadings(sql: Sql, readings: readonly Reading[]): Promise<StoredValues[]> {
  const stored = new Map<string, StoredValues>();
  const keys = readings.map(({ tsMs, deviceNo }) => [tsMs, deviceNo]);
  for (const [tsMs, deviceNo, ...values] of await sql.lockMany(targetOf(FULL_LAYOUT), keys)) {
    stored.set(`${tsMs} ${deviceNo}`, valuesOf(values));
  }
  return readings.map(({ tsMs, deviceNo }) => stored.get(`${tsMs} ${deviceNo}`) ?? {});
}

/** Adds to stored readings the values that they do not have. */
export async function addMissingValues(sql: Sql, parts: readonly Reading[]): Promise<void> {
  const update = [
    ...CHANNEL_NAMES.map((name) => `${name} = COALESCE(readings.${name}, excluded.${name})`),
    'bad_mask = NULLIF(COALESCE(readings.bad_mask, 0) | COALESCE(excluded.bad_mask, 0), 0)',
  ].join(', ');
  await sql.upsertMany({ ...targetOf(FULL_LAYOUT), update }, rowsOf(parts, FULL_LAYOUT));
}

const rowsOf = (readings: readonly Reading[], { channels, withMask }: RowLayout): NumberRow[] =>
  readings.map(({ tsMs, deviceNo, values, badValues }) => {
    const row = [
      tsMs,
      deviceNo,
      ...channels.map((channel) => values[channel] ?? badValues?.[channel] ?? null),
    ];
    if (withMask) row.push(badMaskOf(badValues));
    return row;
  });

function badMaskOf(badValues: StoredValues | undefined): number | null {
  if (badValues === undefined) return null;
  return CHANNEL_NAMES.reduce(
    (mask, name) => (badValues[name] === undefined ? mask : mask | badBitOf(name)),
    0,
  );
}

function valuesOf(row: NumberRow): StoredValues {
  const values: StoredValues = {};
  for (const [position, channel] of CHANNEL_NAMES.entries()) {
    const value = row[position];
    if (value !== null && value !== undefined) values[channel] = value;
  }
  return values;
}

/** The channels of each profile, the shortest first. */
const USUAL_CHANNELS = Object.values(PROFILES)
  .map(({ channels }) => ({ channels, names: new Set<string>(channels) }))
  .toSorted((a, b) => a.channels.length - b.channels.length);

/** The shortest usual row for all readings, because nine empty columns make an insert about a fifth slower. */
function layoutOf(readings: readonly Reading[]): RowLayout {
  const used = new Set<string>();
  let withMask = false;
  for (const { values, badValues } of readings) {
    for (const channel in values) used.add(channel);
    if (badValues === undefined) continue;
    withMask = true;
    for (const channel in badValues) used.add(channel);
  }
  const channels = USUAL_CHANNELS.find(({ names }) => used.isSubsetOf(names))?.channels ?? CHANNEL_NAMES;
  return { channels, withMask };
}
