import { HOME } from '../devices/scripted-rover.ts';
import { type Delivered, idOf } from './device-log.ts';
import { SessionDevice } from './session-device.ts';

const STEPS_PER_WAYPOINT = 5;
const STEPS_PER_COMMAND = 5;
const NOT_CARRIED_OUT_SHARE = 0.4;

interface Run {
  readonly waypoints: number;
  state: 'uploaded' | 'running' | 'paused' | 'completed' | 'aborted';
  steps: number;
}

interface Execution {
  state: 'executing' | 'succeeded' | 'cancelled';
  steps: number;
}

export class SessionRover extends SessionDevice {
  readonly #missions = new Map<string, Run>();
  readonly #commands = new Map<string, Execution>();

  protected carryOut(command: Delivered): void {
    const id = idOf(command);
    if (command['name'] === 'emergency_stop') this.#emergencyStop(id);
    else if (command.command === 'execute') this.#execute(id, command);
    else if (command['mission_id'] === undefined) this.#reportCommand(id);
    else if (command.command === 'mission_upload') this.#upload(id, command);
    else {
      this.#control(id, command.command);
      this.#reportMission(id);
    }
  }

  protected step(): void {
    for (const [id, run] of this.#missions) {
      if (run.state !== 'running') continue;
      run.steps++;
      this.log.move(id, Date.now());
      if (reachedOf(run) === run.waypoints) run.state = 'completed';
      if (run.steps % STEPS_PER_WAYPOINT === 0) this.#reportMission(id);
    }
    for (const [id, command] of this.#commands) {
      if (command.state !== 'executing') continue;
      this.log.move(id, Date.now());
      if (++command.steps < STEPS_PER_COMMAND) continue;
      command.state = 'succeeded';
      this.#reportCommand(id);
    }
  }

  protected reading(): object {
    return { ...HOME, battery_level: 100 };
  }

  protected loseMemory(): void {
    this.#missions.clear();
    this.#commands.clear();
  }

  #execute(id: string, { name }: Delivered): void {
    if (!this.#commands.has(id)) {
      this.log.execute(id);
      const state = name === 'release_emergency_stop' ? 'succeeded' : 'executing';
      this.#commands.set(id, { state, steps: 0 });
      this.publish('ack', { command_id: id, accepted: true });
    }
    this.#reportCommand(id);
  }

  /** Refuses, fails or ignores some emergency stops: none of that may end them. */
  #emergencyStop(id: string): void {
    if (this.random.chance(NOT_CARRIED_OUT_SHARE)) {
      const answer = this.random.pick(['silence', 'refusal', 'failure']);
      if (answer === 'refusal') this.publish('ack', { command_id: id, accepted: false, reason: 'busy' });
      if (answer === 'failure') this.publish('progress', { command_id: id, state: 'failed', ts: this.ts() });
      return;
    }
    for (const run of this.#missions.values()) if (!isOver(run)) run.state = 'aborted';
    for (const command of this.#commands.values()) {
      if (command.state === 'executing') command.state = 'cancelled';
    }
    this.#commands.set(id, { state: 'succeeded', steps: 0 });
    this.#reportCommand(id);
  }

  #upload(id: string, { waypoints }: Delivered): void {
    const count = Array.isArray(waypoints) ? waypoints.length : 0;
    if (!this.#missions.has(id)) this.#missions.set(id, { waypoints: count, state: 'uploaded', steps: 0 });
    this.publish('ack', { mission_id: id, accepted: true });
  }

  #control(id: string, control: string): void {
    const run = this.#missions.get(id);
    if (run === undefined) return;
    if (control === 'mission_start' && run.state === 'uploaded') {
      run.state = 'running';
      this.log.execute(id);
    }
    if (control === 'mission_pause' && run.state === 'running') run.state = 'paused';
    if (control === 'mission_resume' && run.state === 'paused') run.state = 'running';
    if (control === 'mission_cancel' && !isOver(run)) run.state = 'aborted';
  }

  #reportMission(mission_id: string): void {
    const run = this.#missions.get(mission_id);
    const waypoints = Array.from({ length: run === undefined ? 0 : reachedOf(run) }, (_, index) => {
      return { index, state: 'reached' };
    });
    this.publish('progress', { mission_id, state: run?.state ?? 'unknown', waypoints, ts: this.ts() });
  }

  #reportCommand(command_id: string): void {
    const state = this.#commands.get(command_id)?.state ?? 'unknown';
    this.publish('progress', { command_id, state, ts: this.ts() });
  }
}

const isOver = ({ state }: Run): boolean => state === 'completed' || state === 'aborted';
const reachedOf = ({ steps }: Run): number => Math.floor(steps / STEPS_PER_WAYPOINT);
