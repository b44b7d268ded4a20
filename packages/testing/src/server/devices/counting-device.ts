import { topicOf, type UpSubject } from '@granary/contract/link/messages';
import { connect, type MqttClient } from 'mqtt';

export const STEP_MS = 200;
const RECONNECT_MS = 50;

/**
 * A device that does whatever it is told as often as it is told, and keeps count: it has no protection of its own against
 * being told twice, so that only the service's can be seen.
 */
export abstract class CountingDevice<Command> {
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
  /** What it does in each stretch of `STEP_MS`. */
  protected abstract step(): void;

  /** What the service does not hear now it will ask for; nothing is kept for later. */
  protected publish(subject: UpSubject, payload: object): void {
    if (!this.#client.connected) return;
    this.#client.publish(topicOf(this.deviceId, subject), JSON.stringify(payload), { qos: 0 });
  }

  protected ts(): number {
    this.#lastTsMs = Math.max(Date.now(), this.#lastTsMs + 1);
    return this.#lastTsMs;
  }
}
