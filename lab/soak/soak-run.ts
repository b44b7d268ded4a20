import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '@granary/contract/time';
import { type Credentials, registerRovers, registerSilos, SILOS } from '../bench/farm.ts';
import type { ServiceProcess } from '../bench/service-process.ts';
import { AlertWaves, WAVE_ALERT, WAVE_CONFIGURATION } from './alert-waves.ts';
import { Caller } from './caller.ts';
import { Database } from './database.ts';
import type { Fault } from './faults.ts';
import type { FleetMember } from './fleet-devices.ts';
import { FleetProcess } from './fleet-process.ts';
import { AlertLedger, ReadingLedger, StartLedger } from './ledgers.ts';
import { Operators } from './operators.ts';
import { EventReader, Readers } from './readers.ts';
import { EmergencyStops, runMissions } from './rovers.ts';
import { type Site, type SoakNode, startSite } from './site.ts';
import { TimedStops } from './timed-stops.ts';
import { divide, type FaultWindow, type Outcome } from './verdict.ts';

const POLL_MS = 200;
const READY_MS_MAX = 3_000;
const GIVEN_UP_MS = 90_000;
/** The shares of the devices with this task. */
const WORKING = 0.12;
const EMPTYING = 0.06;
const STOPPED = 0.02;
const TRAVELLING = 0.02;
/** The time without a fault at the beginning and at the end, and the least time between two faults. */
const CALM_MS = 10 * SECOND_MS;
const INTERVAL_MS = 3 * SECOND_MS;
const LOOK_MS = SECOND_MS;
const DUE_IN_MS = 10 * SECOND_MS;
const SETTLED_MS_MAX = 60 * SECOND_MS;
const SETTLED_POLL_MS = 250;

interface RecoveryParts {
  readonly caller: Caller;
  readonly database: Database;
  readonly fleet: FleetProcess;
  readonly readings: ReadingLedger;
}

interface Recovery {
  readonly ms: number;
  /** The times at which the parts had recovered. */
  readonly detail: string;
}

/**
 * Measures the time until all conditions are true: the nodes are ready and answer a request, every device is connected, and
 * every reading that was acknowledged before now is in the database.
 */
async function measureRecovery(parts: RecoveryParts, nodes: readonly SoakNode[]): Promise<Recovery> {
  const { caller, database, fleet, readings } = parts;
  const beganMs = Date.now();
  const isReady = async (node: SoakNode): Promise<boolean> => {
    const signal = AbortSignal.timeout(READY_MS_MAX);
    const isUp = await fetch(`${node.url}/readyz`, { signal }).then(
      ({ ok }) => ok,
      () => false,
    );
    return isUp && (await caller.ask(node, { path: '/v1/overview' })).outcome === 'ok';
  };
  const missing = async (): Promise<number> => {
    await database.lookFor(readings).catch(() => undefined);
    return readings.missing(beganMs).length;
  };
  const doneMs = new Map<string, number>();
  /** The time at which each condition became true, for the conditions that are true now. */
  const note = (what: string, isDone: boolean): void => {
    if (!isDone) doneMs.delete(what);
    else if (!doneMs.has(what)) doneMs.set(what, Date.now() - beganMs);
  };
  let left = '';
  while (Date.now() - beganMs < GIVEN_UP_MS) {
    const [ready, missingCount] = await Promise.all([Promise.all(nodes.map(isReady)), missing()]);
    for (const [index, isDone] of ready.entries()) note(`node ${nodes[index]?.number}`, isDone);
    note('readings', missingCount === 0);
    note('devices', fleet.isComplete);
    if (ready.every(Boolean) && missingCount === 0 && fleet.isComplete) {
      const detail = [...doneMs].map(([what, ms]) => `${what} ${ms}`).join(', ');
      return { ms: Date.now() - beganMs, detail };
    }
    left = `ready: ${ready.join(' ')}, missing readings: ${missingCount}, connected devices: ${fleet.connectedCount}`;
    await sleep(POLL_MS);
  }
  throw new Error(`no recovery within ${GIVEN_UP_MS / 1_000} s (${left})`);
}

/** The devices of a run by their task. */
interface Registered {
  readonly members: readonly FleetMember[];
  /** Silos with operations. */
  readonly working: readonly string[];
  /** Silos that become nearly empty from time to time. */
  readonly emptying: readonly string[];
  /** Silos that only report. */
  readonly idle: readonly string[];
  /** Rovers that are stopped. */
  readonly stopped: readonly string[];
  /** Rovers with missions. */
  readonly travelling: readonly string[];
}

const part = (devices: number, share: number): number => Math.max(2, Math.round(devices * share));

async function registerFleet(service: ServiceProcess, devices: number): Promise<Registered> {
  const stoppedCount = part(devices, STOPPED);
  const roverCount = stoppedCount + part(devices, TRAVELLING);
  const silos = await registerSilos(service, devices - roverCount);
  const rovers = await registerRovers(service, roverCount, 'soak');
  const workingCount = part(devices, WORKING);
  const emptyingCount = part(devices, EMPTYING);
  const siloIds = silos.map(({ username }) => username);
  const roverIds = rovers.map(({ username }) => username);
  const member = (kind: FleetMember['kind']) => (credentials: Credentials) => ({
    deviceId: credentials.username,
    secret: credentials.secret,
    kind,
  });
  return {
    members: [...silos.map(member('silo')), ...rovers.map(member('rover'))],
    working: siloIds.slice(0, workingCount),
    emptying: siloIds.slice(workingCount, workingCount + emptyingCount),
    idle: siloIds.slice(workingCount + emptyingCount),
    stopped: roverIds.slice(0, stoppedCount),
    travelling: roverIds.slice(stoppedCount),
  };
}

export interface SoakPlan {
  readonly durationMs: number;
  readonly devices: number;
  readonly faults: readonly Fault[];
  /** The folder for the logs of the nodes; `null` if they are not kept. */
  readonly logFolder: string | null;
  readonly progress: Progress;
  readonly interruption: AbortSignal;
}

export interface SoakResult {
  readonly outcome: Outcome;
  readonly postgres: string;
}

/** One whole run with its own database, broker, nodes and devices, which are removed at its end. */
export async function soak(plan: SoakPlan): Promise<SoakResult> {
  const { durationMs, devices, faults, logFolder, progress, interruption } = plan;
  const ownFileSystem = faults.some(({ needsFileSystem }) => needsFileSystem);
  const site = await startSite({ ownFileSystem, logFolder });
  let run: SoakRun | undefined;
  try {
    const [first] = site.nodes;
    if (first === undefined) throw new Error('there is no node');
    const postgres = await new Database(site.postgres.url).version();
    const registered = await registerFleet(first.process, devices);
    const caller = new Caller(site.nodes);
    for (const silo of registered.emptying) {
      await caller.ask(first, { method: 'PUT', path: `${SILOS}/${silo}/config`, body: WAVE_CONFIGURATION });
    }
    progress(`${site.nodes.length} nodes on PostgreSQL ${postgres}, ${devices} devices registered`);
    run = new SoakRun(site, registered, progress);
    await run.begin();
    const beganMs = Date.now();
    const untilMs = beganMs + durationMs;
    const slotMs = (durationMs - 2 * CALM_MS) / faults.length;
    for (const [index, fault] of faults.entries()) {
      const atMs = beganMs + CALM_MS + index * slotMs;
      await sleep(Math.max(CALM_MS, atMs - Date.now()), undefined, { signal: interruption });
      await run.inject(fault);
    }
    await sleep(Math.max(CALM_MS, untilMs - Date.now()), undefined, { signal: interruption });
    progress('the load ends …');
    return { outcome: await run.end(), postgres };
  } finally {
    await run?.stop();
    await site.stop();
  }
}

type Progress = (line: string) => void;

/** The load of a run with all counts; faults are injected one after the other. */
class SoakRun {
  readonly #site: Site;
  readonly #registered: Registered;
  readonly #progress: Progress;
  readonly #readings = new ReadingLedger();
  readonly #operations = new StartLedger();
  readonly #missions = new StartLedger();
  readonly #alerts = new AlertLedger();
  readonly #windows: FaultWindow[] = [];
  readonly #troubles: string[] = [];
  readonly #database: Database;
  readonly #caller: Caller;
  readonly #stops: TimedStops;
  readonly #fleet: FleetProcess;
  readonly #operators: Operators;
  readonly #emergencies: EmergencyStops;
  readonly #waves: AlertWaves;
  readonly #readers: Readers;
  #streams: EventReader[] = [];
  #working: Promise<unknown> = Promise.resolve();
  #isEnding = false;
  #missionsExpected = 0;

  constructor(site: Site, registered: Registered, progress: Progress) {
    this.#site = site;
    this.#registered = registered;
    this.#progress = progress;
    const { members, working, emptying, stopped, idle } = registered;
    this.#database = new Database(site.postgres.url);
    const caller = new Caller(site.nodes);
    this.#caller = caller;
    this.#stops = new TimedStops(caller);
    this.#operators = new Operators(caller, this.#stops, this.#operations, working);
    this.#emergencies = new EmergencyStops(caller, this.#stops, stopped);
    this.#readers = new Readers(caller, idle);
    this.#fleet = new FleetProcess(
      { mqttUrl: site.broker.url, members, intervalMs: INTERVAL_MS },
      {
        acknowledged: (reading, atMs) => this.#readings.acknowledged(reading, atMs),
        received: (command) => {
          this.#stops.received(command);
          this.#operators.received(command);
          const { deviceId, jobId } = command;
          if (command.command === 'mission_start') this.#missions.received(deviceId, jobId);
        },
      },
    );
    this.#waves = new AlertWaves({ caller, fleet: this.#fleet, ledger: this.#alerts, silos: emptying });
  }

  /** Resolves when the devices are connected and the whole load runs. */
  async begin(): Promise<void> {
    const fromSequence = await this.#database.newestEvent();
    this.#streams = this.#site.nodes.map(
      (node) => new EventReader(node, fromSequence, (event) => this.#waves.event(event)),
    );
    const { ms: connectedMs } = await this.#recovery();
    this.#progress(`${this.#registered.members.length} devices report after ${connectedMs} ms`);
    for (const stream of this.#streams) void stream.run();
    this.#working = Promise.all([
      this.#operators.run(),
      this.#emergencies.run(),
      this.#waves.run(),
      this.#readers.run(),
      this.#lookForReadings(),
    ]);
  }

  async inject(fault: Fault): Promise<void> {
    const beganMs = Date.now();
    let recoveryMs = 0;
    this.#progress(`${fault.name} …`);
    const recovered = async (nodes = this.#site.nodes): Promise<void> => {
      const { ms, detail } = await this.#recovery(nodes);
      recoveryMs = Math.max(recoveryMs, ms);
      this.#progress(`${fault.name}: recovered after ${ms} ms (${detail})`);
    };
    try {
      await fault.run({
        site: this.#site,
        database: this.#database,
        fleet: this.#fleet,
        recovered,
        idleSilos: this.#registered.idle,
        dueTogether: () => this.#dueTogether(),
      });
    } catch (error) {
      this.#troubles.push(`${fault.name}: ${error instanceof Error ? error.message : String(error)}`);
      recoveryMs = Number.POSITIVE_INFINITY;
    }
    this.#windows.push({ name: fault.name, beganMs, endedMs: Date.now(), recoveryMs });
    const seconds = Math.round((Date.now() - beganMs) / SECOND_MS);
    this.#progress(`${fault.name}: over after ${seconds} s`);
  }

  /** Ends the load, waits until everything has arrived, and counts. */
  async end(): Promise<Outcome> {
    for (const load of [this.#operators, this.#emergencies, this.#waves, this.#readers]) load.end();
    this.#isEnding = true;
    await this.#working;
    await this.#fleet.end();
    const untilMs = Date.now() + SETTLED_MS_MAX;
    while (Date.now() < untilMs && !(await this.#isSettled())) await sleep(SETTLED_POLL_MS);
    const log = await this.#database.eventsAfter(0);
    const missing = this.#readings.missing();
    this.#progress(`alerts of all types: ${await this.#database.alertCounts()}`);
    const alerts = this.#alerts.compared(await this.#database.alertsOf(WAVE_ALERT));
    return {
      phases: divide(this.#windows, this.#caller.requests, this.#stops.stops),
      readings: { acknowledged: this.#readings.acknowledgedCount, lost: missing.length },
      operations: this.#operations.counts(),
      missions: { ...this.#missions.counts(), expected: this.#missionsExpected },
      alerts,
      streams: this.#streams.map(({ ledger }) => ledger.compared(log)),
      troubles: this.#troubles,
    };
  }

  async stop(): Promise<void> {
    for (const stream of this.#streams) stream.end();
    await this.#fleet.kill();
  }

  #recovery(nodes = this.#site.nodes): Promise<Recovery> {
    const parts = { caller: this.#caller, database: this.#database, fleet: this.#fleet };
    return measureRecovery({ ...parts, readings: this.#readings }, nodes);
  }

  async #dueTogether(): Promise<void> {
    this.#waves.beginTogether();
    const { travelling } = this.#registered;
    this.#missionsExpected += travelling.length;
    await runMissions(this.#caller, this.#missions, travelling, DUE_IN_MS);
  }

  async #lookForReadings(): Promise<void> {
    while (!this.#isEnding) {
      await this.#database.lookFor(this.#readings).catch(() => undefined);
      await sleep(LOOK_MS);
    }
  }

  async #isSettled(): Promise<boolean> {
    await this.#database.lookFor(this.#readings);
    const newest = await this.#database.newestEvent();
    return this.#readings.missing().length === 0 && this.#streams.every(({ position }) => position >= newest);
  }
}
