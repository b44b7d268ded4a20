import type { App } from '@granary/app/app';
import { PeriodicWork } from '@granary/common/periodic-work';
import type { FleetDevice } from '@granary/contract/fleet';
import { SECOND_MS } from '@granary/contract/time';
import { UNLIMITED } from '@granary/core/keys';
import type { BrokerAccess } from '@granary/link/external/connection/broker-address';
import { OtherBroker } from '@granary/link/external/other-broker';
import type { Logger } from '../../process/logging/logger.ts';
import {
  ANNOUNCED_TOPICS,
  announcements,
  deviceOfTopic,
  isOurs,
  OFFLINE,
  ONLINE,
  type OpenAlerts,
  type RetainedMessage,
  removedStates,
  SERVICE_TOPIC,
  STATUS_TOPIC,
  states,
} from './announcement.ts';

interface HomeAssistantParts {
  readonly app: Pick<App, 'fleet'>;
  readonly access: BrokerAccess;
  /** Where people find the operators' page. */
  readonly consoleUrl: string | null;
  readonly logger: Logger;
  readonly now: () => number;
  /** Tests pass a shorter time. */
  readonly everyMs?: number;
}

const EVERY_MS = 5 * SECOND_MS;
/** A state is sent again although nothing has changed, because it expires in Home Assistant. */
const REFRESH_MS = 60 * SECOND_MS;
const DEVICES_PER_READ = 500;
const ALERTS_PER_READ = 500;
const MESSAGES_AT_A_TIME = 200;
const NO_ALERTS: OpenAlerts = { count: 0, critical: 0 };
const EVERY_DEVICE = {
  limits: UNLIMITED,
  facility: null,
  zone: null,
  deviceId: null,
};

interface Published {
  readonly payload: string;
  readonly atMs: number;
}

/**
 * Shows the devices in Home Assistant, over the MQTT broker that it uses. Every round compares the announcements with the devices
 * that exist, so the next round corrects a lost message, a restart of either side and a removed device.
 */
export class HomeAssistant {
  readonly #parts: HomeAssistantParts;
  readonly #broker: OtherBroker;
  readonly #rounds: PeriodicWork;
  /** Our messages that the broker has retained, by topic. */
  readonly #announced = new Map<string, string>();
  readonly #states = new Map<string, Published>();

  constructor(parts: HomeAssistantParts) {
    this.#parts = parts;
    const { access, logger, everyMs = EVERY_MS } = parts;
    this.#broker = new OtherBroker({
      access,
      clientId: `granary-ha-${crypto.randomUUID().slice(0, 8)}`,
      will: { topic: SERVICE_TOPIC, payload: OFFLINE },
      filters: [STATUS_TOPIC, ANNOUNCED_TOPICS],
      received: (topic, payload) => {
        if (topic === STATUS_TOPIC && payload === ONLINE) this.#forget();
        else if (isOurs(topic) && payload !== '') this.#announced.set(topic, payload);
      },
      changed: (error) => {
        if (error === null) logger.info({ host: access.host }, 'devices are shown in Home Assistant');
        else logger.warn({ err: error, host: access.host }, 'the broker of Home Assistant cannot be used');
        this.#forget();
      },
    });
    this.#rounds = new PeriodicWork({
      doing: 'showing devices in Home Assistant',
      everyMs,
      logger,
      run: () => this.#show(),
    });
  }

  start(): void {
    this.#broker.start();
    this.#rounds.start();
  }

  async stop(): Promise<void> {
    await this.#rounds.stop();
    if (this.#broker.isReady) await this.#broker.publish(SERVICE_TOPIC, OFFLINE);
    this.#broker.stop();
  }

  /** Everything is sent again, because Home Assistant or the broker has restarted. */
  #forget(): void {
    for (const topic of this.#announced.keys()) this.#announced.set(topic, '');
    this.#states.clear();
    this.#rounds.wake();
  }

  async #show(): Promise<void> {
    if (!this.#broker.isReady) return;
    const alerts = await this.#openAlerts();
    const wanted = new Set<string>();
    await this.#sendState({ topic: SERVICE_TOPIC, payload: ONLINE });
    for await (const devices of this.#devices()) {
      const messages: (() => Promise<void>)[] = [];
      for (const device of devices) {
        for (const message of announcements(device, this.#pageOf(device))) {
          wanted.add(message.topic);
          if (this.#announced.get(message.topic) !== message.payload)
            messages.push(() => this.#announce(message));
        }
        for (const state of states(device, alerts.get(device.device_id) ?? NO_ALERTS))
          messages.push(() => this.#sendState(state));
      }
      await inTurns(messages);
      if (!this.#broker.isReady || this.#rounds.isStopped) return;
    }
    await this.#remove(
      [...this.#announced.keys()].filter((topic) => !wanted.has(topic)),
      wanted,
    );
  }

  async #announce({ topic, payload }: RetainedMessage): Promise<void> {
    if (await this.#broker.publish(topic, payload)) this.#announced.set(topic, payload);
  }

  async #sendState({ topic, payload }: RetainedMessage): Promise<void> {
    const last = this.#states.get(topic);
    const atMs = this.#parts.now();
    if (last?.payload === payload && atMs - last.atMs < REFRESH_MS) return;
    if (await this.#broker.publish(topic, payload)) this.#states.set(topic, { payload, atMs });
  }

  /** Removes announcements of sensors and devices that no longer exist; the states of a device are removed with its last announcement. */
  async #remove(topics: readonly string[], wanted: ReadonlySet<string>): Promise<void> {
    const staying = new Set([...wanted].map(deviceOfTopic));
    const gone = new Set(topics.map(deviceOfTopic).filter((deviceId) => !staying.has(deviceId)));
    await inTurns(
      topics.map((topic) => async () => {
        if (await this.#broker.publish(topic, '')) this.#announced.delete(topic);
      }),
    );
    for (const { topic, payload } of [...gone].flatMap(removedStates)) {
      await this.#broker.publish(topic, payload);
      this.#states.delete(topic);
    }
  }

  async *#devices(): AsyncGenerator<readonly FleetDevice[]> {
    const nowMs = this.#parts.now();
    for (let afterDeviceId: string | null = null; ; ) {
      const page = await this.#parts.app.fleet.devices({
        devices: EVERY_DEVICE,
        profileName: null,
        status: null,
        text: null,
        withReadings: true,
        isRemoved: false,
        afterDeviceId,
        limit: DEVICES_PER_READ,
        nowMs,
      });
      yield page;
      afterDeviceId = page.at(-1)?.device_id ?? null;
      if (page.length < DEVICES_PER_READ) return;
    }
  }

  async #openAlerts(): Promise<Map<string, OpenAlerts>> {
    const found = new Map<string, OpenAlerts>();
    for (let beforeId: string | null = null; ; ) {
      const page = await this.#parts.app.fleet.alerts({
        devices: EVERY_DEVICE,
        filter: 'open',
        severity: null,
        type: null,
        beforeId,
        limit: ALERTS_PER_READ,
      });
      for (const { deviceId, state } of page) {
        const { count, critical } = found.get(deviceId) ?? NO_ALERTS;
        const isCritical = state.severity === 'critical';
        found.set(deviceId, { count: count + 1, critical: critical + (isCritical ? 1 : 0) });
      }
      beforeId = page.at(-1)?.id ?? null;
      if (page.length < ALERTS_PER_READ) return found;
    }
  }

  #pageOf({ device_id }: FleetDevice): string | null {
    const { consoleUrl } = this.#parts;
    return consoleUrl === null ? null : `${consoleUrl}/#/devices/${device_id}`;
  }
}

/** Sends some messages at a time, so that thousands of them do not wait in memory for a slow broker. */
async function inTurns(messages: readonly (() => Promise<void>)[]): Promise<void> {
  for (let at = 0; at < messages.length; at += MESSAGES_AT_A_TIME)
    await Promise.all(messages.slice(at, at + MESSAGES_AT_A_TIME).map((send) => send()));
}
