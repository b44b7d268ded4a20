import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  AttachedDevice,
  Driver,
  DriverEvents,
  DriverParts,
  ReadFailure,
  Sample,
} from '@granary/bridge/drivers/driver';
import { readMapping } from '@granary/bridge/mapping/read-mapping';

const PATIENCE_MS = 20_000;
const AGAIN_MS = 20;

/** Repeats assertions until they hold. */
export async function until(check: () => void | Promise<void>): Promise<void> {
  for (const endsAtMs = performance.now() + PATIENCE_MS; ; await sleep(AGAIN_MS)) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() >= endsAtMs) throw error;
    }
  }
}

export function mappingOf(text: string): AttachedDevice['mapping'] {
  const outcome = readMapping(text);
  assert.ok('mapping' in outcome, JSON.stringify(outcome));
  return outcome.mapping;
}

export const attach = (
  id: string,
  mapping: string,
  endpoint: string,
  options: AttachedDevice['options'] = {},
): AttachedDevice => ({ id, mapping: mappingOf(mapping), endpoint, unit: null, options });

/** Records everything that a driver reports. */
export class RecordedDriver {
  readonly samples: Sample[] = [];
  readonly failures: { readonly deviceId: string; readonly failure: ReadFailure }[] = [];
  readonly log: string[] = [];
  readonly events: DriverEvents = {
    sample: (sample) => void this.samples.push(sample),
    failed: (deviceId, failure) => void this.failures.push({ deviceId, failure }),
  };
  readonly parts: DriverParts = {
    now: Date.now,
    credentials: () => null,
    log: (_level, message) => void this.log.push(message),
  };
  #driver: Driver | undefined;

  async start(t: TestContext, make: (events: DriverEvents, parts: DriverParts) => Driver): Promise<void> {
    const driver = make(this.events, this.parts);
    this.#driver = driver;
    await driver.start();
    t.after(() => driver.stop());
  }

  get driver(): Driver {
    assert.ok(this.#driver);
    return this.#driver;
  }

  stateOf(deviceId: string): string | undefined {
    return this.driver.health().find((one) => one.deviceId === deviceId)?.state;
  }

  /** The samples, each as a text. */
  get values(): string[] {
    return this.samples.map(({ deviceId, values }) =>
      [deviceId, ...values.map(({ point, value }) => `${point}=${value}`)].join(' '),
    );
  }
}
