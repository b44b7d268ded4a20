import { type OperationProgress, type SiloCommand, type StartCommand, topicOf } from '@granary/contract/link';
import { MINUTE_MS } from '@granary/contract/time';
import { connect, type MqttClient } from 'mqtt';

const STEP_MS = 50;
const RECONNECT_MS = 50;

interface Run {
  readonly command: StartCommand;
  state: OperationProgress['state'];
  movedKg: number;
}

/**
 * A silo that does whatever it is told as often as it is told, and keeps count: it has no protection of its own against
 * being started twice, so that only the service's can be seen.
 */
export class CountingSilo {
  readonly deviceId: string;
  /** How often each operation was started. */
  readonly starts = new Map<string, number>();
  /** Starts that came after the operation's end had been told. */
  startsAfterEnd = 0;
  readonly #client: MqttClient;
  readonly #runs = new Map<string, Run>();
  readonly #weightAtFirstKg: number;
  readonly #timer: NodeJS.Timeout;
  #lastTsMs = 0;

  constructor(mqttUrl: string, deviceId: string, secret: string, weightKg: number) {
    this.deviceId = deviceId;
    this.#weightAtFirstKg = weightKg;
    this.#client = connect(mqttUrl, {
      ...{ clientId: deviceId, username: deviceId, password: secret },
      ...{ reconnectPeriod: RECONNECT_MS, connectTimeout: 2_000 },
    });
    this.#client.on('error', () => undefined);
    this.#client.on('connect', () => this.#client.subscribe(topicOf(deviceId, 'command'), { qos: 1 }));
    this.#client.on('message', (_topic, payload) => this.#obey(JSON.parse(payload.toString())));
    this.#timer = setInterval(() => this.#step(), STEP_MS);
  }

  /** How an operation ended on the device; `undefined` if it never began there. */
  truth(operationId: string): Pick<Run, 'state' | 'movedKg'> | undefined {
    return this.#runs.get(operationId);
  }

  leave(): void {
    clearInterval(this.#timer);
    this.#client.end(true);
  }

  #obey(command: SiloCommand): void {
    const { operation_id: id } = command;
    if (command.command === 'start') this.#start(command);
    const run = this.#runs.get(id);
    if (command.command === 'stop' && run?.state === 'running') run.state = 'stopped';
    this.#report(id);
  }

  #start(command: StartCommand): void {
    const { operation_id: id } = command;
    this.starts.set(id, (this.starts.get(id) ?? 0) + 1);
    const known = this.#runs.get(id);
    if (known !== undefined && known.state !== 'running') this.startsAfterEnd++;
    this.#runs.set(id, { command, state: 'running', movedKg: known?.movedKg ?? 0 });
    this.#publish('ack', { operation_id: id, accepted: true });
  }

  #step(): void {
    for (const run of this.#runs.values()) {
      if (run.state !== 'running') continue;
      const { amount_kg, rate_kg_per_min, operation_id } = run.command;
      run.movedKg = Math.min(amount_kg, run.movedKg + (rate_kg_per_min * STEP_MS) / MINUTE_MS);
      if (run.movedKg >= amount_kg) run.state = 'completed';
      this.#report(operation_id);
    }
    this.#publish('telemetry', { ts: this.#ts(), weight: this.#weightKg() });
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
    this.#publish('progress', { operation_id, state: run?.state ?? 'unknown', amount_kg, ts: this.#ts() });
  }

  /** What the service does not hear now it will ask for; nothing is kept for later. */
  #publish(subject: 'ack' | 'progress' | 'telemetry', payload: object): void {
    if (!this.#client.connected) return;
    this.#client.publish(topicOf(this.deviceId, subject), JSON.stringify(payload), { qos: 0 });
  }

  #ts(): number {
    this.#lastTsMs = Math.max(Date.now(), this.#lastTsMs + 1);
    return this.#lastTsMs;
  }
}
