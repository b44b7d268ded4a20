import type { Client } from '@granary/client';
import { COMMAND_UNDER_WAY, MISSION_UNDER_WAY, OPERATION_UNDER_WAY } from './jobs.ts';
import type { Site } from './site.ts';

/** Reads everything anew. What is shown changes only when all of it has arrived. */
export async function readSite(client: Client, site: Site, signal: AbortSignal): Promise<void> {
  const { fleet } = client;
  const options = { signal };
  const [overview, devices, alerts, operations, missions, commands] = await Promise.all([
    fleet.overview(options),
    everyItem(fleet.devicesAll({ include: 'readings' }, options)),
    everyItem(fleet.alertsAll({}, options)),
    underWay(OPERATION_UNDER_WAY, (status) => fleet.operationsAll({ status }, options)),
    underWay(MISSION_UNDER_WAY, (status) => fleet.missionsAll({ status }, options)),
    underWay(COMMAND_UNDER_WAY, (status) => fleet.commandsAll({ status }, options)),
  ]);
  site.clock.observe(overview.at);
  site.devices.replaceAll(devices);
  site.alerts.replaceAll(alerts);
  site.operations.replaceAll(operations);
  site.missions.replaceAll(missions);
  site.commands.replaceAll(commands);
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
