import {
  checkFieldCommand,
  type FieldAck,
  type FieldCommand,
  type FieldProgress,
  isAboutMission,
} from '@granary/contract/link/field-messages';
import { SECOND_MS } from '@granary/contract/time';
import type { DeviceModel } from '../device/device.ts';
import type { DeviceLink } from '../device/device-link.ts';
import { parseMessage } from '../device/message.ts';
import { ReportQueue } from '../device/report-queue.ts';
import type { FaultName } from '../faults/fault.ts';
import { SILENCE_MS } from '../faults/run-faults.ts';
import { execute } from './commands.ts';
import { parseConfiguration } from './declared.ts';
import type { FieldUnit } from './fleet.ts';
import { type FieldMemory, interruptedIn, memoryOf, powerUp } from './memory.ts';
import { isHalfDone } from './missions/mission-machine.ts';
import { control, takeMission } from './missions/missions.ts';
import { commandProgress, isUnderWay, missionProgress, type Pilot } from './pilot.ts';
import { advance, isMoving } from './piloting.ts';
import { changedProgress, heartbeatOf, mergeProgress } from './progress-diff.ts';
import { type FieldReading, measure } from './vehicle/instruments.ts';
import type { RoverBody } from './vehicle/rover-body.ts';

const POWER_FAILS_MS = 30 * SECOND_MS;

export interface FieldPanelOptions {
  readonly unit: FieldUnit;
  readonly link: DeviceLink;
  readonly faults: ReadonlySet<FaultName>;
  /** As it was kept last, if ever. */
  readonly memory: FieldMemory | undefined;
  readonly keep: (memory: FieldMemory) => Promise<void>;
  readonly onTrouble: (reason: string) => void;
}

/** Takes a field device's commands and missions, has its pilot carry them out, and reports on them. */
export class FieldPanel implements DeviceModel<FieldReading> {
  readonly #options: FieldPanelOptions;
  readonly #desk: ReportQueue<FieldAck, FieldProgress>;
  #pilot: Pilot;
  #underWaySinceMs: number | null = null;
  #linkLostSinceMs: number | null;
  #powerFailsUntilMs: number | null = null;

  constructor(options: FieldPanelOptions, nowMs: number) {
    const { unit, memory, link, keep, onTrouble } = options;
    this.#options = options;
    this.#linkLostSinceMs = nowMs;
    this.#pilot = powerUp(unit, memory, nowMs);
    this.#desk = new ReportQueue({
      link,
      keep: () => keep(memoryOf(unit, this.#pilot)),
      onTrouble,
      merge: mergeProgress,
    });
    if (memory !== undefined) this.#tellInterrupted(memory);
  }

  get body(): RoverBody {
    return this.#pilot.body;
  }

  get hasPower(): boolean {
    return this.#powerFailsUntilMs === null;
  }

  get runMs(): number | null {
    return this.#underWaySinceMs === null ? null : this.body.timeMs - this.#underWaySinceMs;
  }

  isBusy(): boolean {
    const isSilent = this.#desk.isSilentAt(this.body.timeMs);
    return !this.hasPower || isSilent || isMoving(this.#options.unit, this.#pilot);
  }

  endsInMs(): null {
    return null;
  }

  advanceTo(nowMs: number): void {
    const { unit, faults } = this.#options;
    if (this.#powerFailsUntilMs !== null) {
      if (nowMs >= this.#powerFailsUntilMs) this.#comeBack(nowMs);
      return;
    }
    const circumstances = {
      linkLostSinceMs: this.#linkLostSinceMs,
      skipsWaypoints: faults.has('skip-waypoint'),
    };
    this.#become(advance(unit, this.#pilot, nowMs, circumstances));
    const { mission } = this.#pilot;
    if (faults.has('die-half-way') && mission !== null && isHalfDone(mission)) {
      this.#powerFailsUntilMs = nowMs + POWER_FAILS_MS;
    }
  }

  obey(payload: string): boolean {
    const { faults, onTrouble } = this.#options;
    if (faults.has('ignore-commands')) return false;
    const command = parseMessage(checkFieldCommand, payload);
    if (command === undefined) {
      onTrouble('it was sent a command that it cannot read');
      return false;
    }
    const before = this.#pilot;
    this.#carryOut(command);
    return before.task !== this.#pilot.task || before.mission !== this.#pilot.mission;
  }

  configure(payload: string): void {
    const configuration = parseConfiguration(payload);
    if (configuration === undefined)
      this.#options.onTrouble('it was sent a configuration that it cannot read');
    else this.#pilot = { ...this.#pilot, configuration };
  }

  noticeLink(isUp: boolean): void {
    this.#linkLostSinceMs = isUp ? null : (this.#linkLostSinceMs ?? this.body.timeMs);
  }

  measure(): FieldReading {
    return measure(this.#options.unit, this.body);
  }

  report(): void {
    for (const progress of heartbeatOf(this.#pilot)) this.#desk.progress(progress);
    if (this.isBusy()) void this.keep();
    this.#desk.send(this.body.timeMs);
  }

  keep(): Promise<void> {
    return this.#desk.keep();
  }

  #carryOut(command: FieldCommand): void {
    switch (command.command) {
      case 'execute':
        this.#answer(execute(this.#pilot, command));
        this.#tellCommand(command.command_id);
        break;
      case 'mission_upload':
        this.#answer(takeMission(this.#pilot, command));
        break;
      case 'mission_start':
      case 'mission_pause':
      case 'mission_resume':
      case 'mission_cancel':
        this.#become(control(this.#pilot, command));
        this.#tellMission(command.mission_id);
        break;
      case 'report':
        if (isAboutMission(command)) this.#tellMission(command.mission_id);
        else this.#tellCommand(command.command_id);
        break;
    }
  }

  #answer({ pilot, ack }: { readonly pilot: Pilot; readonly ack: FieldAck }): void {
    if (this.#options.faults.has('late-ack')) this.#desk.silenceUntil(this.body.timeMs + SILENCE_MS);
    this.#desk.ack(ack);
    this.#become(pilot);
  }

  #become(pilot: Pilot): void {
    const before = this.#pilot;
    this.#pilot = pilot;
    for (const progress of changedProgress(before, pilot)) this.#desk.progress(progress);
    this.#underWaySinceMs = isUnderWay(pilot) ? (this.#underWaySinceMs ?? pilot.body.timeMs) : null;
  }

  #tellCommand(commandId: string): void {
    this.#desk.progress(commandProgress(this.#pilot, commandId, this.body.timeMs));
  }

  #tellMission(missionId: string): void {
    this.#desk.progress(missionProgress(this.#pilot, missionId, this.body.timeMs));
  }

  /** What was not written down before the power failed is gone; what was said has been. */
  #comeBack(nowMs: number): void {
    const { unit } = this.#options;
    const memory = memoryOf(unit, this.#pilot);
    this.#powerFailsUntilMs = null;
    this.#underWaySinceMs = null;
    this.#pilot = powerUp(unit, memory, nowMs);
    this.#tellInterrupted(memory);
  }

  #tellInterrupted(memory: FieldMemory): void {
    const { commandIds, missionIds } = interruptedIn(memory);
    for (const commandId of commandIds) this.#tellCommand(commandId);
    for (const missionId of missionIds) this.#tellMission(missionId);
  }
}
