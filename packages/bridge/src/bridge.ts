import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  BridgedDevice,
  BridgeMapping,
  BridgeReport,
  BridgeRequest,
  BridgeResult,
  DeclaredUnitsOf,
  TestedPoint,
} from '@granary/contract/bridges';
import { POINTS_MAX, UNIT_DIFFERS } from '@granary/contract/bridges';
import { SECOND_MS, toIso, toIsoOrNull } from '@granary/contract/time';
import { askedEndpointFault } from './drivers/asked-endpoint.ts';
import type {
  AttachedDevice,
  DeviceHealth,
  Driver,
  DriverModule,
  DriverParts,
  LogLevel,
  Sample,
} from './drivers/driver.ts';
import { type DriverName, driverNameOf, endpointGroup, loadDriver, schemesOf } from './drivers/drivers.ts';
import { messageDeviceFaults } from './drivers/message-device.ts';
import { modbusDeviceFaults } from './drivers/modbus/device-faults.ts';
import type { Mapping } from './mapping/mapping.ts';
import { clipped, messageOf, Reporter } from './report.ts';
import { declarationsOf } from './site/declarations.ts';
import { replaceSite } from './site/edit-site.ts';
import { NO_SECRETS, readSecrets, type Secrets, writeSecrets } from './site/secrets.ts';
import {
  channelsOf,
  type DeviceFaults,
  libraryMappings,
  readSite,
  type Site,
  type SiteDevice,
  type SiteFault,
  type SiteOutcome,
  secretsFileOf,
  siteOutcome,
  unitsFileOf,
} from './site/site-file.ts';
import { readSiteAgain, type SiteChange } from './site/site-reader.ts';
import { BridgeClock, bootId, type MachineClocks } from './uplink/clock.ts';
import { DeclaredUnits, type OtherUnit, otherUnitText } from './uplink/declared-units.ts';
import { Journal } from './uplink/journal.ts';
import { readingOf } from './uplink/message.ts';
import { Replay } from './uplink/replay.ts';
import { DeviceSession } from './uplink/session.ts';

const LOOK_AT_FILES_MS = 2 * SECOND_MS;
const HEALTH_EVERY_MS = SECOND_MS;
const DRIVER_RETRY_MS = 10 * SECOND_MS;
const FAULTS_SHOWN_MAX = 50;
/** The limit of the time for which readings wait, if the service accepts connections but does not tell its time. */
const HOLD_MS_MAX = 15 * SECOND_MS;

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

/** The registry of drivers. */
export interface Drivers {
  nameOf(protocol: string, endpoint: string): string | null;
  load(name: string): Promise<DriverModule>;
  faults: DeviceFaults;
}

/** Returns what the entry of a device lacks, according to its driver. */
export const deviceFaults: DeviceFaults = (device) => {
  const { protocol } = device.mapping;
  if (driverNameOf(protocol, device.endpoint) === null)
    return [`a device of the protocol ${protocol} is reached at ${schemesOf(protocol).join(' or ')}`];
  return protocol === 'modbus' ? modbusDeviceFaults(device) : messageDeviceFaults(device);
};

const DRIVERS: Drivers = {
  nameOf: driverNameOf,
  load: (name) => loadDriver(name as DriverName),
  faults: deviceFaults,
};

/** The error that the site file cannot be used, and there is no earlier version to continue with. */
export class SiteError extends Error {
  readonly faults: readonly SiteFault[];

  constructor(faults: readonly SiteFault[]) {
    super(`the site file has ${faults.length} faults`);
    this.faults = faults;
  }
}

/** The devices behind one endpoint, which one driver reads. */
interface Group {
  readonly key: string;
  readonly signature: string;
  readonly devices: readonly AttachedDevice[];
  driver: Driver | null;
  retryTimer: NodeJS.Timeout | undefined;
  isStopped: boolean;
}

/** Attaches the devices of a site file. It continues while the service is not reachable or the file is faulty. */
export class Bridge {
  readonly #options: BridgeOptions;
  readonly #drivers: Drivers;
  readonly #clock: BridgeClock;
  #journal: Journal | null = null;
  #replay: Replay | null = null;
  #units: DeclaredUnits | null = null;
  /** The sensors of each device whose values are not sent, because their unit differs. */
  readonly #otherUnits = new Map<string, readonly OtherUnit[]>();
  readonly #reporter: Reporter;
  #site: Site | null = null;
  #loadedAtMs: number | null = null;
  #faults: readonly SiteFault[] = [];
  #secrets: Secrets = NO_SECRETS;
  #seen = '';
  readonly #groups = new Map<string, Group>();
  readonly #sessions = new Map<string, DeviceSession>();
  readonly #lastSamples = new Map<string, Sample>();
  readonly #timers: NodeJS.Timeout[] = [];
  #work: Promise<void> = Promise.resolve();
  #startedAtMs = 0;
  #isStopping = false;
  /** The time since when the service accepts connections while its time is not known. */
  #heldSinceMs: number | null = null;
  #isReleased = false;

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#drivers = options.drivers ?? DRIVERS;
    const { log } = options;
    this.#clock = new BridgeClock((byMs) => {
      log('warn', 'the clock of this machine differs from that of the service, whose time is used', { byMs });
    }, options.clocks);
    this.#reporter = new Reporter({
      bridgeId: () => this.#site?.bridgeId ?? '',
      access: () => this.#access(),
      general: () => this.#general(),
      devices: () => this.devices(),
      mappings: () => [...(this.#site?.mappings.values() ?? [])].map(mappingRecord),
      units: {
        unasked: () => this.#units?.unasked ?? [],
        learn: async (asked, declared) => await this.#learnUnits(asked, declared),
      },
      carryOut: (request) => this.#carryOut(request),
      clock: this.#clock,
      answered: () => this.#release(),
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
    this.#journal = new Journal({
      file: join(site.dataDir, 'journal.sqlite'),
      hoursMax: site.journalHoursMax,
      bytesMax: site.journalBytesMax,
      now: this.#clock.now,
      aheadMs: this.#clock.confirmedAheadMs,
      bootId: bootId(),
      log,
    });
    this.#journal.start();
    this.#replay = new Replay(
      this.#journal,
      () => this.#sessions,
      () => this.#mayDeliver(),
    );
    this.#replay.start();
    this.#units = await DeclaredUnits.read(unitsFileOf(site));
    this.#seen = await this.#fileTimes(site);
    await this.#apply(site);
    this.#timers.push(setInterval(() => this.#followHealth(), HEALTH_EVERY_MS));
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
    await Promise.all([...this.#groups.values()].map((group) => this.#stopGroup(group)));
    this.#replay?.stop();
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
    this.#journal?.stop();
  }

  /** Returns each device with its state in the bridge. */
  devices(): BridgedDevice[] {
    const healthOf = new Map<string, DeviceHealth>();
    for (const { driver } of this.#groups.values())
      for (const health of driver?.health() ?? []) healthOf.set(health.deviceId, health);
    return (this.#site?.devices ?? []).map(({ attached }) =>
      this.#record(attached, healthOf.get(attached.id)),
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
    const renewed = [...this.#sessions].filter(([deviceId]) => before[deviceId] !== devices[deviceId]);
    await Promise.all(renewed.map(([, session]) => session.reopen()));
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
    this.#units?.ask(site.devices.map(({ attached }) => attached));
    this.#compareUnits(site.devices);
    const wanted = this.#groupsOf(site);
    for (const [key, group] of this.#groups) {
      if (wanted.get(key)?.signature === group.signature) continue;
      await this.#stopGroup(group);
      this.#groups.delete(key);
    }
    const deviceIds = new Set(site.devices.map(({ attached }) => attached.id));
    for (const [deviceId, session] of this.#sessions) {
      if (deviceIds.has(deviceId)) continue;
      this.#sessions.delete(deviceId);
      this.#lastSamples.delete(deviceId);
      await session.close();
    }
    for (const deviceId of deviceIds)
      if (!this.#sessions.has(deviceId)) this.#sessions.set(deviceId, this.#sessionOf(deviceId));
    if (before !== null && before.mqttUrl !== site.mqttUrl)
      await Promise.all([...this.#sessions.values()].map((session) => session.reopen()));
    for (const [key, group] of wanted) {
      if (this.#groups.has(key)) continue;
      this.#groups.set(key, group);
      await this.#startGroup(group);
    }
  }

  #groupsOf(site: Site): Map<string, Group> {
    const keyOf = ({ mapping, endpoint }: AttachedDevice) =>
      `${this.#drivers.nameOf(mapping.protocol, endpoint)} ${endpointGroup(endpoint)}`;
    const devices = site.devices.map(({ attached }) => attached);
    return new Map(
      [...Map.groupBy(devices, keyOf)].map(([key, own]) => [
        key,
        {
          key,
          signature: signatureOf(own),
          devices: own,
          driver: null,
          retryTimer: undefined,
          isStopped: false,
        },
      ]),
    );
  }

  async #startGroup(group: Group): Promise<void> {
    const { log } = this.#options;
    const [name = ''] = group.key.split(' ', 1);
    try {
      const { makeDriver } = await this.#drivers.load(name);
      const driver = makeDriver(
        group.devices,
        { sample: (sample) => this.#take(sample), failed: () => undefined },
        this.#driverParts(),
      );
      group.driver = driver;
      await driver.start();
    } catch (error) {
      log('error', 'the driver of an endpoint cannot start; it is tried again', {
        endpoint: group.devices[0]?.endpoint,
        reason: messageOf(error),
      });
      await group.driver?.stop().catch(() => undefined);
      group.driver = null;
      if (!group.isStopped)
        group.retryTimer = setTimeout(() => void this.#startGroup(group), DRIVER_RETRY_MS);
    }
  }

  async #stopGroup(group: Group): Promise<void> {
    group.isStopped = true;
    clearTimeout(group.retryTimer);
    await group.driver?.stop().catch((error: unknown) => {
      this.#options.log('error', 'a driver did not stop in order', { reason: messageOf(error) });
    });
  }

  #driverParts(): DriverParts {
    return {
      now: this.#clock.now,
      log: this.#options.log,
      ...(this.#journal === null ? {} : { totals: this.#journal }),
      credentials: (endpoint) => this.#secrets.endpoints?.[endpoint] ?? null,
    };
  }

  #sessionOf(deviceId: string): DeviceSession {
    return new DeviceSession({
      deviceId,
      mqttUrl: () => this.#site?.mqttUrl ?? this.#options.mqttUrl ?? 'mqtt://127.0.0.1:1883',
      // The id of a device may be the name of a property that every object has.
      secret: () =>
        (Object.hasOwn(this.#secrets.devices, deviceId) && this.#secrets.devices[deviceId]) || null,
      journal: { add: (reading) => this.#journal?.add(reading) },
      log: this.#options.log,
      onConnected: () => {
        this.#heldSinceMs ??= performance.now();
        if (!this.#clock.isConfirmed) this.#reporter.hurry();
        this.#replay?.wake();
      },
      mayDeliver: () => this.#mayDeliver(),
      aheadMs: this.#clock.confirmedAheadMs,
    });
  }

  #access() {
    const baseUrl = this.#site?.serviceUrl ?? this.#options.serviceUrl;
    const { key: apiKey } = this.#secrets;
    return baseUrl == null || apiKey === undefined ? null : { baseUrl, apiKey };
  }

  /** Returns whether readings may be sent. With the time of a wrong clock, the service would refuse them or show them at a wrong time. */
  #mayDeliver(): boolean {
    if (this.#clock.isConfirmed || this.#access() === null) return true;
    return this.#heldSinceMs !== null && performance.now() - this.#heldSinceMs > HOLD_MS_MAX;
  }

  /** Sends the readings that have waited for the time of the service. */
  #release(): void {
    if (this.#isReleased || !this.#mayDeliver()) return;
    this.#isReleased = true;
    for (const session of this.#sessions.values()) session.sendNewest();
    this.#replay?.wake();
    if (!this.#clock.isConfirmed)
      this.#options.log('warn', 'readings are sent with the time of this machine', {});
  }

  #take(sample: Sample): void {
    this.#lastSamples.set(sample.deviceId, sample);
    const session = this.#sessions.get(sample.deviceId);
    const others = this.#otherUnits.get(sample.deviceId);
    const values =
      others === undefined
        ? sample.values
        : sample.values.filter(({ sensor }) => others.every((other) => other.sensor !== sensor));
    const reading = readingOf({ ...sample, values }, this.#clock.unconfirmedAheadMs());
    session?.open();
    if (reading !== null) session?.deliver(reading);
  }

  async #learnUnits(asked: readonly string[], declared: Readonly<Record<string, DeclaredUnitsOf>>) {
    try {
      await this.#units?.learn(asked, declared);
    } catch (error) {
      this.#options.log('warn', 'the units of sensors cannot be kept on disk', { reason: messageOf(error) });
    }
    const devices = new Set(asked);
    this.#compareUnits((this.#site?.devices ?? []).filter(({ attached }) => devices.has(attached.id)));
  }

  /** Finds values in another unit than that of their sensor. They would be wrong and look right, so they are not sent. */
  #compareUnits(devices: Site['devices']): void {
    for (const { attached } of devices) {
      const { id: deviceId, mapping } = attached;
      const others = this.#units?.otherUnitsOf(deviceId, mapping) ?? [];
      const reason = otherUnitText(others);
      const before = otherUnitText(this.#otherUnits.get(deviceId) ?? []);
      if (others.length === 0) this.#otherUnits.delete(deviceId);
      else this.#otherUnits.set(deviceId, others);
      if (reason !== '' && reason !== before)
        this.#options.log('error', 'values of a device are not sent: their unit is not the declared one', {
          deviceId,
          mapping: mapping.name,
          reason,
        });
    }
  }

  /** Opens and closes sessions: a session is open while the field device answers, and until its waiting readings are delivered. */
  #followHealth(): void {
    this.#release();
    for (const { driver } of this.#groups.values()) {
      for (const { deviceId, state } of driver?.health() ?? []) {
        const session = this.#sessions.get(deviceId);
        if (state === 'answering' || (this.#journal?.waitingOf(deviceId) ?? 0) > 0) session?.open();
        else void session?.close();
      }
    }
  }

  #general(): Pick<BridgeReport, 'version' | 'started_at' | 'site' | 'journal'> {
    const journal = this.#journal?.status();
    return {
      version: this.#options.version,
      started_at: toIso(this.#startedAtMs),
      site: {
        file: clipped(this.#site?.file ?? this.#options.siteFile),
        loaded_at: toIsoOrNull(this.#loadedAtMs),
        faults: this.#faults.slice(0, FAULTS_SHOWN_MAX).map(({ file, line, path, message }) => ({
          line,
          message: clipped(`${file === this.#site?.file ? '' : `${file} `}${path} ${message}`),
        })),
      },
      journal: {
        readings: journal?.readings ?? 0,
        bytes: journal?.bytes ?? 0,
        oldest_at: toIsoOrNull(journal?.oldestMs ?? null),
        dropped: journal?.dropped ?? 0,
        fault: journal?.fault == null ? null : clipped(journal.fault),
        gaps: (journal?.gaps ?? []).map(({ deviceId, fromMs, toMs, readings }) => ({
          device_id: deviceId,
          from: toIso(fromMs),
          to: toIso(toMs),
          readings,
        })),
      },
    };
  }

  #record({ id, mapping, endpoint, unit }: AttachedDevice, health: DeviceHealth | undefined): BridgedDevice {
    const session = this.#sessions.get(id);
    return {
      device_id: id,
      mapping: mapping.name,
      endpoint,
      unit,
      state: health?.state ?? 'waiting',
      connected: session?.isConnected ?? false,
      last_answer_at: toIsoOrNull(health?.lastAnswerMs ?? null),
      round_trip_ms: health?.roundTripMs ?? null,
      breaker: {
        open: health?.breaker.open ?? false,
        next_try_at: toIsoOrNull(health?.breaker.nextTryMs ?? null),
        failures: health?.breaker.failures ?? 0,
      },
      last_failure: this.#lastFailureOf(id, health),
      counters: {
        requests: health?.counters.requests ?? 0,
        failures: health?.counters.failures ?? 0,
        timeouts: health?.counters.timeouts ?? 0,
        skipped: health?.counters.skipped ?? 0,
        lateness_ms_max: Math.max(0, health?.counters.latenessMsMax ?? 0),
      },
      waiting: this.#journal?.waitingOf(id) ?? 0,
    };
  }

  /** Returns the fault that prevents values from being stored, before any failure of the driver. */
  #lastFailureOf(id: string, health: DeviceHealth | undefined): BridgedDevice['last_failure'] {
    const fault = this.#sessions.get(id)?.fault ?? null;
    const nowMs = this.#clock.now();
    if (fault !== null)
      return { code: 'not_connected', detail: clipped(fault), at: toIso(nowMs), points: [] };
    const others = this.#otherUnits.get(id);
    if (others !== undefined && health?.state !== 'silent')
      return {
        code: UNIT_DIFFERS,
        detail: clipped(otherUnitText(others)),
        at: toIso(this.#loadedAtMs ?? nowMs),
        points: others.slice(0, 100).map(({ sensor }) => sensor),
      };
    const failure = health?.lastFailure ?? null;
    return (
      failure && {
        code: failure.code,
        detail: clipped(failure.detail),
        at: toIso(failure.atMs),
        points: failure.points.slice(0, 100).map((point) => clipped(point, 200)),
      }
    );
  }

  async #carryOut(request: BridgeRequest): Promise<Omit<BridgeResult, 'request_id'>> {
    const { kind, device_id: deviceId } = request;
    if (kind === 'test')
      return deviceId === null ? await this.#testPlace(request) : await this.#testDevice(deviceId);
    if (deviceId === null) return refused('the request names no device');
    return kind === 'add' ? await this.#add(deviceId, request) : await this.#remove(deviceId);
  }

  /** Answers with the last sample: many devices accept one connection only, and the driver uses it. */
  async #testDevice(deviceId: string): Promise<Omit<BridgeResult, 'request_id'>> {
    const device = this.devices().find((one) => one.device_id === deviceId);
    if (device === undefined) return refused(`this bridge has no device ${deviceId}`);
    const sample = this.#lastSamples.get(deviceId);
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
  ): Promise<Omit<BridgeResult, 'request_id'>> {
    if (mapping === null || endpoint === null || secret === undefined)
      return refused('the request is not complete');
    const fault = askedEndpointFault(endpoint);
    if (fault !== null) return refused(fault);
    if (units !== undefined) await this.#learnUnits([deviceId], { [deviceId]: units });
    const entry: SiteDevice = {
      id: deviceId,
      mapping,
      endpoint,
      ...(unit === null ? {} : { unit }),
      ...(Object.keys(options).length === 0 ? {} : { options }),
    };
    return await this.#edit({ add: entry }, secret);
  }

  async #remove(deviceId: string): Promise<Omit<BridgeResult, 'request_id'>> {
    return await this.#edit({ remove: deviceId }, null);
  }

  /** Changes the site file. A change that would make the file faulty is refused. */
  async #edit(change: SiteChange, secret: string | null): Promise<Omit<BridgeResult, 'request_id'>> {
    const before = this.#site;
    if (before === null) return refused('there is no site file');
    let result: Omit<BridgeResult, 'request_id'> = { failure: null };
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
      if (added !== null) await this.#sessions.get(added)?.reopen();
    });
    return result;
  }
}

const refused = (detail: string): Omit<BridgeResult, 'request_id'> => ({
  failure: { code: 'refused', detail: clipped(detail) },
});

const signatureOf = (devices: readonly AttachedDevice[]): string =>
  JSON.stringify(devices, (_, value: unknown) => (value instanceof Map ? [...value] : value));

const sampleResult = ({ roundTripMs, values }: Sample): Omit<BridgeResult, 'request_id'> => ({
  failure: null,
  round_trip_ms: roundTripMs,
  points: values.slice(0, POINTS_MAX).map(
    ({ point, sensor, raw, value, unit, quality, reason }): TestedPoint => ({
      point: clipped(point, 200),
      sensor,
      raw: clipped(raw),
      value,
      unit: clipped(unit, 32),
      quality,
      reason,
    }),
  ),
});

const mappingRecord = (mapping: Mapping): BridgeMapping => ({
  name: mapping.name,
  version: mapping.version,
  title: clipped(mapping.title, 200),
  protocol: mapping.protocol,
  source: clipped(mapping.source),
  profile: mapping.profile,
  evidence: mapping.evidence,
  channels: channelsOf(mapping),
  sensors: declarationsOf(mapping),
});
