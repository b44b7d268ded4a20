import { randomBytes } from 'node:crypto';
import type { ExecuteCommand, FieldCommand, MissionUpload } from '@granary/contract/link/field-messages';
import {
  type OperationProgress,
  type SiloCommand,
  type StartCommand,
  topicOf,
  type UpSubject,
} from '@granary/contract/link/messages';
import { MINUTE_MS } from '@granary/contract/time';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';

/** Shorter than the interval of the nodes, so that a restarted broker gets messages before a node has subscribed again. */
const RECONNECT_MS = 20;
const CONNECT_MS_MAX = 4_000;
const KEEP_ALIVE_S = 30;
const WEIGHT_KG_AT_FIRST = 10_000;
/** The position of every rover. */
export const POSITION = { latitude: 48.2, longitude: 16.3, altitude: 170 };
const MISSION_MS = 2_000;

/** A registered device, and the kind of device that it simulates. */
export interface FleetMember {
  readonly deviceId: string;
  readonly secret: string;
  readonly kind: 'silo' | 'rover';
}

export type CommandName = 'start' | 'stop' | 'emergency_stop' | 'mission_start';

/** The form is short, because there are hundreds of these each second. */
export type AcknowledgedReading = readonly [member: number, tsMs: number];

export interface FleetEvents {
  acknowledged(reading: AcknowledgedReading): void;
  received(deviceId: string, command: CommandName, jobId: string, reachableSinceMs: number): void;
}

/**
 * A device at the broker that reports with QoS 1 and carries out a command as often as it receives the command. The device
 * itself does not detect repeated commands, so that the test shows whether the service protects it.
 */
abstract class FleetDevice<Command> {
  protected readonly deviceId: string;
  readonly #number: number;
  readonly #events: FleetEvents;
  readonly #client: MqttClient;
  readonly #will: NonNullable<IClientOptions['will']>;
  #session = '';
  #lastTsMs = 0;
  #reachableSinceMs = 0;

  constructor(mqttUrl: string, number: number, member: FleetMember, events: FleetEvents) {
    const { deviceId, secret } = member;
    this.deviceId = deviceId;
    this.#number = number;
    this.#events = events;
    this.#will = { topic: topicOf(deviceId, 'status'), payload: '', qos: 1, retain: true };
    this.#beginSession();
    this.#client = connect(mqttUrl, {
      clientId: deviceId,
      username: deviceId,
      password: secret,
      keepalive: KEEP_ALIVE_S,
      // The devices use both versions of MQTT that are allowed.
      protocolVersion: number % 2 === 0 ? 5 : 4,
      clean: true,
      will: this.#will,
      reconnectPeriod: RECONNECT_MS,
      connectTimeout: CONNECT_MS_MAX,
      resubscribe: false,
    });
    this.#client.on('error', () => {
      // The broker is restarted during the run.
    });
    this.#client.on('close', () => this.#beginSession());
    this.#client.on('connect', () => this.#connected());
    this.#client.on('message', (_topic, payload) => this.obey(JSON.parse(payload.toString())));
  }

  get isConnected(): boolean {
    return this.#client.connected;
  }

  /** Resolves when all messages are acknowledged. */
  async leave(): Promise<void> {
    await this.publish('status', { state: 'offline', session: this.#session }, true);
    await this.#client.endAsync();
  }

  /** Called in each interval. */
  abstract report(): void;
  protected abstract obey(command: Command): void;

  protected received(command: CommandName, jobId: string): void {
    this.#events.received(this.deviceId, command, jobId, this.#reachableSinceMs);
  }

  protected async publishReading(values: object, tsMs = this.ts()): Promise<void> {
    await this.publish('telemetry', { ts: tsMs, ...values });
    this.#events.acknowledged([this.#number, tsMs]);
  }

  /** Resolves when the broker has acknowledged the message; messages without an acknowledgement are sent again after a reconnect. */
  protected async publish(subject: UpSubject, payload: object, retain = false): Promise<void> {
    await this.#client.publishAsync(topicOf(this.deviceId, subject), JSON.stringify(payload), {
      qos: 1,
      retain,
    });
  }

  /** Two messages in the same millisecond get different times. */
  protected ts(): number {
    this.#lastTsMs = Math.max(Date.now(), this.#lastTsMs + 1);
    return this.#lastTsMs;
  }

  #beginSession(): void {
    this.#session = randomBytes(4).toString('hex');
    this.#will.payload = JSON.stringify({ state: 'offline', session: this.#session });
  }

  #connected(): void {
    const online = { state: 'online', session: this.#session };
    this.#client.subscribe(topicOf(this.deviceId, 'command'), { qos: 1 }, (error) => {
      if (error !== null) return;
      this.#reachableSinceMs = Date.now();
      this.publish('status', online, true).catch(() => undefined);
    });
  }
}

interface Run {
  readonly command: StartCommand;
  readonly beganMs: number;
  state: OperationProgress['state'];
  movedKg: number;
}

export class FleetSilo extends FleetDevice<SiloCommand> {
  readonly #runs = new Map<string, Run>();
  #restingKg = WEIGHT_KG_AT_FIRST;

  /** Without a call only operations change the weight. */
  setWeight(weightKg: number): void {
    this.#restingKg = weightKg;
    this.report();
  }

  report(): void {
    for (const [id, run] of this.#runs) {
      if (run.state === 'running') this.#progress(id);
    }
    this.reportAt();
  }

  /** Sends a reading of this time, or of now. */
  reportAt(tsMs = this.ts()): void {
    const values = { weight: this.#weightKg(), temperature: 18.25, humidity: 55.5 };
    this.publishReading(values, tsMs).catch(() => undefined);
  }

  protected obey(command: SiloCommand): void {
    const { operation_id: id } = command;
    if (command.command === 'stop') this.received('stop', id);
    if (command.command === 'start') this.#start(command);
    const run = this.#runs.get(id);
    if (command.command === 'stop' && run?.state === 'running') {
      this.#move(run);
      run.state = 'stopped';
    }
    this.#progress(id);
    if (command.command === 'stop') this.reportAt();
  }

  #start(command: StartCommand): void {
    const { operation_id: id } = command;
    this.received('start', id);
    this.#runs.set(id, { command, beganMs: Date.now(), state: 'running', movedKg: 0 });
    this.publish('ack', { operation_id: id, accepted: true }).catch(() => undefined);
  }

  #move(run: Run): void {
    const { amount_kg, rate_kg_per_min } = run.command;
    const movedKg = (rate_kg_per_min * (Date.now() - run.beganMs)) / MINUTE_MS;
    run.movedKg = Math.min(amount_kg, Math.round(movedKg * 1_000) / 1_000);
    if (run.movedKg === amount_kg) run.state = 'completed';
  }

  #weightKg(): number {
    const movedKg = [...this.#runs.values()].reduce((sum, run) => sum + run.movedKg, 0);
    return Math.round((this.#restingKg + movedKg) * 1_000) / 1_000;
  }

  #progress(operation_id: string): void {
    const run = this.#runs.get(operation_id);
    if (run?.state === 'running') this.#move(run);
    const amount_kg = run?.movedKg ?? 0;
    const progress = { operation_id, state: run?.state ?? 'unknown', amount_kg, ts: this.ts() };
    this.publish('progress', progress).catch(() => undefined);
  }
}

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

  /** The rover stands still all the time, so every command succeeds. */
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
