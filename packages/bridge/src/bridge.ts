import { stat } from 'node:fs/promises';
import type { BridgedDevice, BridgeReport, BridgeRequest } from '@granary/contract/bridges';
import { SECOND_MS, toIso } from '@granary/contract/time';
import {
  deviceRecord,
  journalRecord,
  mappingRecord,
  type RequestOutcome,
  refused,
  sampleResult,
  siteRecord,
} from './bridge-records.ts';
import { askedEndpointFault } from './drivers/asked-endpoint.ts';
import type { AttachedDevice, DriverParts, LogLevel } from './drivers/driver.ts';
import { ALL_DRIVERS, type Drivers } from './drivers/drivers.ts';
import { EndpointGroups } from './drivers/endpoint-groups.ts';
import { messageOf } from './message-of.ts';
import { clipped, Reporter } from './report.ts';
import { replaceSite } from './site/edit-site.ts';
import { NO_SECRETS, readSecrets, type Secrets, writeSecrets } from './site/secrets.ts';
import {
  libraryMappings,
  readSite,
  type Site,
  type SiteDevice,
  type SiteFault,
  type SiteOutcome,
  secretsFileOf,
  siteOutcome,
} from './site/site-file.ts';
import { readSiteAgain, type SiteChange } from './site/site-reader.ts';
import { BridgeClock, type MachineClocks } from './uplink/clock.ts';
import { Delivery } from './uplink/delivery.ts';

const LOOK_AT_FILES_MS = 2 * SECOND_MS;
const HEALTH_EVERY_MS = SECOND_MS;
const FAULTS_SHOWN_MAX = 50;
type Log = (level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>) => void;

export interface BridgeOptions {
  readonly siteFile: string;
  readonly version: string;
  /** The address of the service, if the site file does not name it. */
  readonly serviceUrl: string | null;
  readonly mqttUrl: string | null;
  readonly log: Log;
  /** Tests use their own drivers and mappings. */
  readonly drivers?: Drivers;
  readonly library?: string;
  readonly clocks?: Partial<MachineClocks>;
}

/** The error that the site file cannot be used, and there is no earlier version to continue with. */
export class SiteError extends Error {
  readonly faults: readonly SiteFault[];

  constructor(faults: readonly SiteFault[]) {
    super(`the site file has ${faults.length} faults`);
    this.faults = faults;
  }
}

/** Attaches the devices of a site file. It continues while the service is not reachable or the file is faulty. */
export class Bridge {
  readonly #options: BridgeOptions;
  readonly #drivers: Drivers;
  readonly #clock: BridgeClock;
  readonly #groups: EndpointGroups;
  #delivery: Delivery | null = null;
  readonly #reporter: Reporter;
  #site: Site | null = null;
  #loadedAtMs: number | null = null;
  #faults: readonly SiteFault[] = [];
  #secrets: Secrets = NO_SECRETS;
  #seen = '';
  readonly #timers: NodeJS.Timeout[] = [];
  #work: Promise<void> = Promise.resolve();
  #startedAtMs = 0;
  #isStopping = false;

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#drivers = options.drivers ?? ALL_DRIVERS;
    const { log } = options;
    this.#clock = new BridgeClock((byMs) => {
      log('warn', 'the clock of this machine differs from that of the service, whose time is used', { byMs });
    }, options.clocks);
    this.#groups = new EndpointGroups({
      drivers: this.#drivers,
      driverParts: () => this.#driverParts(),
      sample: (sample) => this.#delivery?.take(sample),
      log,
    });
    this.#reporter = new Reporter({
      bridgeId: () => this.#site?.bridgeId ?? '',
      access: () => this.#access(),
      general: () => this.#general(),
      devices: () => this.devices(),
      mappings: () => [...(this.#site?.mappings.values() ?? [])].map(mappingRecord),
      units: {
        unasked: () => this.#delivery?.unaskedUnits ?? [],
        learn: async (asked, declared) => await this.#delivery?.learnUnits(asked, declared),
      },
      carryOut: (request) => this.#carryOut(request),
      clock: this.#clock,
      answered: () => this.#delivery?.release(),
      log,
    });
  }

  async start(): Promise<void> {
    this.#startedAtMs = this.#clock.now();
    const { siteFile, library } = this.#options;
    const outcome = await readSite(siteFile, this.#drivers.faults, library);
    if (outcome.site === null) throw new SiteError(outcome.faults);
    const { site } = outcome;
    this.#secrets = await readSecrets(secretsFileOf(site));
    const { log } = this.#options;
    this.#delivery = await Delivery.start(
      {
        clock: this.#clock,
        mqttUrl: () => this.#site?.mqttUrl ?? this.#options.mqttUrl ?? 'mqtt://127.0.0.1:1883',
        secretOf: (deviceId) => this.#secretOf(deviceId),
        canAsk: () => this.#access() !== null,
        askForTime: () => this.#reporter.hurry(),
        log,
      },
      site,
    );
    this.#seen = await this.#fileTimes(site);
    await this.#apply(site);
    this.#timers.push(
      setInterval(() => this.#delivery?.followHealth(this.#groups.health()), HEALTH_EVERY_MS),
    );
    this.#timers.push(setInterval(() => this.#lookAtFiles(), LOOK_AT_FILES_MS));
    this.#reporter.start();
    log('info', 'the bridge is running', { bridge: site.bridgeId, devices: site.devices.length });
  }

  /** Stops the bridge. When this resolves, every reading is sent or in the journal. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#reporter.stop();
    await this.#work;
    await this.#groups.stop();
    await this.#delivery?.stop();
  }

  /** Returns each device with its state in the bridge. */
  devices(): BridgedDevice[] {
    const healthOf = new Map(this.#groups.health().map((health) => [health.deviceId, health]));
    const nowMs = this.#clock.now();
    return (this.#site?.devices ?? []).map(({ attached }) =>
      deviceRecord(attached, {
        health: healthOf.get(attached.id),
        session: this.#delivery?.sessionOf(attached.id),
        otherUnits: this.#delivery?.otherUnitsOf(attached.id),
        waiting: this.#delivery?.journal.waitingOf(attached.id) ?? 0,
        nowMs,
        loadedAtMs: this.#loadedAtMs,
      }),
    );
  }

  status(): Pick<BridgeReport, 'version' | 'started_at' | 'site' | 'journal'> {
    return this.#general();
  }

  /** The time with which readings are stored. */
  now(): number {
    return this.#clock.now();
  }

  /** Reads the site like at the start, while polls continue. */
  async #readAgain(change: SiteChange | null): Promise<SiteOutcome & { readonly text: string }> {
    const { siteFile: file, library } = this.#options;
    const read = await readSiteAgain({ file, library: await libraryMappings(library), change });
    return { ...siteOutcome(read, this.#drivers.faults), text: read.text };
  }

  /** Runs one change after another; a failure of one must not stop the next. */
  #inOrder(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work);
    this.#work = done.catch((error: unknown) => {
      this.#options.log('error', 'a change of the bridge has failed', { reason: messageOf(error) });
    });
    return done;
  }

  #lookAtFiles(): void {
    const site = this.#site;
    if (site === null || this.#isStopping) return;
    void this.#inOrder(async () => {
      const seen = await this.#fileTimes(site);
      if (seen === this.#seen) return;
      this.#seen = seen;
      await this.#reload();
    }).catch(() => undefined);
  }

  /** Reads the site file again. A faulty file changes nothing: the bridge continues with the last good one and reports the faults. */
  async #reload(): Promise<void> {
    const { log } = this.#options;
    const { site, faults } = await this.#readAgain(null);
    if (site === null) {
      this.#faults = faults;
      for (const { file, line, path, message } of faults.slice(0, FAULTS_SHOWN_MAX))
        log('error', 'the site file is faulty; the bridge goes on with the last good one', {
          file,
          line,
          path,
          message,
        });
      return;
    }
    const before = this.#secrets.devices;
    try {
      this.#secrets = await readSecrets(secretsFileOf(site));
    } catch (error) {
      log('error', 'the secrets cannot be read; the bridge goes on with the last good ones', {
        reason: messageOf(error),
      });
    }
    await this.#apply(site);
    const { devices } = this.#secrets;
    await this.#delivery?.reopen((deviceId) => before[deviceId] !== devices[deviceId]);
    this.#seen = await this.#fileTimes(site);
    log('info', 'the site file was read again', { devices: site.devices.length });
  }

  async #fileTimes(site: Site): Promise<string> {
    const times = [...site.files, secretsFileOf(site)].map(async (file) => {
      const { mtimeMs, size, ino } = await stat(file).catch(() => ({ mtimeMs: 0, size: 0, ino: 0 }));
      return `${file} ${mtimeMs} ${size} ${ino}`;
    });
    return (await Promise.all(times)).join('\n');
  }

  /** Starts, stops and restarts the devices that differ from the previous site; all others continue. */
  async #apply(site: Site): Promise<void> {
    const before = this.#site;
    this.#site = site;
    this.#loadedAtMs = this.#clock.now();
    this.#faults = [];
    const devices = site.devices.map(({ attached }) => attached);
    this.#delivery?.compareDevices(devices);
    await this.#groups.stopChanged(devices);
    await this.#delivery?.followDevices();
    if (before !== null && before.mqttUrl !== site.mqttUrl) await this.#delivery?.reopen(() => true);
    await this.#groups.startMissing(devices);
  }

  #driverParts(): DriverParts {
    return {
      now: this.#clock.now,
      log: this.#options.log,
      ...(this.#delivery === null ? {} : { totals: this.#delivery.journal }),
      credentials: (endpoint) => this.#secrets.endpoints?.[endpoint] ?? null,
    };
  }

  /** Returns the secret of a device. Its id may be the name of a property that every object has. */
  #secretOf(deviceId: string): string | null {
    const { devices } = this.#secrets;
    return (Object.hasOwn(devices, deviceId) && devices[deviceId]) || null;
  }

  #access() {
    const baseUrl = this.#site?.serviceUrl ?? this.#options.serviceUrl;
    const { key: apiKey } = this.#secrets;
    return baseUrl == null || apiKey === undefined ? null : { baseUrl, apiKey };
  }

  #general(): Pick<BridgeReport, 'version' | 'started_at' | 'site' | 'journal'> {
    const faults = this.#faults.slice(0, FAULTS_SHOWN_MAX);
    const file = this.#site?.file ?? this.#options.siteFile;
    return {
      version: this.#options.version,
      started_at: toIso(this.#startedAtMs),
      site: siteRecord({ file, loadedAtMs: this.#loadedAtMs, faults }),
      journal: journalRecord(this.#delivery?.journal.status()),
    };
  }

  async #carryOut(request: BridgeRequest): Promise<RequestOutcome> {
    const { kind, device_id: deviceId } = request;
    if (kind === 'test')
      return deviceId === null ? await this.#testPlace(request) : await this.#testDevice(deviceId);
    if (deviceId === null) return refused('the request names no device');
    return kind === 'add' ? await this.#add(deviceId, request) : await this.#remove(deviceId);
  }

  /** Answers with the last sample: many devices accept one connection only, and the driver uses it. */
  async #testDevice(deviceId: string): Promise<RequestOutcome> {
    const device = this.devices().find((one) => one.device_id === deviceId);
    if (device === undefined) return refused(`this bridge has no device ${deviceId}`);
    const sample = this.#delivery?.lastSampleOf(deviceId);
    if (sample !== undefined && device.state === 'answering') return sampleResult(sample);
    const { last_failure: failure } = device;
    return failure === null
      ? { failure: { code: 'no_data', detail: 'the device has said nothing yet' } }
      : { failure: { code: failure.code, detail: failure.detail } };
  }

  async #testPlace({ mapping: name, endpoint, unit, options }: BridgeRequest) {
    const mapping = this.#site?.mappings.get(name ?? '');
    if (mapping === undefined || endpoint === null) return refused(`this bridge has no mapping ${name}`);
    const device: AttachedDevice = { id: 'test', mapping, endpoint, unit, options };
    const fault = askedEndpointFault(endpoint) ?? this.#drivers.faults(device)[0];
    if (fault !== undefined) return refused(fault);
    const { readOnce } = await this.#drivers.load(this.#drivers.nameOf(mapping.protocol, endpoint) ?? '');
    if (readOnce === undefined)
      return {
        failure: {
          code: 'no_data',
          detail: 'such a device speaks by itself; add it and wait for its next message',
        },
      };
    try {
      return sampleResult(await readOnce(device, this.#driverParts()));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'failed';
      return { failure: { code: clipped(code, 200), detail: clipped(messageOf(error)) } };
    }
  }

  async #add(
    deviceId: string,
    { mapping, endpoint, unit, options, secret, units }: BridgeRequest,
  ): Promise<RequestOutcome> {
    if (mapping === null || endpoint === null || secret === undefined)
      return refused('the request is not complete');
    const fault = askedEndpointFault(endpoint);
    if (fault !== null) return refused(fault);
    if (units !== undefined) await this.#delivery?.learnUnits([deviceId], { [deviceId]: units });
    const entry: SiteDevice = {
      id: deviceId,
      mapping,
      endpoint,
      ...(unit === null ? {} : { unit }),
      ...(Object.keys(options).length === 0 ? {} : { options }),
    };
    return await this.#edit({ add: entry }, secret);
  }

  async #remove(deviceId: string): Promise<RequestOutcome> {
    return await this.#edit({ remove: deviceId }, null);
  }

  /** Changes the site file. A change that would make the file faulty is refused. */
  async #edit(change: SiteChange, secret: string | null): Promise<RequestOutcome> {
    const before = this.#site;
    if (before === null) return refused('there is no site file');
    let result: RequestOutcome = { failure: null };
    await this.#inOrder(async () => {
      const seen = await this.#fileTimes(before);
      const { site, faults, text } = await this.#readAgain(change);
      if ((await this.#fileTimes(before)) !== seen) {
        result = refused('the site file was changed by somebody else; ask again');
        return;
      }
      if (site === null) {
        const [first] = faults;
        result = refused(`line ${first?.line}: ${first?.path} ${first?.message}`);
        return;
      }
      const added = 'add' in change ? change.add.id : null;
      // The secret is stored before the site file, so that no device in the file lacks its secret.
      if (added !== null && secret !== null) {
        const secrets = await readSecrets(secretsFileOf(before));
        this.#secrets = { ...secrets, devices: { ...secrets.devices, [added]: secret } };
        await writeSecrets(secretsFileOf(before), this.#secrets);
      }
      await replaceSite(before.file, text);
      await this.#apply(site);
      this.#seen = await this.#fileTimes(site);
      if (added !== null) await this.#delivery?.reopen((deviceId) => deviceId === added);
    });
    return result;
  }
}
