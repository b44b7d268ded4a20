import type { OperationRecord } from '@granary/contract/operations';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { useConsole } from '../../context/console.ts';
import type { TimeRange } from './chart-selection.ts';

/**
 * The operations of a list as they are known now, the newest first, with those that have begun since the list was read. An end is
 * final, from whichever source; of two states that are no end the later one counts.
 */
export function withNewest(
  listed: readonly OperationRecord[],
  told: readonly OperationRecord[],
  { toMs }: Pick<TimeRange, 'toMs'>,
): OperationRecord[] {
  const newest = new Map(listed.map((operation) => [operation.operation_id, operation]));
  for (const operation of told) {
    const known = newest.get(operation.operation_id);
    // A list with the end was read after the event of the end, and already contains what the scale has measured.
    const hasEnded = known !== undefined && known.ended_at !== null;
    if (!hasEnded && Date.parse(operation.started_at) <= toMs) newest.set(operation.operation_id, operation);
  }
  return [...newest.values()].sort(
    (one, other) =>
      Number(one.started_at < other.started_at) - Number(one.started_at > other.started_at) ||
      Number(one.operation_id < other.operation_id) - Number(one.operation_id > other.operation_id),
  );
}

/** The operations of a device that events and the progress of jobs under way have reported since its page was opened. */
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
      // No event contains the progress, so the jobs under way are newer; an end is reported by events alone.
      ...[...underWay.values()].filter(({ device_id }) => device_id === deviceId),
      ...[...byEvents.value.values()].filter(
        ({ operation_id, ended_at }) => ended_at !== null || !underWay.has(operation_id),
      ),
    ],
    [underWay, byEvents.value, deviceId],
  );
}

/** The operations of a device in a list that was read, as they are known now. */
export function useNewestOperations(
  deviceId: string,
  listed: readonly OperationRecord[],
  { toMs }: Pick<TimeRange, 'toMs'>,
): OperationRecord[] {
  const told = useToldOperations(deviceId);
  return useMemo(() => withNewest(listed, told, { toMs }), [listed, told, toMs]);
}
