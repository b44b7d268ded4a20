import type { App } from '@granary/app/app';
import type { FieldCommand, MissionProgress } from '@granary/contract/link/field-messages';

/** A device whose link can lose messages and which can lose its memory; it counts the jobs that it starts. */
export class UnreliableRover {
  readonly #deviceNo: number;
  readonly #uploaded = new Set<string>();
  #running: { missionId: string; reached: number } | null = null;
  readonly #completed = new Set<string>();
  readonly runs: string[] = [];

  constructor(deviceNo: number) {
    this.#deviceNo = deviceNo;
  }

  carryOut(message: FieldCommand): void {
    if (message.command === 'mission_upload') this.#uploaded.add(message.mission_id);
    if (message.command === 'mission_start') this.#begin(message.mission_id);
    if (message.command === 'mission_cancel') this.#drop(message.mission_id);
  }

  /** Acknowledges a command, as devices do. */
  async answer(app: App, message: FieldCommand, nowMs: number): Promise<void> {
    if (!('mission_id' in message)) return;
    const { mission_id } = message;
    if (message.command !== 'mission_upload') return await this.report(app, mission_id, nowMs);
    const ack = { mission_id, accepted: true };
    await app.missions.acknowledged({ deviceNo: this.#deviceNo, ack, nowMs });
  }

  /** The device restarts: it does not move and has lost its progress, or also its missions; returns whether it lost anything. */
  loseMemory(what: 'nothing' | 'its progress' | 'everything'): boolean {
    if (what === 'nothing') return false;
    this.#running = null;
    this.#completed.clear();
    if (what === 'everything') this.#uploaded.clear();
    return true;
  }

  /** Moves to the next waypoint and reports it. */
  async drive(app: App, waypoints: number, nowMs: number): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    running.reached++;
    if (running.reached >= waypoints) {
      this.#completed.add(running.missionId);
      this.#running = null;
    }
    await this.report(app, running.missionId, nowMs, running.reached - 1);
  }

  async report(app: App, missionId: string, nowMs: number, reached?: number): Promise<void> {
    const progress: MissionProgress = {
      mission_id: missionId,
      state: this.#stateOf(missionId),
      ts: nowMs,
      ...(reached === undefined ? {} : { waypoints: [{ index: reached, state: 'reached' }] }),
    };
    await app.missions.progressed({ deviceNo: this.#deviceNo, progress, nowMs });
  }

  #begin(missionId: string): void {
    if (!this.#uploaded.has(missionId) || this.#running !== null || this.#completed.has(missionId)) return;
    this.runs.push(missionId);
    this.#running = { missionId, reached: 0 };
  }

  #drop(missionId: string): void {
    this.#uploaded.delete(missionId);
    if (this.#running?.missionId === missionId) this.#running = null;
  }

  #stateOf(missionId: string): MissionProgress['state'] {
    if (this.#completed.has(missionId)) return 'completed';
    if (this.#running?.missionId === missionId) return 'running';
    return this.#uploaded.has(missionId) ? 'uploaded' : 'unknown';
  }
}
