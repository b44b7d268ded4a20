import { dirname, join } from 'node:path';
import { type ClientOptions, createClient } from '@granary/client/client';
import type { DeviceCredentials } from '@granary/contract/devices';
import type { Position } from '@granary/contract/positions';
import type { DeviceKind } from '@granary/contract/telemetry/channels';
import { SECOND_MS } from '@granary/contract/time';
import type { LinkChange } from './device/device-link.ts';
import { MemoryFile } from './device/memory-file.ts';
import { fieldPast, siloPast } from './farm/backfill.ts';
import { CredentialsFile } from './farm/credentials-file.ts';
import { type Enrolled, enrolField, enrolSilos, renewSecret } from './farm/enrolment.ts';
import { SILOS } from './farm/farm.ts';
import { type HistoryEvent, writeHistory } from './farm/write-history.ts';
import type { FaultNameOf } from './faults/fault.ts';
import type { FaultPlan } from './faults/plan.ts';
import { FieldDevice } from './field/field-device.ts';
import { FIELD_UNITS } from './field/fleet.ts';
import { isFieldMemory } from './field/memory.ts';
import { isMemory, UNTOUCHED } from './silo/machine.ts';
import { SiloDevice } from './silo/silo-device.ts';

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
  /** What the devices remember of their content, place and doings is kept beside it. */
  readonly credentialsFile: string;
  readonly intervalMs?: number;
  /** How much past to write on first start; 0 for none. */
  readonly historyDays?: number;
  readonly faults?: FaultPlan;
  readonly onEvent?: (event: FarmEvent) => void;
  readonly now?: () => number;
  readonly random?: () => number;
  /** The longest wait of a device between two attempts to connect. */
  readonly reconnectMsMax?: number;
}

export interface Farm {
  /** Settles when the past is written, was there already, or has failed (which is told as an event). */
  readonly historyWritten: Promise<void>;
  /** These throw when there is none of this id. */
  silo(id: string): SimulatedSilo;
  field(id: string): SimulatedFieldDevice;
  stop(): Promise<void>;
}

export interface SimulatedSilo {
  /** What really lay in it when it was last looked at, whatever its scale says. */
  readonly weightKg: number;
  /** Takes effect at the silo's next tick: within a second while an operation runs. */
  fault(name: FaultNameOf<'silo'>, isOn: boolean): void;
}

export interface SimulatedFieldDevice {
  /** Where it really was when it was last looked at. */
  readonly position: Position;
  readonly batteryPercent: number;
  /** Takes effect at the device's next tick: within a second while it moves. */
  fault(name: FaultNameOf<'field'>, isOn: boolean): void;
}

/** Enrols the devices and sets them going; answers as soon as they are on their way to connect. */
export async function startFarm(options: FarmOptions): Promise<Farm> {
  const { historyDays = HISTORY_DAYS_DEFAULT, now = Date.now, onEvent = () => undefined } = options;
  const { adminKey: apiKey, credentialsFile, ...access } = options;
  const client = createClient({ ...access, apiKey, waitsWhenLimited: true });
  const secrets = await CredentialsFile.open(credentialsFile);
  const silos = await enrolSilos(client, secrets, SILOS);
  const fieldUnits = await enrolField(client, secrets, FIELD_UNITS);
  const [siloIds, fieldIds] = [newIds(silos), newIds(fieldUnits)];
  if (siloIds.length + fieldIds.length > 0) onEvent({ kind: 'registered', siloIds, fieldIds });

  const memories = await MemoryFile.open(join(dirname(credentialsFile), MEMORY_FILE_NAME));
  const equip = equipment(options, memories, (kind, id) => renewSecret(client, secrets, kind, id));
  const siloDevices = silos.map(({ unit: silo, credentials }) => {
    const memory = memories.find(silo.id, isMemory) ?? UNTOUCHED;
    return new SiloDevice({ ...equip('silo', silo.id, credentials), silo, memory });
  });
  const fieldDevices = fieldUnits.map(({ unit, credentials }) => {
    const memory = memories.find(unit.id, isFieldMemory);
    return new FieldDevice({ ...equip('field', unit.id, credentials), unit, memory });
  });
  const devices = [...siloDevices, ...fieldDevices];
  for (const device of devices) device.start();

  const pasts = [
    ...siloDevices.map(({ silo, link }) => ({ link, past: siloPast(client, silo) })),
    ...fieldDevices.map(({ unit, link }) => ({ link, past: fieldPast(client, unit) })),
  ];
  return {
    historyWritten: writeHistory({ devices: pasts, days: historyDays, nowMs: now(), onEvent }),
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

type Renew = (kind: DeviceKind, deviceId: string) => Promise<DeviceCredentials>;

/** What every device gets, whatever it is. */
function equipment(options: FarmOptions, memories: MemoryFile, renew: Renew) {
  const { mqttUrl, intervalMs = INTERVAL_MS_DEFAULT, faults, onEvent } = options;
  const { now = Date.now, random = Math.random, reconnectMsMax } = options;
  return (kind: DeviceKind, deviceId: string, credentials: DeviceCredentials) => ({
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
