import { dirname, join } from 'node:path';
import { type ClientOptions, createClient } from '@granary/client/client';
import type { DeviceCredentials } from '@granary/contract/devices/devices';
import type { DeviceGroup } from '@granary/contract/devices/groups';
import type { Position } from '@granary/contract/positions';
import { SECOND_MS } from '@granary/contract/time';
import type { LinkChange } from './device/device-link.ts';
import { MemoryFile } from './device/memory-file.ts';
import { fieldBackfill, siloBackfill } from './farm/backfill.ts';
import { CredentialsFile } from './farm/credentials-file.ts';
import { type Enrolled, enrolField, enrolSilos, enrolStations, renewSecret } from './farm/enrolment.ts';
import { SILOS } from './farm/farm.ts';
import { type HistoryEvent, writeHistory } from './farm/write-history.ts';
import type { FaultNameOf } from './faults/fault.ts';
import type { FaultPlan } from './faults/plan.ts';
import { FieldDevice } from './field/field-device.ts';
import { FIELD_UNITS } from './field/fleet.ts';
import { isFieldMemory } from './field/memory.ts';
import { INITIAL_MEMORY, isMemory } from './silo/machine.ts';
import { SiloDevice } from './silo/silo-device.ts';
import { STATIONS, WeatherStation } from './weather/weather-station.ts';

export const INTERVAL_MS_DEFAULT = 10 * SECOND_MS;
export const HISTORY_DAYS_DEFAULT = 30;

const MEMORY_FILE_NAME = 'farm-memory.json';

export type FarmEvent =
  | { readonly kind: 'registered'; readonly siloIds: readonly string[]; readonly fieldIds: readonly string[] }
  | { readonly kind: 'link'; readonly deviceId: string; readonly change: LinkChange }
  | { readonly kind: 'trouble'; readonly deviceId: string; readonly reason: string }
  | HistoryEvent;

export interface FarmOptions extends Pick<ClientOptions, 'baseUrl' | 'siloSegment' | 'fieldSegment'> {
  /** Needs the scopes `read`, `configure` and `admin`. */
  readonly adminKey: string;
  readonly mqttUrl: string;
  /** The stored state of the devices (content, position, jobs) is a file in the same folder. */
  readonly credentialsFile: string;
  readonly intervalMs?: number;
  /** The days of history to write on the first start; 0 for none. */
  readonly historyDays?: number;
  readonly faults?: FaultPlan;
  readonly onEvent?: (event: FarmEvent) => void;
  readonly now?: () => number;
  readonly random?: () => number;
  /** The maximum wait of a device between two connection attempts. */
  readonly reconnectMsMax?: number;
}

export interface Farm {
  /** Resolves when the backfill is written, was already complete, or has failed (which is reported as an event). */
  readonly historyWritten: Promise<void>;
  /** `silo` and `field` throw when no device has this id. */
  silo(id: string): SimulatedSilo;
  field(id: string): SimulatedFieldDevice;
  stop(): Promise<void>;
}

export interface SimulatedSilo {
  /** The true content at the last tick, whatever the scale shows. */
  readonly weightKg: number;
  /** Takes effect at the silo's next tick: within a second while an operation runs. */
  fault(name: FaultNameOf<'silo'>, isOn: boolean): void;
}

export interface SimulatedFieldDevice {
  /** The true position at the last tick. */
  readonly position: Position;
  readonly batteryPercent: number;
  /** Takes effect at the device's next tick: within a second while it moves. */
  fault(name: FaultNameOf<'field'>, isOn: boolean): void;
}

/** Registers and starts the devices; resolves while they are still connecting. */
export async function startFarm(options: FarmOptions): Promise<Farm> {
  const { historyDays = HISTORY_DAYS_DEFAULT, now = Date.now, onEvent = () => undefined } = options;
  const { adminKey: apiKey, credentialsFile, ...access } = options;
  const client = createClient({ ...access, apiKey, waitsWhenLimited: true });
  const secrets = await CredentialsFile.open(credentialsFile);
  const silos = await enrolSilos(client, secrets, SILOS);
  const fieldUnits = await enrolField(client, secrets, FIELD_UNITS);
  const stations = await enrolStations(client, secrets, STATIONS);
  const [siloIds, fieldIds] = [newIds(silos), [...newIds(fieldUnits), ...newIds(stations)]];
  if (siloIds.length + fieldIds.length > 0) onEvent({ kind: 'registered', siloIds, fieldIds });

  const memories = await MemoryFile.open(join(dirname(credentialsFile), MEMORY_FILE_NAME));
  const deviceOptions = deviceOptionsFor(options, memories, (kind, id) =>
    renewSecret(client, secrets, kind, id),
  );
  const siloDevices = silos.map(({ unit: silo, credentials }) => {
    const memory = memories.find(silo.id, isMemory) ?? INITIAL_MEMORY;
    return new SiloDevice({ ...deviceOptions('silo', silo.id, credentials), silo, memory });
  });
  const fieldDevices = fieldUnits.map(({ unit, credentials }) => {
    const memory = memories.find(unit.id, isFieldMemory);
    return new FieldDevice({ ...deviceOptions('field', unit.id, credentials), unit, memory });
  });
  const weatherStations = stations.map(
    ({ unit: station, credentials }) =>
      new WeatherStation({ ...deviceOptions('field', station.id, credentials), station }),
  );
  const devices = [...siloDevices, ...fieldDevices, ...weatherStations];
  for (const device of devices) device.start();

  const backfills = [
    ...siloDevices.map(({ silo, link }) => ({ link, source: siloBackfill(client, silo) })),
    ...fieldDevices.map(({ unit, link }) => ({ link, source: fieldBackfill(client, unit) })),
  ];
  return {
    historyWritten: writeHistory({ devices: backfills, days: historyDays, nowMs: now(), onEvent }),
    silo: (id) => siloDevices.find(({ silo }) => silo.id === id) ?? missing('silo', id),
    field: (id) => fieldDevices.find(({ unit }) => unit.id === id) ?? missing('field device', id),
    stop: async () => {
      await Promise.all(devices.map((device) => device.stop()));
    },
  };
}

const newIds = (enrolled: readonly Enrolled<{ readonly id: string }>[]): readonly string[] =>
  enrolled.filter(({ isNew }) => isNew).map(({ unit }) => unit.id);

function missing(what: string, id: string): never {
  throw new Error(`there is no simulated ${what} "${id}"`);
}

type Renew = (kind: DeviceGroup, deviceId: string) => Promise<DeviceCredentials>;

/** The options that silos and field devices have in common. */
function deviceOptionsFor(options: FarmOptions, memories: MemoryFile, renew: Renew) {
  const { mqttUrl, intervalMs = INTERVAL_MS_DEFAULT, faults, onEvent } = options;
  const { now = Date.now, random = Math.random, reconnectMsMax } = options;
  return (kind: DeviceGroup, deviceId: string, credentials: DeviceCredentials) => ({
    link: {
      mqttUrl,
      credentials,
      renewCredentials: () => renew(kind, deviceId),
      onChange: (change: LinkChange) => onEvent?.({ kind: 'link', deviceId, change }),
      random,
      ...(reconnectMsMax === undefined ? {} : { reconnectMsMax }),
    },
    intervalMs,
    faults: faults?.get(deviceId) ?? new Set<never>(),
    keep: (memory: object) => memories.keep(deviceId, memory),
    onTrouble: (reason: string) => onEvent?.({ kind: 'trouble', deviceId, reason }),
    now,
  });
}
