import { dirname, join } from 'node:path';
import { ApiError, type Client, type ClientOptions, createClient } from '@granary/client';
import type { DeviceCredentials, DeviceSummary } from '@granary/contract/devices/devices';
import {
  HISTORY_WRITING,
  HISTORY_WRITTEN,
  isHistoryBeingWritten,
  isSimulated,
} from '@granary/contract/devices/label-match';
import { DEVICE_GROUPS } from '@granary/contract/profiles/groups';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { checkFault, type FaultPlan } from './farm/fault-plan.ts';
import { CredentialsFile, MemoryFile } from './files.ts';
import { type BackfillSource, backfillMessages, findMissingHistory } from './profiles/missing-history.ts';
import type { RunningDevice, SimulatedDevice, SimulatedProfile } from './profiles/profile.ts';
import { type LinkChange, LinkStoppedError, type ServiceConnection } from './service-connection.ts';

/** The service stores one message of a device while it receives those of others, so a few devices at a time are faster than one. */
const DEVICES_AT_A_TIME = 3;
const INTERVAL_MS_DEFAULT = 10 * SECOND_MS;
/** The history is long enough to compare forecasts with the actual use, even for animals that grow. */
export const HISTORY_DAYS_DEFAULT = 60;
/** The limit is long, because a farm of many devices registers more of them than the service admits at once. */
const CALL_TIME_LIMIT_MS = 10 * MINUTE_MS;
const MEMORY_FILE_NAME = 'farm-memory.json';

interface Enrolled {
  readonly device: SimulatedDevice;
  readonly credentials: DeviceCredentials;
  readonly isNew: boolean;
  /** True if the device has the label of a history that is being written. */
  readonly isHistoryOpen: boolean;
}

interface Enrolment {
  readonly nowMs: number;
  /** True if new devices get a history. */
  readonly hasHistory: boolean;
  readonly onEvent: (event: FarmEvent) => void;
}

/** The error that the service no longer has the device, or has a device of somebody else with its id, which is not changed. */
class NotOursError extends Error {}

const IS_NOT_SIMULATED = 'another device has this id, without the label "simulated"; it is left alone';

/**
 * Registers every device that the service does not have yet, and makes sure that each has a secret. A device with the id of a
 * simulated one and without its label is a real one.
 */
async function enrol(
  client: Client,
  secrets: CredentialsFile,
  devices: readonly SimulatedDevice[],
  { nowMs, hasHistory, onEvent }: Enrolment,
): Promise<readonly Enrolled[]> {
  const known = await registeredDevices(client);
  const enrolled: Enrolled[] = [];
  for (const device of devices) {
    const { id: deviceId } = device.unit;
    const found = known.get(deviceId);
    const isNew = found === undefined;
    try {
      if (!isNew && !isSimulated(found)) throw new NotOursError(IS_NOT_SIMULATED);
      if (!isNew) await device.update(client, nowMs);
      const stored = isNew ? undefined : secrets.find(deviceId);
      const credentials =
        stored ??
        (isNew
          ? await register(client, secrets, device, { nowMs, hasHistory })
          : await renewSecret(client, secrets, device));
      const isHistoryOpen = isNew ? hasHistory : isHistoryBeingWritten(found);
      enrolled.push({ device, credentials, isNew, isHistoryOpen });
    } catch (failure) {
      if (!(failure instanceof NotOursError)) throw failure;
      onEvent({ kind: 'left-out', deviceId, reason: failure.message });
    }
  }
  return enrolled;
}

/** Returns the registered devices by id. */
async function registeredDevices(client: Client): Promise<ReadonlyMap<string, DeviceSummary>> {
  const known = new Map<string, DeviceSummary>();
  for (const group of DEVICE_GROUPS) {
    for await (const device of client.devices[group].listAll()) known.set(device.device_id, device);
  }
  return known;
}

async function register(
  client: Client,
  secrets: CredentialsFile,
  device: SimulatedDevice,
  { nowMs, hasHistory }: Pick<Enrolment, 'nowMs' | 'hasHistory'>,
): Promise<DeviceCredentials> {
  const labels = hasHistory ? HISTORY_WRITING : {};
  const { credentials } = await device.register(client, nowMs, labels).catch(orNotOurs);
  await secrets.keep(credentials);
  return credentials;
}

async function renewSecret(
  client: Client,
  secrets: CredentialsFile,
  { group, unit }: SimulatedDevice,
): Promise<DeviceCredentials> {
  const device = await client.devices[group].get(unit.id).catch(orNotOurs);
  if (!isSimulated(device)) throw new NotOursError(IS_NOT_SIMULATED);
  const credentials = await client.devices[group].renewCredentials(unit.id).catch(orNotOurs);
  await secrets.keep(credentials);
  return credentials;
}

const REMOVED_CODES: readonly string[] = ['device_not_found', 'device_removed', 'device_exists'];

/** Turns the refusal of an id into `NotOursError`. An id that is taken by a device in no list belongs to a removed device. */
function orNotOurs(failure: unknown): never {
  if (failure instanceof ApiError && REMOVED_CODES.includes(failure.code))
    throw new NotOursError('it was removed', { cause: failure });
  throw failure;
}

/** Removes only the label of a history that is being written; a value that somebody has written in its place stays. */
export async function tellHistoryIsWritten(
  client: Client,
  { group, unit }: SimulatedDevice,
  signal: AbortSignal,
): Promise<void> {
  const devices = client.devices[group];
  for (;;) {
    try {
      const { device, etag } = await devices.getVersioned(unit.id, { signal });
      if (!isHistoryBeingWritten(device) || etag === null) return;
      await devices.update(unit.id, { labels: HISTORY_WRITTEN }, { signal, ifMatch: etag });
      return;
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      if (REMOVED_CODES.includes(failure.code)) return;
      if (failure.code !== 'stale_version') throw failure;
    }
  }
}

export type HistoryEvent =
  | {
      readonly kind: 'history';
      readonly days: number;
      readonly devicesDone: number;
      readonly devicesTotal: number;
    }
  | { readonly kind: 'history-failed'; readonly reason: string };

export interface HistoryJob {
  readonly devices: readonly {
    readonly link: Pick<ServiceConnection, 'deliver'>;
    readonly sources: readonly BackfillSource[];
    /** Called when the history of the device is complete. */
    readonly tellWritten: () => Promise<void>;
  }[];
  readonly days: number;
  readonly nowMs: number;
  readonly onEvent: (event: HistoryEvent) => void;
  /** Aborted when the farm is being stopped. */
  readonly signal: AbortSignal;
}

/** Resolves when the backfill is written, was already complete, or has failed, which is reported as an event. */
export async function writeHistory(job: HistoryJob): Promise<void> {
  try {
    await writeMissingHistory(job);
  } catch (failure) {
    if (job.signal.aborted) return;
    job.onEvent({
      kind: 'history-failed',
      reason: failure instanceof Error ? failure.message : String(failure),
    });
  }
}

/**
 * Writes over the link of each device and waits for each acknowledgement, so that an interruption loses little. A device that
 * fails, or that was removed meanwhile, does not end the work on the others.
 */
async function writeMissingHistory({ devices, days, nowMs, onEvent, signal }: HistoryJob): Promise<void> {
  const waiting = devices.values();
  const failures: unknown[] = [];
  let devicesDone = 0;
  let hasBegun = false;
  const report = () => onEvent({ kind: 'history', days, devicesDone, devicesTotal: devices.length });
  const write = async ({ link, sources, tellWritten }: HistoryJob['devices'][number]) => {
    for (const source of sources) {
      const span = await findMissingHistory(source, days, nowMs);
      if (span === undefined) continue;
      if (!hasBegun) report();
      hasBegun = true;
      for (const readings of backfillMessages(source, span)) await link.deliver('telemetry', readings);
    }
    await tellWritten();
    devicesDone++;
    if (hasBegun) report();
  };
  const writeWaiting = async () => {
    for (const device of waiting) {
      if (signal.aborted) return;
      await write(device).catch((failure) => failures.push(failure));
    }
  };
  await Promise.all(Array.from({ length: DEVICES_AT_A_TIME }, writeWaiting));
  const failed = failures.find((failure) => !(failure instanceof LinkStoppedError));
  if (failed !== undefined) throw failed;
}

export type FarmEvent =
  | { readonly kind: 'registered'; readonly devices: readonly RegisteredDevices[] }
  | { readonly kind: 'link'; readonly deviceId: string; readonly change: LinkChange }
  | { readonly kind: 'trouble'; readonly deviceId: string; readonly reason: string }
  /** The device was removed, or its id belongs to another device: it is not started, or no longer runs. */
  | { readonly kind: 'left-out'; readonly deviceId: string; readonly reason: string }
  | HistoryEvent;

/** The new devices of one profile. */
interface RegisteredDevices {
  readonly title: string;
  readonly ids: readonly string[];
}

export interface FarmOptions extends Pick<ClientOptions, 'baseUrl' | 'siloSegment' | 'fieldSegment'> {
  readonly profiles: readonly SimulatedProfile[];
  /** The key needs the scopes `read`, `configure` and `admin`. */
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
  /** Resolves when every device was removed from the service. */
  readonly removed: Promise<void>;
  /** The physical state of a device; throws when no device has this id, or one with another model. */
  model<Model>(deviceId: string, type: abstract new (...args: never[]) => Model): Model;
  /** Switches a fault on or off at the next tick of the device: within a second while it carries something out. */
  fault(deviceId: string, name: string, isOn: boolean): void;
  stop(): Promise<void>;
}

/** Registers and starts the devices; resolves while they are still connecting. */
export async function startFarm(options: FarmOptions): Promise<Farm> {
  const { historyDays = HISTORY_DAYS_DEFAULT, now = Date.now, onEvent = () => undefined } = options;
  const { adminKey: apiKey, credentialsFile, profiles, ...access } = options;
  const client = createClient({ ...access, apiKey, timeLimitMs: CALL_TIME_LIMIT_MS });
  const secrets = await CredentialsFile.open(credentialsFile);
  const enrolled = await enrol(
    client,
    secrets,
    profiles.flatMap(({ devices }) => devices),
    { nowMs: now(), hasHistory: historyDays > 0, onEvent },
  );
  reportNew(profiles, enrolled, onEvent);

  const memories = await MemoryFile.open(join(dirname(credentialsFile), MEMORY_FILE_NAME));
  const removed = Promise.withResolvers<void>();
  const leave = async (deviceId: string, reason: string): Promise<void> => {
    onEvent({ kind: 'left-out', deviceId, reason });
    await running.get(deviceId)?.stop();
    left.add(deviceId);
    if (left.size === running.size) removed.resolve();
  };
  const createDevice = deviceCreator(options, { client, secrets, memories, leave });
  const running = new Map(enrolled.map((one) => [one.device.unit.id, createDevice(one)]));
  const left = new Set<string>();
  const find = (id: string): RunningDevice => running.get(id) ?? missing(id);
  for (const device of running.values()) device.start();

  const stopping = new AbortController();
  const { signal } = stopping;
  const backfills = enrolled.map(({ device, isHistoryOpen }) => ({
    link: find(device.unit.id).link,
    sources: device.backfills(client),
    tellWritten: async () => {
      if (isHistoryOpen) await tellHistoryIsWritten(client, device, signal);
    },
  }));
  return {
    historyWritten: writeHistory({ devices: backfills, days: historyDays, nowMs: now(), onEvent, signal }),
    removed: removed.promise,
    model: (id, type) => {
      const { model } = find(id);
      return model instanceof type ? model : missing(id);
    },
    fault: (id, name, isOn) => {
      checkFault(profiles, id, name);
      find(id).fault(name, isOn);
    },
    stop: async () => {
      stopping.abort();
      await Promise.all([...running.values()].map((device) => device.stop()));
    },
  };
}

function reportNew(
  profiles: readonly SimulatedProfile[],
  enrolled: readonly Enrolled[],
  onEvent: (event: FarmEvent) => void,
): void {
  const newIds = new Set(enrolled.filter(({ isNew }) => isNew).map(({ device }) => device.unit.id));
  const devices = profiles.map(({ title, devices }) => ({
    title,
    ids: devices.map(({ unit }) => unit.id).filter((id) => newIds.has(id)),
  }));
  if (newIds.size > 0) onEvent({ kind: 'registered', devices: devices.filter(({ ids }) => ids.length > 0) });
}

function missing(deviceId: string): never {
  throw new Error(`there is no simulated device "${deviceId}" of this type`);
}

interface FarmParts {
  readonly client: Client;
  readonly secrets: CredentialsFile;
  readonly memories: MemoryFile;
  /** Stops a device that the service no longer has. */
  readonly leave: (deviceId: string, reason: string) => Promise<void>;
}

/** Creates devices with the options that all of them have in common. */
function deviceCreator(options: FarmOptions, { client, secrets, memories, leave }: FarmParts) {
  const { mqttUrl, intervalMs = INTERVAL_MS_DEFAULT, faults, onEvent } = options;
  const { now = Date.now, random = Math.random, reconnectMsMax } = options;
  return ({ device, credentials }: Enrolled): RunningDevice => {
    const deviceId = device.unit.id;
    return device.create({
      link: {
        mqttUrl,
        credentials,
        renewCredentials: async () => {
          try {
            return await renewSecret(client, secrets, device);
          } catch (failure) {
            if (failure instanceof NotOursError) await leave(deviceId, failure.message);
            throw failure;
          }
        },
        onChange: (change: LinkChange) => onEvent?.({ kind: 'link', deviceId, change }),
        random,
        ...(reconnectMsMax === undefined ? {} : { reconnectMsMax }),
      },
      intervalMs,
      faults: faults?.get(deviceId) ?? new Set(),
      recall: (isMemory) => memories.find(deviceId, isMemory),
      keep: (memory) => memories.keep(deviceId, memory),
      onTrouble: (reason) => onEvent?.({ kind: 'trouble', deviceId, reason }),
      now,
    });
  };
}
