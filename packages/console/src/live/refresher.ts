import type { CallOptions, Client, EventType, LoggedEvent } from '@granary/client';
import type {
  FleetAlert,
  FleetCommand,
  FleetDevice,
  FleetMission,
  FleetOperation,
  TimeZones,
} from '@granary/contract/fleet';
import { batch, type ReadonlySignal } from '@preact/signals';
import type { Site } from './site.ts';

/** Events often come in groups, and one read serves them all. */
const GATHER_MS = 150;

/** More devices than this are read as a list. */
const DEVICES_ONE_BY_ONE_MAX = 10;

const PROGRESS_EVERY_MS = 2_000;

/** The largest number of rows that the service returns at once; pages are read one after the other. */
const PAGE = { limit: 1_000 };
const UNFINISHED = { status: 'unfinished', ...PAGE } as const;

const IS_ABOUT_DEVICE: ReadonlySet<EventType> = new Set<EventType>([
  'device.registered',
  'device.updated',
  'device.maintenance_changed',
  'device.restored',
  'device.status_changed',
  'configuration.changed',
]);

/** The time zone of a silo is part of its configuration, so these events may change the zones. */
const MAY_CHANGE_ZONES: ReadonlySet<EventType> = new Set<EventType>([
  'device.registered',
  'device.updated',
  'device.removed',
  'device.restored',
  'configuration.changed',
]);

/** Reads the records again that an event has changed, and the progress of jobs under way, which is in no event. */
export class Refresher implements Refresh {
  readonly #client: Client;
  readonly #site: Site;
  readonly #signal: AbortSignal;
  readonly #isShown: ReadonlySignal<boolean>;
  readonly #devices = new Set<string>();
  readonly #missions = new Map<string, string>();
  #hasOtherZones = false;
  #isGathering = false;

  constructor(client: Client, site: Site, signal: AbortSignal, isShown: ReadonlySignal<boolean>) {
    this.#client = client;
    this.#site = site;
    this.#signal = signal;
    this.#isShown = isShown;
  }

  device(deviceId: string): void {
    this.#devices.add(deviceId);
    this.#gather();
  }

  mission(deviceId: string, missionId: string): void {
    this.#missions.set(missionId, deviceId);
    this.#gather();
  }

  zones(): void {
    this.#hasOtherZones = true;
    this.#gather();
  }

  start(): void {
    const timer = setInterval(() => void this.#readProgress(), PROGRESS_EVERY_MS);
    this.#signal.addEventListener('abort', () => clearInterval(timer));
  }

  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    setTimeout(() => {
      this.#isGathering = false;
      void this.#read();
    }, GATHER_MS);
  }

  async #read(): Promise<void> {
    const devices = [...this.#devices];
    const missions = [...this.#missions];
    this.#devices.clear();
    this.#missions.clear();
    const hasOtherZones = this.#hasOtherZones;
    this.#hasOtherZones = false;
    await Promise.all([
      hasOtherZones ? this.#readZones() : undefined,
      this.#readDevices(devices),
      ...missions.map(([missionId, deviceId]) => this.#readMission(deviceId, missionId)),
    ]);
  }

  async #readDevices(deviceIds: readonly string[]): Promise<void> {
    const { fleet } = this.#client;
    const options = { signal: this.#signal };
    const wanted = new Set(deviceIds);
    const queries = deviceIds.length > DEVICES_ONE_BY_ONE_MAX ? [{}] : deviceIds.map((q) => ({ q }));
    await this.#quietly(async () => {
      for (const query of queries) {
        const found = await Array.fromAsync(
          fleet.devicesAll({ ...PAGE, ...query, include: 'readings' }, options),
        );
        this.#site.devices.put(found.filter(({ device_id }) => wanted.has(device_id)));
      }
    });
  }

  async #readZones(): Promise<void> {
    await this.#quietly(async () => {
      this.#site.zones.value = await this.#client.fleet.timeZones({ signal: this.#signal });
    });
  }

  async #readMission(deviceId: string, missionId: string): Promise<void> {
    await this.#quietly(async () => {
      const mission = await this.#client.missions.get(deviceId, missionId, { signal: this.#signal });
      this.#site.missions.put({ device_id: deviceId, ...mission });
    });
  }

  async #readProgress(): Promise<void> {
    if (!this.#isShown.peek()) return;
    const { operations, missions, commands } = this.#site;
    const { fleet } = this.#client;
    const options = { signal: this.#signal };
    await Promise.all([
      this.#quietly(async () => {
        if (operations.all.peek().size === 0) return;
        await operations.replaceByAnswer(everyItem(fleet.operationsAll(UNFINISHED, options)));
      }),
      this.#quietly(async () => {
        if (missions.all.peek().size === 0) return;
        await missions.replaceByAnswer(everyItem(fleet.missionsAll(UNFINISHED, options)));
      }),
      this.#quietly(async () => {
        if (commands.all.peek().size === 0) return;
        await commands.replaceByAnswer(everyItem(fleet.commandsAll(UNFINISHED, options)));
      }),
    ]);
  }

  /** A failed read is not reported: the state of the connection shows it, and a later read corrects the records. */
  async #quietly(work: () => Promise<void>): Promise<void> {
    await work().catch(() => undefined);
  }
}

/** The records that have to be read from the service, because the event does not contain the whole resource. */
interface Refresh {
  device(deviceId: string): void;
  mission(deviceId: string, missionId: string): void;
  zones(): void;
}

/** Updates the site with one event. An old event that arrives after a newer state is corrected by those that follow it. */
export function applyEvent(
  { type, device_id: deviceId, data }: LoggedEvent,
  site: Site,
  refresh: Refresh,
): void {
  if (deviceId === null) return;
  if (MAY_CHANGE_ZONES.has(type)) refresh.zones();
  // The type of an event says of which kind its record is.
  const record = { device_id: deviceId, ...data } as unknown as FleetAlert & FleetOperation & FleetCommand;
  if (type.startsWith('alert.')) site.alerts.put(record);
  else if (type.startsWith('operation.')) site.operations.put(record);
  else if (type.startsWith('command.')) site.commands.put(record);
  else if ('mission_id' in data) refresh.mission(deviceId, data.mission_id);
  else if (type === 'device.removed') site.devices.remove(deviceId);
  else if (IS_ABOUT_DEVICE.has(type)) refresh.device(deviceId);
}

export interface SiteRecords {
  /** The time of the service at the read. */
  readonly at: string;
  /** The number of the newest event before the records were read. */
  readonly lastEventId: number;
  readonly devices: readonly FleetDevice[];
  readonly alerts: readonly FleetAlert[];
  readonly operations: readonly FleetOperation[];
  readonly missions: readonly FleetMission[];
  readonly commands: readonly FleetCommand[];
  readonly zones: TimeZones | null;
}

/** Reads everything again. Jobs are listed only if the overview counts some, because most of the time nothing moves. */
export async function readSite(
  { fleet }: Pick<Client, 'fleet'>,
  options: Pick<CallOptions, 'signal'> = {},
): Promise<SiteRecords> {
  const listed = <Item>(count: number, list: () => AsyncIterable<Item>): Promise<Item[]> =>
    count === 0 ? Promise.resolve([]) : everyItem(list());
  const { at, last_event_id: lastEventId, under_way } = await fleet.overview(options);
  const [devices, zones, alerts, operations, missions, commands] = await Promise.all([
    everyItem(fleet.devicesAll({ ...PAGE, include: 'readings' }, options)),
    fleet.timeZones(options),
    everyItem(fleet.alertsAll(PAGE, options)),
    listed(under_way.operations, () => fleet.operationsAll(UNFINISHED, options)),
    listed(under_way.missions, () => fleet.missionsAll(UNFINISHED, options)),
    listed(under_way.commands, () => fleet.commandsAll(UNFINISHED, options)),
  ]);
  return { at, lastEventId, devices, alerts, operations, missions, commands, zones };
}

/** The shown records change at once, and only when all of them have arrived. */
export function replaceSite(site: Site, records: SiteRecords): void {
  batch(() => {
    site.clock.observe(records.at);
    site.zones.value = records.zones;
    site.devices.replaceAll(records.devices);
    site.alerts.replaceAll(records.alerts);
    site.operations.replaceAll(records.operations);
    site.missions.replaceAll(records.missions);
    site.commands.replaceAll(records.commands);
  });
}

async function everyItem<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
