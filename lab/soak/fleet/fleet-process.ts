import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { SentReading } from '../accounting/reading-ledger.ts';
import type { FleetOrder, FleetPlan, FleetReport, ReceivedCommand } from './protocol.ts';

export interface FleetListener {
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
    this.#child = fork(new URL('./fleet.ts', import.meta.url), { execArgv: [] });
    this.#child.on('message', (report: FleetReport) => this.#take(report));
    this.#child.once('exit', (code) => this.#ended.reject(new Error(`the devices ended with ${code}`)));
    // Whoever waits for the end sees it.
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

  /** The devices stop reporting, wait until everything is acknowledged, and leave. */
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
