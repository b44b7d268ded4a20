import type { DeviceHealth, DriverEvents, PointValue } from '@granary/bridge/drivers/driver';
import type { Drivers } from '@granary/bridge/drivers/drivers';

type State = DeviceHealth['state'];

/** Drivers of devices that report what a test tells them, whatever their mapping and their endpoint are. */
export class ScriptedDrivers implements Drivers {
  readonly #events = new Map<string, DriverEvents>();
  readonly #states = new Map<string, State>();
  /** How often the driver of an endpoint was started. */
  readonly starts = new Map<string, number>();
  isBroken = false;

  nameOf(protocol: string): string {
    return protocol;
  }

  faults(): readonly string[] {
    return [];
  }

  async load(): ReturnType<Drivers['load']> {
    return {
      makeDriver: (devices, events) => {
        const [{ endpoint } = { endpoint: '' }] = devices;
        return {
          start: async () => {
            if (this.isBroken) throw new Error('no such port');
            this.starts.set(endpoint, (this.starts.get(endpoint) ?? 0) + 1);
            for (const { id } of devices) this.#events.set(id, events);
          },
          stop: async () => {
            for (const { id } of devices) this.#events.delete(id);
          },
          health: () => devices.map(({ id }) => healthOf(id, this.#states.get(id) ?? 'waiting')),
        };
      },
      readOnce: async ({ unit }) => {
        if (unit !== 3) throw Object.assign(new Error('no answer within 500 ms'), { code: 'timeout' });
        return { deviceId: 'test', atMs: Date.now(), roundTripMs: 5, values: [point('weight', 42)] };
      },
    };
  }

  say(deviceId: string, atMs: number, values: readonly PointValue[], hasOwnTime = false): void {
    this.#states.set(deviceId, 'answering');
    this.#events.get(deviceId)?.sample({ deviceId, atMs, hasOwnTime, roundTripMs: 2, values });
  }

  becomes(deviceId: string, state: State): void {
    this.#states.set(deviceId, state);
  }
}

export const point = (
  sensor: string,
  value: number | null,
  quality: PointValue['quality'] = 'good',
): PointValue => ({
  point: sensor,
  sensor,
  raw: String(value),
  value,
  unit: 'kg',
  quality,
  reason: quality === 'bad' ? 'bad_status' : null,
});

const healthOf = (deviceId: string, state: State): DeviceHealth => ({
  deviceId,
  state,
  lastAnswerMs: null,
  roundTripMs: null,
  breaker: { open: state === 'silent', nextTryMs: null, failures: 0 },
  lastFailure: null,
  counters: { requests: 0, failures: 0, timeouts: 0, skipped: 0, latenessMsMax: 0 },
});
