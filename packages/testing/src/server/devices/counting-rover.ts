import type {
  FieldCommand,
  MissionProgress,
  MissionUpload,
  WaypointProgress,
} from '@granary/contract/link/field-messages';
import { CountingDevice } from './counting-device.ts';
import { HOME } from './scripted-rover.ts';

const STEPS_PER_WAYPOINT = 3;

interface Run {
  readonly upload: MissionUpload;
  state: MissionProgress['state'];
  steps: number;
}

/** Takes every upload for a new one: what is uploaded again after its end runs again. */
export class CountingRover extends CountingDevice<FieldCommand> {
  /** How often each mission was begun. */
  readonly runs = new Map<string, number>();
  readonly #missions = new Map<string, Run>();

  /** How a mission stands on the device; `undefined` if it never got there. */
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

  #control(run: Run, control: Exclude<FieldCommand['command'], 'execute' | 'mission_upload'>): void {
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

const reachedOf = ({ steps }: Run): number => Math.floor(steps / STEPS_PER_WAYPOINT);
