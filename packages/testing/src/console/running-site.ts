import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@granary/client';
import { SIMULATED_PROFILES } from '@granary/simulator/profiles/profiles';
import { startFarm } from '@granary/simulator/start-farm';
import { freePort } from '../free-port.ts';
import { eventually } from '../server/eventually.ts';
import { type ServiceProcess, startServiceProcess } from '../server/service-process.ts';

const REPORT_EVERY_MS = 1_000;

interface Stoppable {
  stop(): Promise<void>;
}

/** A service in a process of its own, with the simulated farm connected to it. */
export class RunningSite {
  readonly #folder: string;
  readonly #farm: Stoppable;
  #service: ServiceProcess;

  private constructor(folder: string, service: ServiceProcess, farm: Stoppable) {
    this.#folder = folder;
    this.#service = service;
    this.#farm = farm;
  }

  /**
   * Starts the site, usually without history, because writing thirty days of it takes longer than the tests. `files` are put
   * into the data folder.
   */
  static async start(
    historyDays = 0,
    files: Readonly<Record<string, Uint8Array>> = {},
    env: Readonly<Record<string, string>> = {},
  ): Promise<RunningSite> {
    const folder = await mkdtemp(join(tmpdir(), 'granary-console-'));
    for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
    // The page must know the port, which the service does not report if the system chooses it.
    const GRANARY_MQTT_PORT = String(await freePort());
    const service = await startServiceProcess({ ...settingsOf(folder), ...env, GRANARY_MQTT_PORT });
    const { httpUrl: baseUrl, mqttUrl, adminKey } = service;
    const farm = await startFarm({
      profiles: SIMULATED_PROFILES,
      baseUrl,
      adminKey: adminKey.key,
      mqttUrl,
      credentialsFile: join(folder, 'farm.json'),
      intervalMs: REPORT_EVERY_MS,
      historyDays,
    });
    const site = new RunningSite(folder, service, farm);
    await eventually(() => site.#areOnline(), true);
    return site;
  }

  get url(): string {
    return this.#service.httpUrl;
  }

  get apiKey(): string {
    return this.#service.adminKey.key;
  }

  get client(): Client {
    return createClient({ baseUrl: this.url, apiKey: this.apiKey });
  }

  async killService(): Promise<void> {
    await this.#service.kill();
  }

  /** Starts the service again on the same ports, so that the page and the devices find it. */
  async startAgain(): Promise<void> {
    const { httpUrl, mqttUrl } = this.#service;
    const ports = {
      GRANARY_HTTP_PORT: new URL(httpUrl).port,
      GRANARY_MQTT_PORT: new URL(mqttUrl).port,
    };
    this.#service = await startServiceProcess({ ...settingsOf(this.#folder), ...ports });
  }

  async stop(): Promise<void> {
    await this.#farm.stop();
    await this.#service.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #areOnline(): Promise<boolean> {
    const { data } = await this.client.fleet.devices({ include: 'readings' });
    return data.every(({ status, readings = {} }) => status === 'online' && Object.keys(readings).length > 0);
  }
}

const settingsOf = (folder: string) => ({ GRANARY_DATA_DIR: folder, GRANARY_RATE_LIMIT: 'off' });
