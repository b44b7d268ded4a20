import type { OperationRecord } from '@granary/contract/operations';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { useConsole } from '../../context/console.ts';
import type { TimeRange } from './chart-selection.ts';

/**
 * The operations of a list as they are known now, newest first: with those that have begun since it was read. An end is final,
 * whoever tells it; of two that have not ended the one that was told later counts.
 */
export function withNewest(
  listed: readonly OperationRecord[],
  told: readonly OperationRecord[],
  { toMs }: Pick<TimeRange, 'toMs'>,
): OperationRecord[] {
  const newest = new Map(listed.map((operation) => [operation.operation_id, operation]));
  for (const operation of told) {
    const known = newest.get(operation.operation_id);
    // A list with the end was read after the event that told it, and knows by now what the scale says.
    const hasEnded = known !== undefined && known.ended_at !== null;
    if (!hasEnded && Date.parse(operation.started_at) <= toMs) newest.set(operation.operation_id, operation);
  }
  return [...newest.values()].sort(
    (one, other) =>
      Number(one.started_at < other.started_at) - Number(one.started_at > other.started_at) ||
      Number(one.operation_id < other.operation_id) - Number(one.operation_id > other.operation_id),
  );
}

/** What events and the progress of operations under way have told of a device since its page was opened. */
function useToldOperations(deviceId: string): readonly OperationRecord[] {
  const { live } = useConsole();
  const byEvents = useSignal<ReadonlyMap<string, OperationRecord>>(new Map());
  useEffect(() => {
    byEvents.value = new Map();
    return live.onEvent((event) => {
      if (event.type !== 'operation.status_changed' || event.device_id !== deviceId) return;
      byEvents.value = new Map(byEvents.peek()).set(event.data.operation_id, event.data);
    });
  }, [live, deviceId]);
  const underWay = live.site.operations.all.value;
  return useMemo(
    () => [
      // Progress is in no event, so what is under way is newer; an end is told by events alone.
      ...[...underWay.values()].filter(({ device_id }) => device_id === deviceId),
      ...[...byEvents.value.values()].filter(
        ({ operation_id, ended_at }) => ended_at !== null || !underWay.has(operation_id),
      ),
    ],
    [underWay, byEvents.value, deviceId],
  );
}

/** The operations of a device in a list that was read, as they are now. */
export function useNewestOperations(
  deviceId: string,
  listed: readonly OperationRecord[],
  { toMs }: Pick<TimeRange, 'toMs'>,
): OperationRecord[] {
  const told = useToldOperations(deviceId);
  return useMemo(() => withNewest(listed, told, { toMs }), [listed, told, toMs]);
}
