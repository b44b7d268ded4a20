import type { ExecuteCommand, FieldCommand, MissionUpload } from '@granary/contract/link/field-messages';
import { FleetDevice } from './fleet-device.ts';

/** Where every rover is. */
export const POSITION = { latitude: 48.2, longitude: 16.3, altitude: 170 };
const MISSION_MS = 2_000;

interface Mission {
  readonly upload: MissionUpload;
  state: 'uploaded' | 'running' | 'completed' | 'aborted';
}

export class FleetRover extends FleetDevice<FieldCommand> {
  readonly #missions = new Map<string, Mission>();

  report(): void {
    this.publishReading({ ...POSITION, battery_level: 100 }).catch(() => undefined);
  }

  protected obey(command: FieldCommand): void {
    if (command.command === 'execute') this.#execute(command);
    else if ('mission_id' in command) this.#mission(command);
  }

  /** It stands still all the time, so every command has succeeded. */
  #execute({ command_id, name }: ExecuteCommand): void {
    if (name === 'emergency_stop') this.received('emergency_stop', command_id);
    const say = (subject: 'ack' | 'progress', payload: object): void => {
      this.publish(subject, { command_id, ...payload }).catch(() => undefined);
    };
    say('ack', { accepted: true });
    say('progress', { state: 'succeeded', ts: this.ts() });
  }

  #mission(command: Extract<FieldCommand, { mission_id: string }>): void {
    const { mission_id: id } = command;
    if (command.command === 'mission_upload') {
      this.#missions.set(id, { upload: command, state: 'uploaded' });
      this.publish('ack', { mission_id: id, accepted: true }).catch(() => undefined);
      return;
    }
    const mission = this.#missions.get(id);
    if (command.command === 'mission_start') this.received('mission_start', id);
    if (mission !== undefined && command.command === 'mission_start') {
      mission.state = 'running';
      setTimeout(() => this.#complete(id, mission), MISSION_MS);
    }
    if (mission !== undefined && command.command === 'mission_cancel') mission.state = 'aborted';
    this.#progress(id, mission);
  }

  #complete(id: string, mission: Mission): void {
    if (mission.state === 'running') mission.state = 'completed';
    this.#progress(id, mission);
  }

  #progress(mission_id: string, mission: Mission | undefined): void {
    const isComplete = mission?.state === 'completed';
    const waypoints = mission?.upload.waypoints.map((_, index) => ({
      index,
      state: isComplete ? ('reached' as const) : ('pending' as const),
    }));
    const progress = { mission_id, state: mission?.state ?? 'unknown', ts: this.ts() };
    this.publish('progress', { ...progress, ...(waypoints === undefined ? {} : { waypoints }) }).catch(
      () => undefined,
    );
  }
}
