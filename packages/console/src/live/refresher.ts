import type { Client } from '@granary/client';
import type { ReadonlySignal } from '@preact/signals';
import type { Refresh } from './apply-event.ts';
import type { Site } from './site.ts';

/** Events often come in groups, and one read serves them all. */
const GATHER_MS = 150;
/** More devices than this are read as a list. */
const DEVICES_ONE_BY_ONE_MAX = 10;
const PROGRESS_EVERY_MS = 2_000;
/** Jobs under way whose progress is read in one round; the others follow in the next rounds. */
const JOBS_PER_ROUND_MAX = 10;

/** Reads again what an event has changed, and the progress of jobs under way, which is not in the event log. */
export class Refresher implements Refresh {
  readonly #client: Client;
  readonly #site: Site;
  readonly #signal: AbortSignal;
  readonly #isShown: ReadonlySignal<boolean>;
  readonly #devices = new Set<string>();
  readonly #missions = new Map<string, string>();
  #isGathering = false;
  #round = 0;

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
    await Promise.all([
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
        for await (const device of fleet.devicesAll({ ...query, include: 'readings' }, options)) {
          if (wanted.has(device.device_id)) this.#site.devices.put(device);
        }
      }
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
    const { operations, missions } = this.#site;
    const jobs = [
      ...[...operations.all.peek().values()].map(({ device_id, operation_id }) => async () => {
        const record = await this.#client.operations.get(device_id, operation_id, { signal: this.#signal });
        operations.put({ device_id, ...record });
      }),
      ...[...missions.all.peek().values()].map(({ device_id, mission_id }) => async () => {
        await this.#readMission(device_id, mission_id);
      }),
    ];
    const first = jobs.length === 0 ? 0 : (this.#round * JOBS_PER_ROUND_MAX) % jobs.length;
    this.#round++;
    await Promise.all(jobs.slice(first, first + JOBS_PER_ROUND_MAX).map((job) => this.#quietly(job)));
  }

  /** A read that fails is not reported: the connection state shows that, and a later read repairs it. */
  async #quietly(work: () => Promise<void>): Promise<void> {
    await work().catch(() => undefined);
  }
}
