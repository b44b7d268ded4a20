import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FieldCommand } from '@granary/contract/link/field-messages';
import { type SiloCommand, topicOf } from '@granary/contract/link/messages';
import { connectAsync, type MqttClient } from 'mqtt';
import { ask, type Credentials, FIELD_DEVICES, SILOS } from './farm.ts';
import type { Addresses } from './service-process.ts';

/** A stop with a successful answer that has not reached the device after this time counts as if it arrived then. */
const REACHED_MS_MAX = 20_000;
/** How long a device waits for a stop whose request or connection was refused. */
const REFUSED_MS_MAX = 2_000;

export interface StopOutcome {
  /** The time from the request to the arrival at the device; `null` for a stop without a successful answer that did not arrive. */
  readonly reachedMs: number | null;
  /** The status of the answer; 0 for a connection that ended without one, `closed` if no port was open. */
  readonly status: number | 'closed';
}

/** A device that notes when a stop arrives. It confirms nothing, so that the service has no further work with the stop. */
abstract class StoppableDevice<Command> {
  readonly deviceId: string;
  readonly #credentials: Credentials;
  #client: MqttClient | null = null;
  #service: Addresses | null = null;
  #arrived: (atMs: number) => void = () => undefined;

  constructor(credentials: Credentials) {
    this.deviceId = credentials.username;
    this.#credentials = credentials;
  }

  async connect(service: Addresses): Promise<void> {
    this.#service = service;
    const { username, secret } = this.#credentials;
    const login = { clientId: username, username, password: secret, reconnectPeriod: 0 };
    const client = await connectAsync(service.mqttUrl, login);
    this.#client = client;
    // The service may end while the device is connected.
    client.on('error', () => undefined);
    client.on('message', (_topic, payload) => {
      const command = JSON.parse(payload.toString()) as Command;
      if (this.isStop(command)) this.#arrived(performance.now());
      else void this.obey(command).catch(() => undefined);
    });
    await client.subscribeAsync(topicOf(username, 'command'), { qos: 1 });
    await this.publish('telemetry', this.reading());
  }

  /** The time at which the next stop arrives, by the clock of this process. */
  nextStop(): Promise<number> {
    return new Promise((resolve) => {
      this.#arrived = resolve;
    });
  }

  async timeStop(): Promise<StopOutcome> {
    const askedMs = performance.now();
    const arrived = this.nextStop();
    const { path, body } = this.stopRequest();
    const status = await send(this.service, path, body);
    const isGood = status !== 'closed' && status >= 200 && status < 300;
    const late = sleep(isGood ? REACHED_MS_MAX : REFUSED_MS_MAX, null, { ref: false });
    const reachedAtMs = await Promise.race([arrived, late]);
    if (reachedAtMs !== null) return { status, reachedMs: reachedAtMs - askedMs };
    return { status, reachedMs: isGood ? REACHED_MS_MAX : null };
  }

  async leave(): Promise<void> {
    await this.#client?.endAsync(true);
  }

  protected get service(): Addresses {
    if (this.#service === null) throw new Error('the device is not connected');
    return this.#service;
  }

  protected async publish(subject: 'telemetry' | 'ack' | 'progress', payload: object): Promise<void> {
    await this.#client?.publishAsync(topicOf(this.deviceId, subject), JSON.stringify(payload), { qos: 1 });
  }

  protected abstract isStop(command: Command): boolean;
  protected abstract obey(command: Command): Promise<void>;
  protected abstract stopRequest(): { readonly path: string; readonly body: object | null };
  protected abstract reading(): object;
}

export class StoppableSilo extends StoppableDevice<SiloCommand> {
  #operationId = '';

  async start(): Promise<void> {
    const body = { amount: 1_000, rate: 10, target_container: 'bench' };
    const answer = await ask(this.service, `${SILOS}/${this.deviceId}/operations/discharge`, body);
    const { data } = (await answer.json()) as { data: { operation_id: string } };
    this.#operationId = data.operation_id;
  }

  protected isStop({ command }: SiloCommand): boolean {
    return command === 'stop';
  }

  protected async obey({ command, operation_id }: SiloCommand): Promise<void> {
    if (command === 'start') await this.publish('ack', { operation_id, accepted: true });
    await this.publish('progress', { operation_id, state: 'running', amount_kg: 1, ts: Date.now() });
  }

  protected stopRequest() {
    return { path: `${SILOS}/${this.deviceId}/operations/${this.#operationId}/stop`, body: null };
  }

  protected reading(): object {
    return { ts: Date.now(), weight: 10_000 };
  }
}

export class StoppableRover extends StoppableDevice<FieldCommand> {
  protected isStop(command: FieldCommand): boolean {
    return command.command === 'execute' && command.name === 'emergency_stop';
  }

  protected async obey(): Promise<void> {
    return;
  }

  protected stopRequest() {
    return { path: `${FIELD_DEVICES}/${this.deviceId}/remote/command`, body: { command: 'emergency_stop' } };
  }

  protected reading(): object {
    return { ts: Date.now(), latitude: 48.2, longitude: 16.3, battery_level: 100 };
  }
}

/** Sends on a connection of its own, as a person's request does, so that the service has to accept the connection first. */
function send(
  { httpUrl, adminKey }: Addresses,
  path: string,
  body: object | null,
): Promise<StopOutcome['status']> {
  const authorization = `Bearer ${adminKey.key}`;
  const headers = body === null ? { authorization } : { authorization, 'content-type': 'application/json' };
  return new Promise((resolve) => {
    const sent = request(httpUrl + path, { method: 'POST', headers, agent: false }, (response) => {
      response.on('error', () => undefined).resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED' ? 'closed' : 0));
    sent.end(body === null ? undefined : JSON.stringify(body));
  });
}
