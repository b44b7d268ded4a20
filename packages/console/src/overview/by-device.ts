import type { FleetAlert, FleetMission, FleetOperation } from '@granary/contract/fleet/records';
import { computed, type ReadonlySignal } from '@preact/signals';
import { mostUrgentFirst } from '../alerts/alert-filter.ts';
import type { Site } from '../live/site.ts';

/** What the tiles of the overview ask for by the id of their device. */
export interface ByDevice {
  /** Most urgent first. */
  readonly alerts: ReadonlySignal<ReadonlyMap<string, readonly FleetAlert[]>>;
  readonly operations: ReadonlySignal<ReadonlyMap<string, readonly FleetOperation[]>>;
  readonly missions: ReadonlySignal<ReadonlyMap<string, readonly FleetMission[]>>;
}

export const byDevice = ({ alerts, operations, missions }: Site): ByDevice => ({
  alerts: computed(() => grouped([...alerts.all.value.values()].sort(mostUrgentFirst))),
  operations: computed(() => grouped([...operations.all.value.values()])),
  missions: computed(() => grouped([...missions.all.value.values()])),
});

function grouped<Item extends { readonly device_id: string }>(items: readonly Item[]): Map<string, Item[]> {
  return Map.groupBy(items, ({ device_id }) => device_id);
}
