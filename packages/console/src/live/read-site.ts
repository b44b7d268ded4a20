import type { Client } from '@granary/client';
import type { FleetDevice } from '@granary/contract/fleet/devices';
import type { FleetAlert, FleetCommand, FleetMission, FleetOperation } from '@granary/contract/fleet/records';
import { batch } from '@preact/signals';
import { COMMAND_UNDER_WAY, MISSION_UNDER_WAY, OPERATION_UNDER_WAY } from './jobs.ts';
import type { Site } from './site.ts';

export interface SiteRecords {
  /** The time of the service. */
  readonly at: string;
  readonly devices: readonly FleetDevice[];
  readonly alerts: readonly FleetAlert[];
  readonly operations: readonly FleetOperation[];
  readonly missions: readonly FleetMission[];
  readonly commands: readonly FleetCommand[];
}

/** Reads everything anew. */
export async function readSite({ fleet }: Pick<Client, 'fleet'>, signal: AbortSignal): Promise<SiteRecords> {
  const options = { signal };
  const [overview, devices, alerts, operations, missions, commands] = await Promise.all([
    fleet.overview(options),
    everyItem(fleet.devicesAll({ include: 'readings' }, options)),
    everyItem(fleet.alertsAll({}, options)),
    underWay(OPERATION_UNDER_WAY, (status) => fleet.operationsAll({ status }, options)),
    underWay(MISSION_UNDER_WAY, (status) => fleet.missionsAll({ status }, options)),
    underWay(COMMAND_UNDER_WAY, (status) => fleet.commandsAll({ status }, options)),
  ]);
  return { at: overview.at, devices, alerts, operations, missions, commands };
}

/** What is shown changes only when all of it has arrived, and at once. */
export function replaceSite(site: Site, records: SiteRecords): void {
  batch(() => {
    site.clock.observe(records.at);
    site.devices.replaceAll(records.devices);
    site.alerts.replaceAll(records.alerts);
    site.operations.replaceAll(records.operations);
    site.missions.replaceAll(records.missions);
    site.commands.replaceAll(records.commands);
  });
}

async function underWay<Status, Item>(
  statuses: readonly Status[],
  list: (status: Status) => AsyncIterable<Item>,
): Promise<Item[]> {
  return (await Promise.all(statuses.map((status) => everyItem(list(status))))).flat();
}

async function everyItem<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
