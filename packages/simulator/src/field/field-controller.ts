import {
  checkFieldCommand,
  type FieldAck,
  type FieldCommand,
  type FieldProgress,
  isAboutMission,
  type MissionAck,
  type MissionControl,
  type MissionUpload,
} from '@granary/contract/link/field-messages';
import type { Position } from '@granary/contract/positions';
import { checkedTimeMs, SECOND_MS } from '@granary/contract/time';
import type { DeviceModel } from '../device/device.ts';
import { parseJson, parseMessage, ReportQueue } from '../device/report-queue.ts';
import { type ActiveFaults, COMMON_FAULTS, JOB_FAULTS, SILENCE_MS } from '../faults.ts';
import { isRecord } from '../files.ts';
import type { ServiceConnection } from '../service-connection.ts';
import type { FieldUnit } from './fleet.ts';
import { type FieldMemory, interruptedIn, memoryOf, powerUp } from './memory.ts';
import { type Answered, execute, STOP_IN_FORCE } from './pilot/commands.ts';
import {
  isHalfDone,
  type MissionRun,
  pauseRun,
  resumeRun,
  setOut,
  uploadedRun,
} from './pilot/mission-machine.ts';
import {
  addFinishedMission,
  commandProgress,
  dropHeld,
  endMission,
  endTask,
  isUnderWay,
  missionProgress,
  type Pilot,
} from './pilot/pilot.ts';
import { advance, isMoving } from './pilot/piloting.ts';
import { changedProgress, heartbeatOf, mergeProgress } from './pilot/progress-diff.ts';
import { isConfiguration, type ReceivedConfiguration } from './received-configuration.ts';
import type { RoverBody } from './vehicle/chassis.ts';
import { pointOf } from './vehicle/ground.ts';
import { type FieldReading, measure } from './vehicle/instruments.ts';

export const FIELD_FAULTS = {
  ...COMMON_FAULTS,
  ...JOB_FAULTS,
  'skip-waypoint': 'every second waypoint of a mission is skipped',
  'die-half-way': 'the power fails half-way through a mission, for half a minute',
} as const;

export type FieldFault = keyof typeof FIELD_FAULTS;

const POWER_FAILS_MS = 30 * SECOND_MS;

/** A repeated upload is acknowledged each time and accepted once, as a whole; a refused one stays refused. */
export function acceptUpload(before: Pilot, upload: MissionUpload): Answered<MissionAck> {
  const { mission_id } = upload;
  const accepted = { mission_id, accepted: true };
  if (before.mission?.upload.mission_id === mission_id) return { pilot: before, ack: accepted };
  const known = before.missions.find((finished) => finished.mission_id === mission_id);
  if (known !== undefined) {
    return { pilot: before, ack: known.state === 'unknown' ? refusal(mission_id, known.reason) : accepted };
  }
  const pilot = clearMissed(before);
  const { mission, body } = pilot;
  const reason = pilot.isStopped ? STOP_IN_FORCE : reasonToRefuse(mission, upload, body.timeMs);
  if (reason === undefined) return { pilot: { ...pilot, mission: uploadedRun(upload) }, ack: accepted };
  const refused = { mission_id, state: 'unknown', reason, ts: body.timeMs } as const;
  return { pilot: addFinishedMission(pilot, refused), ack: refusal(mission_id, reason) };
}

/** An expired mission that was never started does not block another one. */
function clearMissed(pilot: Pilot): Pilot {
  const { mission, body } = pilot;
  const isMissed = mission?.state === 'uploaded' && isTooLate(mission, body.timeMs);
  return isMissed ? endMission(pilot, 'aborted', 'it was never started') : pilot;
}

const isTooLate = ({ upload }: MissionRun, nowMs: number): boolean =>
  nowMs > checkedTimeMs(upload.expires_at);

function reasonToRefuse(
  mission: MissionRun | null,
  upload: MissionUpload,
  nowMs: number,
): string | undefined {
  if (nowMs > checkedTimeMs(upload.expires_at)) return 'it came too late';
  return mission === null ? undefined : `${mission.upload.mission_id} is ${mission.state}`;
}

const refusal = (mission_id: string, reason?: string): MissionAck => ({
  mission_id,
  accepted: false,
  ...(reason === undefined ? {} : { reason }),
});

/** Handles a control message, which may be received at any time and repeatedly; one that does not fit the state changes nothing. */
export function control(pilot: Pilot, message: MissionControl): Pilot {
  const { command, mission_id } = message;
  const { mission } = pilot;
  if (mission?.upload.mission_id !== mission_id) {
    return command === 'mission_cancel' ? refuseInAdvance(pilot, mission_id) : pilot;
  }
  if ('expires_at' in message && !mayMove(pilot, message.expires_at)) return pilot;
  switch (command) {
    case 'mission_start':
      return begin(pilot, mission);
    case 'mission_pause':
      return { ...pilot, mission: pauseRun(mission, null) };
    case 'mission_resume':
      return mission.state === 'paused'
        ? { ...cancelPendingWork(pilot), mission: resumeRun(mission) }
        : pilot;
    case 'mission_cancel':
      return endMission(pilot, 'aborted', 'it was cancelled');
  }
}

/** A cancel that arrives before its upload is stored, so that the upload is refused. */
function refuseInAdvance(pilot: Pilot, mission_id: string): Pilot {
  if (pilot.missions.some((finished) => finished.mission_id === mission_id)) return pilot;
  const reason = 'it was cancelled before it came';
  return addFinishedMission(pilot, { mission_id, state: 'unknown', reason, ts: pilot.body.timeMs });
}

const mayMove = ({ isStopped, body }: Pilot, expiresAt: string): boolean =>
  !isStopped && body.timeMs <= Date.parse(expiresAt);

function begin(pilot: Pilot, mission: MissionRun): Pilot {
  if (mission.state !== 'uploaded' || isTooLate(mission, pilot.body.timeMs)) return pilot;
  return { ...cancelPendingWork(pilot), isReturningHome: false, mission: setOut(mission) };
}

/** The device does one job at a time, so a mission that starts cancels every other job. */
const cancelPendingWork = (pilot: Pilot): Pilot =>
  dropHeld(endTask(pilot, 'cancelled', 'a mission set out'), 'a mission set out');

export interface FieldControllerOptions {
  readonly unit: FieldUnit;
  readonly link: ServiceConnection;
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
