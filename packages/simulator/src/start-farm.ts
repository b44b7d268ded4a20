import { dirname, join } from 'node:path';
import { type Client, createClient } from '@granary/client/client';
import type { DeviceCredentials } from '@granary/contract/devices';
import { SECOND_MS } from '@granary/contract/time';
import { CredentialsFile } from './credentials-file.ts';
import { type LinkChange, LinkStoppedError } from './device-link.ts';
import { type EnrolledSilo, enrolSilos, renewSecret } from './enrolment.ts';
import { SILOS } from './farm.ts';
import type { FaultName } from './faults/fault.ts';
import type { FaultPlan } from './faults/plan.ts';
import { findMissingPast, pastMessages } from './history.ts';
import { MemoryFile } from './memory-file.ts';
import { SiloDevice } from './silo-device.ts';

export const INTERVAL_MS_DEFAULT = 10 * SECOND_MS;
export const HISTORY_DAYS_DEFAULT = 30;

const MEMORY_FILE_NAME = 'farm-memory.json';

export type FarmEvent =
  | { readonly kind: 'registered'; readonly siloIds: readonly string[] }
  | { readonly kind: 'link'; readonly siloId: string; readonly change: LinkChange }
  | {
      readonly kind: 'history';
      readonly days: number;
      readonly silosDone: number;
      readonly silosTotal: number;
    }
  | { readonly kind: 'history-failed'; readonly reason: string }
  | { readonly kind: 'trouble'; readonly siloId: string; readonly reason: string };

export interface FarmOptions {
  readonly baseUrl: string;
  readonly siloSegment?: string;
  /** Needs the scopes `read` and `admin`. */
  readonly adminKey: string;
  readonly mqttUrl: string;
  /** What the silos remember of their content and operations is kept beside it. */
  readonly credentialsFile: string;
  readonly intervalMs?: number;
  /** How much past to write on first start; 0 for none. */
  readonly historyDays?: number;
  readonly faults?: FaultPlan;
  readonly onEvent?: (event: FarmEvent) => void;
  readonly now?: () => number;
  readonly random?: () => number;
}

export interface Farm {
  /** Settles when the past is written, was there already, or has failed (which is told as an event). */
  readonly historyWritten: Promise<void>;
  /** Throws when there is none of this id. */
  silo(id: string): SimulatedSilo;
  stop(): Promise<void>;
}

export interface SimulatedSilo {
  /** What really lay in it when it was last looked at, whatever its scale says. */
  readonly weightKg: number;
  /** Takes effect at the silo's next tick: within a second while an operation runs. */
  fault(name: FaultName, isOn: boolean): void;
}

/** Enrols the silos and sets them going; answers as soon as they are on their way to connect. */
export async function startFarm(options: FarmOptions): Promise<Farm> {
  const { historyDays = HISTORY_DAYS_DEFAULT, now = Date.now, onEvent = () => undefined } = options;
  const { baseUrl, adminKey, siloSegment } = options;
  const client = createClient({
    baseUrl,
    apiKey: adminKey,
    ...(siloSegment === undefined ? {} : { siloSegment }),
  });
  const secrets = await CredentialsFile.open(options.credentialsFile);
  const enrolled = await enrolSilos(client, secrets, SILOS);
  const siloIds = enrolled.filter(({ isNew }) => isNew).map(({ silo }) => silo.id);
  if (siloIds.length > 0) onEvent({ kind: 'registered', siloIds });

  const memories = await MemoryFile.open(join(dirname(options.credentialsFile), MEMORY_FILE_NAME));
  const renew = (siloId: string) => renewSecret(client, secrets, siloId);
  const devices = createDevices(enrolled, memories, renew, options);
  for (const device of devices) device.start();
  return {
    historyWritten: writeHistory({ client, devices, days: historyDays, nowMs: now(), onEvent }),
    silo: (id) => {
      const device = devices.find(({ silo }) => silo.id === id);
      if (device === undefined) throw new Error(`there is no simulated silo "${id}"`);
      return device;
    },
    stop: async () => {
      await Promise.all(devices.map((device) => device.stop()));
    },
  };
}

function createDevices(
  enrolled: readonly EnrolledSilo[],
  memories: MemoryFile,
  renew: (siloId: string) => Promise<DeviceCredentials>,
  options: FarmOptions,
): readonly SiloDevice[] {
  const {
    mqttUrl,
    intervalMs = INTERVAL_MS_DEFAULT,
    faults,
    onEvent,
    now = Date.now,
    random = Math.random,
  } = options;
  return enrolled.map(
    ({ silo, credentials }) =>
      new SiloDevice({
        silo,
        link: {
          mqttUrl,
          credentials,
          renewCredentials: () => renew(silo.id),
          onChange: (change) => onEvent?.({ kind: 'link', siloId: silo.id, change }),
          random,
        },
        intervalMs,
        faults: faults?.get(silo.id) ?? new Set(),
        memory: memories.find(silo.id),
        keep: (memory) => memories.keep(silo.id, memory),
        onTrouble: (reason) => onEvent?.({ kind: 'trouble', siloId: silo.id, reason }),
        now,
      }),
  );
}

interface HistoryJob {
  readonly client: Client;
  readonly devices: readonly SiloDevice[];
  readonly days: number;
  readonly nowMs: number;
  readonly onEvent: (event: FarmEvent) => void;
}

async function writeHistory(job: HistoryJob): Promise<void> {
  if (job.days <= 0) return;
  try {
    await writeMissingHistory(job);
  } catch (failure) {
    if (failure instanceof LinkStoppedError) return;
    job.onEvent({
      kind: 'history-failed',
      reason: failure instanceof Error ? failure.message : String(failure),
    });
  }
}

/** Silo after silo, each over its own link and each message acknowledged before the next: an interruption loses little. */
async function writeMissingHistory({ client, devices, days, nowMs, onEvent }: HistoryJob): Promise<void> {
  const silosTotal = devices.length;
  let hasBegun = false;
  for (const [silosDone, { silo, link }] of devices.entries()) {
    const span = await findMissingPast(client, silo.id, days, nowMs);
    if (span !== undefined) {
      if (!hasBegun) onEvent({ kind: 'history', days, silosDone, silosTotal });
      hasBegun = true;
      for (const readings of pastMessages(silo, span)) await link.deliver('telemetry', readings);
    }
    if (hasBegun) onEvent({ kind: 'history', days, silosDone: silosDone + 1, silosTotal });
  }
}
