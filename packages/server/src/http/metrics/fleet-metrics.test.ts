import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { type CountReads, FleetMetrics } from './fleet-metrics.ts';

/** A storage with one device in each part, which can fail or hang. */
class Storage {
  parts = 1;
  reads = 0;
  answer: 'at once' | 'never' | 'with an error' = 'at once';

  readonly reader: CountReads = {
    countDevices: async (_nowMs, { after }) => {
      if (after === 0) this.reads++;
      if (this.answer === 'with an error') throw new Error('the storage is away');
      if (this.answer === 'never') await new Promise(() => undefined);
      return {
        counts: [{ profile: 'silo_scale', status: 'online', count: 1 }],
        next: after + 1 < this.parts ? after + 1 : null,
      };
    },
    countAlerts: async () => ({ counts: [], next: null }),
    countJobs: async () => ({ operations: [], commands: [], missions: [] }),
    countMessages: async () => ({ deliveries: [], notifications: [] }),
  };
}

describe('the counts in the metrics', () => {
  let storage: Storage;
  let fleet: FleetMetrics;
  let elapsedMs = 0;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
    storage = new Storage();
    elapsedMs = 1_000;
    fleet = new FleetMetrics(storage.reader, { now: () => 0, monotonicMs: () => elapsedMs });
  });

  afterEach(() => {
    fleet.stop();
    mock.timers.reset();
  });

  /** More turns of the event loop than a read of the counts takes. */
  async function turns(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await setImmediate();
  }

  /** Lets time pass in steps of a second, and the reads that become due in them. */
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += SECOND_MS) {
      elapsedMs += SECOND_MS;
      mock.timers.tick(SECOND_MS);
      await turns();
    }
  }

  async function values() {
    const answered = fleet.metrics();
    await turns();
    if (storage.answer === 'never') await pass(2 * SECOND_MS);
    const found = await answered;
    const valueIn = (name: string) => found.find((metric) => metric.name === name)?.samples[0]?.value;
    return {
      readable: valueIn('granary_storage_readable'),
      ageS: valueIn('granary_storage_counts_age_seconds'),
      devices: valueIn('granary_devices'),
    };
  }

  test('are the sum of all parts', async () => {
    storage.parts = 3;
    assert.deepEqual(await values(), { readable: 1, ageS: 0, devices: 3 });
  });

  test('are read in the background and not by a request, and tell their age', async () => {
    await values();
    assert.equal(storage.reads, 1);
    storage.parts = 2;
    await pass(2 * SECOND_MS);
    assert.deepEqual(await values(), { readable: 1, ageS: 2, devices: 1 });
    assert.equal(storage.reads, 1);
    await pass(15 * SECOND_MS);
    const reads = storage.reads;
    const { ageS = Number.NaN, devices } = await values();
    assert.equal(devices, 2);
    assert.ok(ageS < 5, `${ageS} s`);
    assert.equal(storage.reads, reads);
  });

  test('are not read while nobody wants them, and again for the next request', async () => {
    await values();
    await pass(4 * MINUTE_MS);
    const reads = storage.reads;
    await pass(MINUTE_MS);
    assert.equal(storage.reads, reads);
    storage.parts = 2;
    assert.deepEqual(await values(), { readable: 1, ageS: 0, devices: 2 });
  });

  test('are left out after a failed read, and return with the next one', async () => {
    await values();
    storage.answer = 'with an error';
    await pass(5 * SECOND_MS);
    assert.deepEqual(await values(), { readable: 0, ageS: undefined, devices: undefined });
    storage.answer = 'at once';
    assert.deepEqual(await values(), { readable: 1, ageS: 0, devices: 1 });
  });

  test('are left out when they are old because the storage hangs', async () => {
    await values();
    storage.answer = 'never';
    await pass(8 * SECOND_MS);
    assert.deepEqual(await values(), { readable: 1, ageS: 8, devices: 1 });
    await pass(3 * SECOND_MS);
    assert.deepEqual(await values(), { readable: 0, ageS: undefined, devices: undefined });
  });
});
