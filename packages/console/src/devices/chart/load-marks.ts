import type { Client } from '@granary/client';
import type { Alert } from '@granary/contract/alerts';
import type { FleetDevice } from '@granary/contract/fleet/devices';
import type { OperationRecord } from '@granary/contract/operations';
import { hasCapability } from '../capability.ts';
import type { TimeRange } from './range.ts';

/** What happened on the time axis. */
export interface ChartMarks {
  readonly operations: readonly OperationRecord[];
  readonly alerts: readonly Alert[];
}

/** More would cover the axis, and each page is a request. */
const MARKS_MAX = 300;

/** Both lists are newest first, so they are read until they are older than the range. */
export async function loadMarks(
  client: Client,
  { device_id, group, profile }: Pick<FleetDevice, 'device_id' | 'group' | 'profile'>,
  { fromMs, toMs }: TimeRange,
  signal: AbortSignal,
): Promise<ChartMarks> {
  const page = { limit: 100 };
  const [operations, alerts] = await Promise.all([
    hasCapability(profile, 'operations')
      ? until(
          client.operations.listAll(device_id, page, { signal }),
          ({ started_at }) => Date.parse(started_at),
          fromMs,
        )
      : [],
    until(
      client.alerts[group].listAll(device_id, { ...page, status: 'all' }, { signal }),
      ({ created_at }) => Date.parse(created_at),
      fromMs,
    ),
  ]);
  return {
    operations: operations.filter(({ started_at }) => Date.parse(started_at) <= toMs),
    alerts: alerts.filter(({ created_at }) => Date.parse(created_at) <= toMs),
  };
}

async function until<Item>(
  items: AsyncIterable<Item>,
  timeOf: (item: Item) => number,
  fromMs: number,
): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) {
    found.push(item);
    // The last one may have begun before the range and lasted into it.
    if (timeOf(item) < fromMs || found.length === MARKS_MAX) break;
  }
  return found;
}
