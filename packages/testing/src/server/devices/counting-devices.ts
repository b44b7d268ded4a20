import type {
  FieldCommand,
  MissionProgress,
  MissionUpload,
  WaypointProgress,
} from '@granary/contract/link/field-messages';
import {
  type OperationProgress,
  type SiloCommand,
  type StartCommand,
  topicOf,
  type UpSubject,
} from '@granary/contract/link/messages';
import { MINUTE_MS } from '@granary/contract/time';
import { connect, type MqttClient } from 'mqtt';
import { HOME } from './scripted-rover.ts';

const STEP_MS = 200;
const RECONNECT_MS = 50;
const STEPS_PER_WAYPOINT = 3;

/**
 * A device that carries out every command as often as it receives it, and counts. It has no protection of its own against repeated
 * commands, so that only the protection of the service is tested.
 */
abstract class CountingDevice<Command> {
  readonly deviceId: string;
  readonly #client: MqttClient;
  readonly #timer: NodeJS.Timeout;
  #lastTsMs = 0;

  constructor(mqttUrl: string, deviceId: string, secret: string) {
    this.deviceId = deviceId;
    this.#client = connect(mqttUrl, {
      clientId: deviceId,
      username: deviceId,
      password: secret,
      reconnectPeriod: RECONNECT_MS,
      connectTimeout: 10_000,
    });
    this.#client.on('error', () => undefined);
    this.#client.on('connect', () => this.#client.subscribe(topicOf(deviceId, 'command'), { qos: 1 }));
    this.#client.on('message', (_topic, payload) => this.obey(JSON.parse(payload.toString())));
    this.#timer = setInterval(() => this.step(), STEP_MS);
  }

  leave(): void {
    clearInterval(this.#timer);
    this.#client.end(true);
  }

  protected abstract obey(command: Command): void;
  /** Called in each interval of `STEP_MS`. */
  protected abstract step(): void;

  /** Publishes a message. If there is no connection it is lost, and the service requests it later. */
  protected publish(subject: UpSubject, payload: object): void {
    if (!this.#client.connected) return;
    this.#client.publish(topicOf(this.deviceId, subject), JSON.stringify(payload), { qos: 0 });
  }

  protected ts(): number {
    this.#lastTsMs = Math.max(Date.now(), this.#lastTsMs + 1);
    return this.#lastTsMs;
  }
}

interface OperationRun {
  readonly command: StartCommand;
  state: OperationProgress['state'];
  movedKg: number;
}

export class CountingSilo extends CountingDevice<SiloCommand> {
  /** How often each operation was started. */
  readonly starts = new Map<string, number>();
  /** The number of starts that came after the end of the operation was reported. */
  startsAfterEnd = 0;
  readonly #runs = new Map<string, OperationRun>();
  readonly #weightAtFirstKg: number;

  constructor(mqttUrl: string, deviceId: string, secret: string, weightKg: number) {
    super(mqttUrl, deviceId, secret);
    this.#weightAtFirstKg = weightKg;
  }

  /** The state of an operation on the device; `undefined` if it never began there. */
  truth(operationId: string): Pick<OperationRun, 'state' | 'movedKg'> | undefined {
    return this.#runs.get(operationId);
  }

  protected obey(command: SiloCommand): void {
    const { operation_id: id } = command;
    if (command.command === 'start') this.#start(command);
    const run = this.#runs.get(id);
    if (command.command === 'stop' && run?.state === 'running') run.state = 'stopped';
    this.#report(id);
  }

  protected step(): void {
    for (const run of this.#runs.values()) {
      if (run.state !== 'running') continue;
      const { amount_kg, rate_kg_per_min, operation_id } = run.command;
      run.movedKg = Math.min(amount_kg, run.movedKg + (rate_kg_per_min * STEP_MS) / MINUTE_MS);
      if (run.movedKg >= amount_kg) run.state = 'completed';
      this.#report(operation_id);
    }
    this.publish('telemetry', { ts: this.ts(), weight: this.#weightKg() });
  }

  #start(command: StartCommand): void {
    const { operation_id: id } = command;
    this.starts.set(id, (this.starts.get(id) ?? 0) + 1);
    const known = this.#runs.get(id);
    if (known !== undefined && known.state !== 'running') this.startsAfterEnd++;
    this.#runs.set(id, { command, state: 'running', movedKg: known?.movedKg ?? 0 });
    this.publish('ack', { operation_id: id, accepted: true });
  }

  #weightKg(): number {
    let weightKg = this.#weightAtFirstKg;
    for (const { command, movedKg } of this.#runs.values()) {
      weightKg += command.type === 'feed' ? movedKg : -movedKg;
    }
    return weightKg;
  }

  #report(operation_id: string): void {
    const run = this.#runs.get(operation_id);
    const amount_kg = run?.movedKg ?? 0;
    this.publish('progress', { operation_id, state: run?.state ?? 'unknown', amount_kg, ts: this.ts() });
  }
}

interface MissionRun {
  readonly upload: MissionUpload;
  state: MissionProgress['state'];
  steps: number;
}

/** A rover that takes every upload for a new mission: one that is uploaded again after its end runs again. */
export class CountingRover extends CountingDevice<FieldCommand> {
  /** How often each mission was begun. */
  readonly runs = new Map<string, number>();
  readonly #missions = new Map<string, MissionRun>();

  /** The state of a mission on the device; `undefined` if it never arrived there. */
  truth(missionId: string): { state: MissionProgress['state']; reached: number } | undefined {
    const run = this.#missions.get(missionId);
    return run && { state: run.state, reached: reachedOf(run) };
  }

  protected obey(command: FieldCommand): void {
    if (!('mission_id' in command)) return;
    const { mission_id: id } = command;
    if (command.command === 'mission_upload') {
      this.#missions.set(id, { upload: command, state: 'uploaded', steps: 0 });
      this.publish('ack', { mission_id: id, accepted: true });
      return;
    }
    const run = this.#missions.get(id);
    if (run !== undefined) this.#control(run, command.command);
    this.#report(id);
  }

  protected step(): void {
    for (const [id, run] of this.#missions) {
      if (run.state !== 'running') continue;
      run.steps++;
      if (reachedOf(run) === run.upload.waypoints.length) run.state = 'completed';
      this.#report(id);
    }
    this.publish('telemetry', { ts: this.ts(), ...HOME, battery_level: 100 });
  }

  #control(run: MissionRun, control: Exclude<FieldCommand['command'], 'execute' | 'mission_upload'>): void {
    const { mission_id: id } = run.upload;
    if (control === 'mission_start' && run.state === 'uploaded') {
      run.state = 'running';
      this.runs.set(id, (this.runs.get(id) ?? 0) + 1);
    }
    if (control === 'mission_pause' && run.state === 'running') run.state = 'paused';
    if (control === 'mission_resume' && run.state === 'paused') run.state = 'running';
    const isOver = run.state === 'completed' || run.state === 'aborted';
    if (control === 'mission_cancel' && !isOver) run.state = 'aborted';
  }

  #report(mission_id: string): void {
    const run = this.#missions.get(mission_id);
    const waypoints: WaypointProgress[] = [];
    for (let index = 0; run !== undefined && index < reachedOf(run); index++) {
      waypoints.push({ index, state: 'reached' });
    }
    this.publish('progress', { mission_id, state: run?.state ?? 'unknown', waypoints, ts: this.ts() });
  }
}

const reachedOf = ({ steps }: MissionRun): number => Math.floor(steps / STEPS_PER_WAYPOINT);
