/** A registered device, and what it simulates. */
export interface FleetMember {
  readonly deviceId: string;
  readonly secret: string;
  readonly kind: 'silo' | 'rover';
}

export interface FleetPlan {
  readonly mqttUrl: string;
  readonly members: readonly FleetMember[];
  /** How often each device reports. */
  readonly intervalMs: number;
}

/** From the run to the process of the devices. */
export type FleetOrder =
  | { readonly kind: 'begin'; readonly plan: FleetPlan }
  /** From now on the scale of a silo shows this. */
  | { readonly kind: 'weigh'; readonly deviceId: string; readonly weightKg: number }
  /** Each of the silos also reports a reading of that time. */
  | { readonly kind: 'report_late'; readonly deviceIds: readonly string[]; readonly tsMs: number }
  | { readonly kind: 'end' };

export type CommandName = 'start' | 'stop' | 'emergency_stop' | 'mission_start';

/** A command at the moment when its device received it. */
export interface ReceivedCommand {
  readonly deviceId: string;
  readonly command: CommandName;
  /** The id of the operation, the command or the mission. */
  readonly jobId: string;
  readonly atMs: number;
}

/** Short, because there are hundreds each second. */
export type AcknowledgedReading = readonly [member: number, tsMs: number];

export type FleetReport =
  | { readonly kind: 'acknowledged'; readonly atMs: number; readonly readings: AcknowledgedReading[] }
  | { readonly kind: 'received'; readonly received: ReceivedCommand }
  | { readonly kind: 'connected'; readonly count: number }
  | { readonly kind: 'ended' };
