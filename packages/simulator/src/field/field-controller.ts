import {
  checkFieldCommand,
  type FieldAck,
  type FieldCommand,
  type FieldProgress,
  isAboutMission,
} from '@granary/contract/link/field-messages';
import type { Position } from '@granary/contract/positions';
import { SECOND_MS } from '@granary/contract/time';
import type { DeviceModel } from '../device/device.ts';
import { parseJson, parseMessage, ReportQueue } from '../device/report-queue.ts';
import { type ActiveFaults, SILENCE_MS } from '../faults.ts';
import { isRecord } from '../files.ts';
import type { DeviceLink } from '../link/device-link.ts';
import type { FieldFault } from './faults.ts';
import type { FieldUnit } from './fleet.ts';
import { type FieldMemory, interruptedIn, memoryOf, powerUp } from './memory.ts';
import { acceptUpload, control } from './missions.ts';
import { execute } from './pilot/commands.ts';
import { isHalfDone } from './pilot/mission-machine.ts';
import { commandProgress, isUnderWay, missionProgress, type Pilot } from './pilot/pilot.ts';
import { advance, isMoving } from './pilot/piloting.ts';
import { changedProgress, heartbeatOf, mergeProgress } from './pilot/progress-diff.ts';
import { isConfiguration, type ReceivedConfiguration } from './received-configuration.ts';
import type { RoverBody } from './vehicle/chassis.ts';
import { pointOf } from './vehicle/ground.ts';
import { type FieldReading, measure } from './vehicle/instruments.ts';

const POWER_FAILS_MS = 30 * SECOND_MS;

export interface FieldControllerOptions {
  readonly unit: FieldUnit;
  readonly link: DeviceLink;
  readonly faults: ActiveFaults<FieldFault>;
  /** The stored state, if there is any. */
  readonly memory: FieldMemory | undefined;
  readonly keep: (memory: FieldMemory) => Promise<void>;
  readonly onTrouble: (reason: string) => void;
}

/** Receives the commands and missions of a field device, has its pilot carry them out, and reports on them. */
export class FieldController implements DeviceModel<FieldReading> {
  readonly #options: FieldControllerOptions;
  readonly #reports: ReportQueue<FieldAck, FieldProgress>;
  #pilot: Pilot;
  #underWaySinceMs: number | null = null;
  #linkLostSinceMs: number | null;
  #powerFailsUntilMs: number | null = null;

  constructor(options: FieldControllerOptions, nowMs: number) {
    const { unit, memory, link, keep, onTrouble } = options;
    this.#options = options;
    this.#linkLostSinceMs = nowMs;
    this.#pilot = powerUp(unit, memory, nowMs);
    this.#reports = new ReportQueue({
      link,
      keep: () => keep(memoryOf(unit, this.#pilot)),
      onTrouble,
      merge: mergeProgress,
    });
    if (memory !== undefined) this.#reportInterrupted(memory);
  }

  get body(): RoverBody {
    return this.#pilot.body;
  }

  /** The true position at the last tick. */
  get position(): Position {
    const { lat, lng } = pointOf(this.#options.unit.ground, this.body);
    return { latitude: lat, longitude: lng, altitude: this.body.altitudeM };
  }

  get hasPower(): boolean {
    return this.#powerFailsUntilMs === null;
  }

  get runMs(): number | null {
    return this.#underWaySinceMs === null ? null : this.body.timeMs - this.#underWaySinceMs;
  }

  isBusy(): boolean {
    const isSilent = this.#reports.isSilentAt(this.body.timeMs);
    return !this.hasPower || isSilent || isMoving(this.#options.unit, this.#pilot);
  }

  endsInMs(): null {
    return null;
  }

  advanceTo(nowMs: number): void {
    const { unit, faults } = this.#options;
    if (this.#powerFailsUntilMs !== null) {
      if (nowMs >= this.#powerFailsUntilMs) this.#restorePower(nowMs);
      return;
    }
    const conditions = {
      linkLostSinceMs: this.#linkLostSinceMs,
      skipsWaypoints: faults.has('skip-waypoint'),
    };
    this.#setState(advance(unit, this.#pilot, nowMs, conditions));
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

  linkChanged(isUp: boolean): void {
    this.#linkLostSinceMs = isUp ? null : (this.#linkLostSinceMs ?? this.body.timeMs);
  }

  measure(): FieldReading {
    return measure(this.#options.unit, this.body);
  }

  report(): void {
    for (const progress of heartbeatOf(this.#pilot)) this.#reports.progress(progress);
    if (this.isBusy()) void this.keep();
    this.#reports.send(this.body.timeMs);
  }

  keep(): Promise<void> {
    return this.#reports.keep();
  }

  #carryOut(command: FieldCommand): void {
    switch (command.command) {
      case 'execute':
        this.#answer(execute(this.#pilot, command));
        this.#reportCommand(command.command_id);
        break;
      case 'mission_upload':
        this.#answer(acceptUpload(this.#pilot, command));
        break;
      case 'mission_start':
      case 'mission_pause':
      case 'mission_resume':
      case 'mission_cancel':
        this.#setState(control(this.#pilot, command));
        this.#reportMission(command.mission_id);
        break;
      case 'report':
        if (isAboutMission(command)) this.#reportMission(command.mission_id);
        else this.#reportCommand(command.command_id);
        break;
    }
  }

  #answer({ pilot, ack }: { readonly pilot: Pilot; readonly ack: FieldAck }): void {
    if (this.#options.faults.has('late-ack')) this.#reports.silenceUntil(this.body.timeMs + SILENCE_MS);
    this.#reports.ack(ack);
    this.#setState(pilot);
  }

  #setState(pilot: Pilot): void {
    const before = this.#pilot;
    this.#pilot = pilot;
    for (const progress of changedProgress(before, pilot)) this.#reports.progress(progress);
    this.#underWaySinceMs = isUnderWay(pilot) ? (this.#underWaySinceMs ?? pilot.body.timeMs) : null;
  }

  #reportCommand(commandId: string): void {
    this.#reports.progress(commandProgress(this.#pilot, commandId, this.body.timeMs));
  }

  #reportMission(missionId: string): void {
    this.#reports.progress(missionProgress(this.#pilot, missionId, this.body.timeMs));
  }

  /** After a power failure the device continues from its stored state; every reported state was stored before. */
  #restorePower(nowMs: number): void {
    const { unit } = this.#options;
    const memory = memoryOf(unit, this.#pilot);
    this.#powerFailsUntilMs = null;
    this.#underWaySinceMs = null;
    this.#pilot = powerUp(unit, memory, nowMs);
    this.#reportInterrupted(memory);
  }

  #reportInterrupted(memory: FieldMemory): void {
    const { commandIds, missionIds } = interruptedIn(memory);
    for (const commandId of commandIds) this.#reportCommand(commandId);
    for (const missionId of missionIds) this.#reportMission(missionId);
  }
}

/** The configuration message; its version is not needed here. */
function parseConfiguration(payload: string): ReceivedConfiguration | undefined {
  const message = parseJson(payload);
  if (!isRecord(message)) return undefined;
  const { version, ...configuration } = message;
  return isConfiguration(configuration) ? configuration : undefined;
}
