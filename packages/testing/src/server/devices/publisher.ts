import { setTimeout as sleep } from 'node:timers/promises';
import { topicOf } from '@granary/contract/link/messages';
import { connect } from 'mqtt';

interface Acknowledged {
  readonly tsMs: number;
  readonly weightG: number;
}

export interface Publisher {
  /** The readings that are acknowledged up to now. */
  readonly acknowledged: readonly Acknowledged[];
  /** Stops publishing and returns all acknowledged readings. */
  stop(): Promise<readonly Acknowledged[]>;
  /** Closes the connection immediately, also with unacknowledged messages. */
  abandon(): void;
}

const IN_FLIGHT = 10;
const RECONNECT_MS = 50;

/** A device that publishes as fast as it gets acknowledgements, or with a pause after each, across every crash of the service. */
export function startPublisher(mqttUrl: URL, deviceId: string, secret: string, pauseMs = 0): Publisher {
  const client = connect(mqttUrl.href, {
    clientId: deviceId,
    username: deviceId,
    password: secret,
    reconnectPeriod: RECONNECT_MS,
    connectTimeout: 10_000,
  });
  client.on('error', () => {
    // The test kills the service, so connections are refused.
  });
  const acknowledged: Acknowledged[] = [];
  let stopped = false;
  let count = 0;
  let lastTsMs = 0;

  /** If a connection ends, the outcome is unknown, so the same reading is sent again, as a device does. */
  const publishUntilAcknowledged = async (payload: string): Promise<boolean> => {
    while (!client.disconnecting) {
      try {
        await client.publishAsync(topicOf(deviceId, 'telemetry'), payload, { qos: 1 });
        return true;
      } catch {
        await sleep(RECONNECT_MS);
      }
    }
    return false;
  };
  const publishOne = async (): Promise<void> => {
    lastTsMs = Math.max(Date.now(), lastTsMs + 1);
    const tsMs = lastTsMs;
    const weightG = 100_000 + (count++ % 800_000);
    const reading = {
      ts: tsMs,
      weight: weightG / 1_000,
      temperature: (count % 400) / 10,
      humidity: count % 100,
    };
    if (await publishUntilAcknowledged(JSON.stringify(reading))) acknowledged.push({ tsMs, weightG });
  };
  const lane = async (): Promise<void> => {
    while (!stopped) {
      await publishOne();
      if (pauseMs > 0) await sleep(pauseMs);
    }
  };
  const lanes = Array.from({ length: IN_FLIGHT }, lane);
  return {
    acknowledged,
    async stop() {
      stopped = true;
      await Promise.all(lanes);
      await client.endAsync();
      return acknowledged;
    },
    abandon() {
      stopped = true;
      client.end(true);
    },
  };
}
