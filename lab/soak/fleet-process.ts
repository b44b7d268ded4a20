import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import {
  type AcknowledgedReading,
  type CommandName,
  type FleetEvents,
  type FleetMember,
  FleetRover,
  FleetSilo,
} from './fleet-devices.ts';
import type { SentReading } from './ledgers.ts';

const TELL_MS = 250;

interface FleetPlan {
  readonly mqttUrl: string;
  readonly members: readonly FleetMember[];
  /** How often each device reports. */
  readonly intervalMs: number;
}

/** An order of the run to the process of the devices. */
type FleetOrder =
  | { readonly kind: 'begin'; readonly plan: FleetPlan }
  /** The scale of the silo shows this weight from now on. */
  | { readonly kind: 'weigh'; readonly deviceId: string; readonly weightKg: number }
  /** Each of the silos also reports a reading of this time. */
  | { readonly kind: 'report_late'; readonly deviceIds: readonly string[]; readonly tsMs: number }
  | { readonly kind: 'end' };

/** A command at the moment when its device received it. */
export interface ReceivedCommand {
  readonly deviceId: string;
  readonly command: CommandName;
  /** The id of the operation, the command or the mission. */
  readonly jobId: string;
  readonly atMs: number;
  /** Since when the device has had a connection with a subscription. */
  readonly reachableSinceMs: number;
}

type FleetReport =
  | { readonly kind: 'acknowledged'; readonly atMs: number; readonly readings: AcknowledgedReading[] }
  | { readonly kind: 'received'; readonly received: ReceivedCommand }
  | { readonly kind: 'connected'; readonly count: number }
  | { readonly kind: 'ended' };

interface FleetListener {
  acknowledged(reading: SentReading, atMs: number): void;
  received(command: ReceivedCommand): void;
}

/** The devices of a run, seen from the process that watches them. */
export class FleetProcess {
  readonly #plan: FleetPlan;
  readonly #listener: FleetListener;
  readonly #child: ChildProcess;
  readonly #ended = Promise.withResolvers<void>();
  #connectedCount = 0;

  constructor(plan: FleetPlan, listener: FleetListener) {
    this.#plan = plan;
    this.#listener = listener;
    this.#child = fork(import.meta.filename, { execArgv: [] });
    this.#child.on('message', (report: FleetReport) => this.#take(report));
    this.#child.once('exit', (code) => this.#ended.reject(new Error(`the devices ended with ${code}`)));
    // The rejection is handled by callers that wait for the end.
    this.#ended.promise.catch(() => undefined);
    this.#order({ kind: 'begin', plan });
  }

  get isComplete(): boolean {
    return this.#connectedCount === this.#plan.members.length;
  }

  get connectedCount(): number {
    return this.#connectedCount;
  }

  weigh(deviceId: string, weightKg: number): void {
    this.#order({ kind: 'weigh', deviceId, weightKg });
  }

  reportLate(deviceIds: readonly string[], tsMs: number): void {
    this.#order({ kind: 'report_late', deviceIds, tsMs });
  }

  /** Stops the reports of the devices, waits until everything is acknowledged, and disconnects the devices. */
  async end(): Promise<void> {
    this.#order({ kind: 'end' });
    await this.#ended.promise;
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  #take(report: FleetReport): void {
    if (report.kind === 'connected') this.#connectedCount = report.count;
    else if (report.kind === 'received') this.#listener.received(report.received);
    else if (report.kind === 'ended') this.#ended.resolve();
    else {
      for (const [number, tsMs] of report.readings) {
        const deviceId = this.#plan.members[number]?.deviceId ?? '';
        this.#listener.acknowledged({ deviceId, tsMs }, report.atMs);
      }
    }
  }

  #order(order: FleetOrder): void {
    if (this.#child.connected) this.#child.send(order);
  }
}

const tell = (report: FleetReport): void => void process.send?.(report);

/** The devices of a run, in a process of their own, so that they do not share a thread with callers and faults. */
class Fleet {
  readonly #devices = new Map<string, FleetSilo | FleetRover>();
  readonly #timers: NodeJS.Timeout[] = [];
  #acknowledged: AcknowledgedReading[] = [];

  begin({ mqttUrl, members, intervalMs }: FleetPlan): void {
    const events: FleetEvents = {
      acknowledged: (reading) => void this.#acknowledged.push(reading),
      received: (deviceId, command, jobId, reachableSinceMs) =>
        tell({
          kind: 'received',
          received: { deviceId, command, jobId, atMs: Date.now(), reachableSinceMs },
        }),
    };
    members.forEach((member, number) => {
      const Device = member.kind === 'silo' ? FleetSilo : FleetRover;
      const device = new Device(mqttUrl, number, member, events);
      this.#devices.set(member.deviceId, device);
      // The starts are spread over the interval, because real devices do not report at the same moment.
      const first = setTimeout(
        () => {
          device.report();
          this.#timers.push(setInterval(() => device.report(), intervalMs));
        },
        (intervalMs * number) / members.length,
      );
      this.#timers.push(first);
    });
    this.#timers.push(setInterval(() => this.#tell(), TELL_MS));
  }

  silo(deviceId: string): FleetSilo {
    const device = this.#devices.get(deviceId);
    if (device instanceof FleetSilo) return device;
    throw new Error(`there is no silo ${deviceId}`);
  }

  async end(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all([...this.#devices.values()].map((device) => device.leave()));
    this.#tell();
  }

  #tell(): void {
    const readings = this.#acknowledged;
    this.#acknowledged = [];
    if (readings.length > 0) tell({ kind: 'acknowledged', atMs: Date.now(), readings });
    const connected = [...this.#devices.values()].filter(({ isConnected }) => isConnected);
    tell({ kind: 'connected', count: connected.length });
  }
}

if (import.meta.main) {
  const fleet = new Fleet();
  process.on('message', (order: FleetOrder) => {
    if (order.kind === 'begin') fleet.begin(order.plan);
    else if (order.kind === 'weigh') fleet.silo(order.deviceId).setWeight(order.weightKg);
    else if (order.kind === 'report_late') {
      for (const deviceId of order.deviceIds) fleet.silo(deviceId).reportAt(order.tsMs);
    } else void fleet.end().then(() => tell({ kind: 'ended' }));
  });
  // The parent process has ended.
  process.once('disconnect', () => process.exit());
}
