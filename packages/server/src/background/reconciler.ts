import type { App } from '@granary/app/app';
import type { DueDevices, TickRound } from '@granary/app/jobs/advance-due-jobs';
import { PeriodicWork } from '@granary/common/periodic-work';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import { hasCapability } from '@granary/core/profiles/profile';
import type { DeviceLink, LinkDevice } from '@granary/link/port';
import { RunningLimit } from '../devices/ingest/device-queue.ts';
import type { PriorityCommands } from '../devices/sending/priority-commands.ts';
import type { StopsInForce } from '../devices/sending/stops-in-force.ts';
import type { Logger } from '../process/logging/logger.ts';
import { type AlertEvaluator, DEVICES_PER_CALL_MAX, type Uptime } from './alert-evaluator.ts';
import type { SetAsideLog } from './set-aside-log.ts';

const ROUND_MS = 500;
const DEVICES_PER_TICK_MAX = 1_000;
/** All devices may become reachable at once, and other work needs the storage as well. */
const REACHABLE_AT_ONCE_MAX = 4;

/** Operations of silos, or commands and missions of field devices. */
type TickedJobs = Pick<App['operations'] | App['field'], 'due' | 'isDue' | 'tick'>;

interface ReconcilerParts {
  readonly app: {
    readonly operations: TickedJobs;
    readonly field: TickedJobs;
    readonly alerts: Pick<App['alerts'], 'evaluateDue'>;
  };
  readonly link: Pick<DeviceLink, 'isReachable'>;
  readonly setAside: Pick<SetAsideLog, 'note'>;
  readonly priorityCommands: Pick<PriorityCommands, 'repeat' | 'retry' | 'storeRest'>;
  readonly stopsInForce: Pick<StopsInForce, 'deviceReachable' | 'repeat' | 'storageAnswered'>;
  readonly evaluator: Pick<AlertEvaluator, 'retry'>;
  readonly uptime: Pick<Uptime, 'during'>;
  readonly logger: Logger;
  readonly now: () => number;
}

/**
 * Applies the passing of time to the stored state, in rounds: timeouts, repeated stops, due missions, and alerts that change
 * without a message. Everything follows from stored state, so it may run on several nodes, and a lost round does no harm.
 */
export class Reconciler {
  readonly #parts: ReconcilerParts;
  readonly #rounds: PeriodicWork;
  /** The repetitions are not part of the rounds, because a storage that hangs would delay them. */
  readonly #repetitions: PeriodicWork;
  readonly #reachable = new RunningLimit(REACHABLE_AT_ONCE_MAX);
  readonly #sending = new Set<Promise<unknown>>();

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
    const { logger, priorityCommands, stopsInForce } = parts;
    const every = { everyMs: ROUND_MS, logger };
    this.#rounds = new PeriodicWork({ ...every, doing: 'a round of the reconciler', run: () => this.#run() });
    const repeat = async () => {
      priorityCommands.repeat();
      stopsInForce.repeat();
    };
    this.#repetitions = new PeriodicWork({ ...every, doing: 'repeating stops', run: repeat });
  }

  start(): void {
    this.#repetitions.start();
    this.#rounds.start();
  }

  async stop(): Promise<void> {
    await this.#repetitions.stop();
    await this.#rounds.stop();
    await Promise.all(this.#sending);
    await this.#attempt('storing stops before the end', () => this.#parts.priorityCommands.storeRest());
  }

  async #run(): Promise<void> {
    const { app, evaluator, priorityCommands, stopsInForce } = this.#parts;
    evaluator.retry();
    const succeeded = await Promise.all([
      this.#attempt('storing stops that were sent before they could be stored', () =>
        priorityCommands.retry(),
      ),
      this.#attempt('bringing operations up to date', () => this.#tickDue(app.operations)),
      this.#attempt('bringing commands and missions up to date', () => this.#tickDue(app.field)),
      this.#attempt('evaluating alerts that are due', () => this.#evaluateDue()),
    ]);
    if (succeeded.every(Boolean)) stopsInForce.storageAnswered();
  }

  /** A failing step must not prevent the others; the next round tries it again. */
  async #attempt(doing: string, step: () => Promise<void>): Promise<boolean> {
    try {
      await step();
      return true;
    } catch (error) {
      this.#parts.logger.warn({ err: error }, `${doing} failed`);
      return false;
    }
  }

  /** Sends pending messages immediately to a device that has just become reachable. */
  deviceReachable(device: LinkDevice): void {
    this.#parts.stopsInForce.deviceReachable(device.deviceId);
    const sending = this.#attempt('sending what waited for a device', () =>
      this.#reachable.run(() => this.#reconcileDevice(device)),
    ).finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  async #reconcileDevice({ deviceNo, deviceId, profile }: LinkDevice): Promise<void> {
    // Another node sends what waits, or this one after its next start.
    if (this.#rounds.isStopped) return;
    const { link, now } = this.#parts;
    const nowMs = now();
    const devices = [{ deviceNo, isReachable: link.isReachable(deviceId) }];
    const round = { nowMs, devices, hasMore: false, isNewSession: true };
    for (const jobs of this.#jobsOf(profile)) {
      if (await jobs.isDue({ deviceNo, nowMs })) await this.#tick(jobs, round);
    }
  }

  #jobsOf(profile: ProfileName): TickedJobs[] {
    const { operations, field } = this.#parts.app;
    return [
      ...(hasCapability(profile, 'operations') ? [operations] : []),
      ...(hasCapability(profile, 'commands') ? [field] : []),
    ];
  }

  async #tickDue(jobs: TickedJobs): Promise<void> {
    const nowMs = this.#parts.now();
    const due = await jobs.due({ nowMs, limit: DEVICES_PER_TICK_MAX });
    if (due.devices.length > 0) await this.#tick(jobs, this.#roundOf(due, nowMs));
  }

  async #tick(jobs: TickedJobs, round: TickRound): Promise<void> {
    const { setAside } = await jobs.tick(round);
    this.#parts.setAside.note(setAside);
  }

  /** The store lists the due devices, and the link knows which of them are reachable. */
  #roundOf({ devices, hasMore }: DueDevices, nowMs: number): TickRound {
    const { link } = this.#parts;
    const toTick = devices.map(({ deviceNo, deviceId }) => ({
      deviceNo,
      isReachable: link.isReachable(deviceId),
    }));
    return { nowMs, devices: toTick, hasMore, isNewSession: false };
  }

  async #evaluateDue(): Promise<void> {
    const { app, uptime, setAside } = this.#parts;
    let devices = DEVICES_PER_CALL_MAX;
    while (devices === DEVICES_PER_CALL_MAX) {
      const receipt = await uptime.during((nowMs) =>
        app.alerts.evaluateDue({ nowMs, limit: DEVICES_PER_CALL_MAX }),
      );
      setAside.note(receipt.setAside);
      devices = receipt.devices;
    }
  }
}
