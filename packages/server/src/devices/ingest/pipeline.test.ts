import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { type ErrorCode, Refusal } from '@granary/contract/errors';
import { HOUR_MS } from '@granary/contract/time';
import { packReadings, type Reading, unpackReadings } from '@granary/core/telemetry/readings';
import { isRefusal } from '@granary/testing/app/fixtures';
import { readingOf } from '@granary/testing/core/readings';
import { eventually } from '@granary/testing/server/eventually';
import { pino } from 'pino';
import type { Arrival, PackedBatch } from './batch.ts';
import { newIngestCounters } from './counters.ts';
import { HELD_READINGS_MAX, IngestPipeline } from './pipeline.ts';

const silent = pino({ level: 'silent' });

interface Batch extends Omit<PackedBatch, 'readings'> {
  readonly readings: readonly Reading[];
}

function pipelineOver(append: (batch: Batch) => Promise<unknown>, gatherMs = 0) {
  const counters = newIngestCounters();
  const pipeline = new IngestPipeline({
    append: ({ readings, ...batch }) => append({ ...batch, readings: unpackReadings(readings) }),
    batches: { readings: 500, underWay: 4, gatherMs },
    counters,
    logger: silent,
  });
  pipelines.push(pipeline);
  return { pipeline, counters };
}

/** A pipeline that still holds messages would keep the process from ending. */
const pipelines: IngestPipeline[] = [];
afterEach(async () => {
  for (const pipeline of pipelines.splice(0)) await pipeline.drain();
});

const arrivalOf = (deviceNo: number, count = 1): Arrival => ({
  deviceNo,
  seenAtMs: 0,
  readings: Array.from({ length: count }, (_, tsMs) => readingOf(deviceNo, tsMs, { weight: 1 })),
  rejections: [],
  reception: null,
});

const devicesOf = ({ seen }: Batch): number[] => seen.map(({ deviceNo }) => deviceNo);
const failure = (code: ErrorCode) => new Refusal(code, 'for the test');

describe('the ingest pipeline', () => {
  it('gathers a few readings after a batch, and neither many nor those of a service that ends', async () => {
    const sizes: number[] = [];
    const append = async ({ readings }: Batch) => void sizes.push(readings.length);
    const { pipeline } = pipelineOver(append, HOUR_MS);
    await pipeline.submit(arrivalOf(1));
    assert.deepEqual(sizes, [1], 'the first one waits for nothing');
    const few = [pipeline.submit(arrivalOf(2)), pipeline.submitHeld(arrivalOf(3))];
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(sizes, [1]);
    await Promise.all([...few, pipeline.submit(arrivalOf(4, 70))]);
    assert.deepEqual(sizes, [1, 72]);
    const last = pipeline.submit(arrivalOf(5));
    await pipeline.drain();
    await last;
    assert.deepEqual(sizes, [1, 72, 1]);
  });

  it('frees the queue of readings that were written and of readings that could not be written', async () => {
    const { pipeline } = pipelineOver(async (batch) => {
      if (devicesOf(batch).includes(13)) throw new RangeError('cannot be stored');
    });
    const roundsToFillQueue = 12;
    for (let round = 0; round < roundsToFillQueue; round++) {
      await Promise.all([
        pipeline.submit(arrivalOf(1, 5_000)),
        pipeline.submitHeld(arrivalOf(2, 500)),
        assert.rejects(pipeline.submit(arrivalOf(13, 500)), RangeError),
      ]);
      assert.ok(pipeline.hasRoom());
    }
    assert.equal(pipeline.queuedReadings, 0);
  });

  it('splits a batch that fails, so that only the arrivals that cannot be stored are rejected', async () => {
    const stored: number[] = [];
    const { pipeline, counters } = pipelineOver(async (batch) => {
      if (devicesOf(batch).some((deviceNo) => deviceNo % 10 === 3)) throw new RangeError('cannot be stored');
      stored.push(...devicesOf(batch));
    });
    const all = Array.from({ length: 40 }, (_, deviceNo) => deviceNo);
    const settled = await Promise.allSettled(all.map((deviceNo) => pipeline.submitHeld(arrivalOf(deviceNo))));
    const refused = all.filter((deviceNo) => settled[deviceNo]?.status === 'rejected');
    assert.deepEqual(refused, [3, 13, 23, 33]);
    assert.deepEqual(
      stored.toSorted((a, b) => a - b),
      all.filter((deviceNo) => !refused.includes(deviceNo)),
    );
    assert.equal(counters.unstorableArrivals, 4);
  });

  for (const code of ['storage_unavailable', 'storage_full'] as const) {
    it(`holds messages of devices while the answer is ${code}, and refuses other callers immediately`, async () => {
      let isDown = true;
      let attempts = 0;
      const stored: number[] = [];
      const { pipeline, counters } = pipelineOver(async (batch) => {
        attempts++;
        if (isDown) throw failure(code);
        stored.push(...devicesOf(batch));
      });
      const held = [1, 2, 3].map((deviceNo) => pipeline.submitHeld(arrivalOf(deviceNo)));
      await assert.rejects(pipeline.submit(arrivalOf(9)), isRefusal(code));
      await eventually(async () => attempts >= 2, true);
      assert.ok(pipeline.isHolding);
      await assert.rejects(pipeline.submit(arrivalOf(9)), isRefusal(code));
      held.push(pipeline.submitHeld(arrivalOf(4)));
      assert.equal(pipeline.queuedReadings, 4);
      isDown = false;
      await Promise.all(held);
      assert.deepEqual(stored, [1, 2, 3, 4]);
      assert.deepEqual([pipeline.isHolding, pipeline.queuedReadings], [false, 0]);
      assert.equal(counters.unstorableArrivals, 0);
      await pipeline.submit(arrivalOf(9));
    });
  }

  it('does not delay a device by many readings of another device', async () => {
    const batches: Batch[] = [];
    const { pipeline } = pipelineOver(async (batch) => {
      batches.push(batch);
    });
    const bulk = [1, 2, 3].map(() => pipeline.submitHeld(arrivalOf(1, 1_000)));
    const others = [2, 3, 4].map((deviceNo) => pipeline.submitHeld(arrivalOf(deviceNo)));
    await Promise.all(others);
    const written = batches.flatMap(({ readings }) => readings);
    assert.deepEqual([batches.length, written.length], [1, 103]);
    await Promise.all(bulk);
    assert.equal(batches.flatMap(({ readings }) => readings).length, 3_003);
    assert.equal(pipeline.queuedReadings, 0);
  });

  it('writes a request over HTTP in one batch', async () => {
    const sizes: number[] = [];
    const { pipeline } = pipelineOver(async ({ readings }) => {
      sizes.push(readings.length);
    });
    await Promise.all([pipeline.submit(arrivalOf(1, 1_000)), pipeline.submit(arrivalOf(2))]);
    assert.deepEqual(sizes, [1_000, 1]);
  });

  it('has more batches under way while enough readings wait to fill them', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const sizes: number[] = [];
    const { pipeline } = pipelineOver(async ({ readings }) => {
      sizes.push(readings.length);
      await promise;
    });
    const few = [1, 2, 3].map((deviceNo) => pipeline.submitHeld(arrivalOf(deviceNo)));
    await eventually(async () => sizes.length, 1);
    const many = [4, 5, 6, 7].map((deviceNo) => pipeline.submit(arrivalOf(deviceNo, 500)));
    await eventually(async () => sizes.length, 4);
    assert.deepEqual(sizes, [3, 500, 500, 500]);
    resolve();
    await Promise.all([...few, ...many]);
    assert.deepEqual(sizes, [3, 500, 500, 500, 500]);
  });

  it('writes many readings of a device in small batches, also while no other device waits', async () => {
    const sizes: number[] = [];
    const { pipeline } = pipelineOver(async ({ readings }) => {
      sizes.push(readings.length);
    });
    await Promise.all([1, 2].map(() => pipeline.submitHeld(arrivalOf(1, 150))));
    assert.deepEqual(sizes, [100, 100, 100]);
  });

  it('drops the rest of a message when a part of it could not be stored', async () => {
    const { pipeline, counters } = pipelineOver(async ({ readings }) => {
      if (readings.some(({ deviceNo, tsMs }) => deviceNo === 13 && tsMs >= 500))
        throw new RangeError('cannot be stored');
    });
    const unstorable = pipeline.submitHeld(arrivalOf(13, 1_000));
    const others = Promise.all(
      Array.from({ length: 2_000 }, (_, n) => pipeline.submitHeld(arrivalOf(100 + n, 10))),
    );
    await assert.rejects(unstorable, RangeError);
    await others;
    await pipeline.submitHeld(arrivalOf(13));
    assert.deepEqual([counters.unstorableArrivals, pipeline.queuedReadings], [1, 0]);
  });

  it('refuses further messages of devices when the queue is full', async () => {
    const { pipeline, counters } = pipelineOver(() => Promise.reject(failure('storage_unavailable')));
    const held: Promise<void>[] = [];
    for (let messages = 0; messages < 400; messages++) held.push(pipeline.submitHeld(arrivalOf(1, 1_000)));
    await assert.rejects(pipeline.submitHeld(arrivalOf(2)), isRefusal('ingest_busy'));
    assert.equal(counters.refusedWhenFull, 1);
    const settled = Promise.allSettled(held);
    await pipeline.drain();
    const failed = (await settled).filter(({ status }) => status === 'rejected');
    assert.deepEqual([failed.length, pipeline.queuedReadings], [400, 0]);
  });

  describe('usual messages', () => {
    /** Notes in which order messages are stored, and which ones fail. */
    const notes = (seen: string[]) => ({
      stored: (message: number) => void seen.push(`stored ${message}`),
      failed: (message: number) => void seen.push(`failed ${message}`),
    });
    const plain = (deviceNo: number, tsMs = 0) =>
      packReadings([
        readingOf(deviceNo, tsMs, { weight: 1 }),
        { ...readingOf(deviceNo, tsMs, {}), group: 2, a: 7 },
      ]);

    it('are written in one batch with others, each device in its order', async () => {
      const batches: Batch[] = [];
      const { pipeline, counters } = pipelineOver(async (batch) => void batches.push(batch));
      const seen: string[] = [];
      assert.ok(pipeline.submitPlain(plain(1), 5, notes(seen), 0));
      const other = pipeline.submitHeld({ ...arrivalOf(2), seenAtMs: 6 });
      assert.ok(pipeline.submitPlain(plain(3), 8, notes(seen), 1));
      assert.ok(pipeline.submitPlain(plain(2, 1), 9, notes(seen), 2), 'follows the other one');
      assert.equal(pipeline.queuedReadings, 7);
      await other;
      assert.deepEqual(seen, ['stored 0', 'stored 1', 'stored 2']);
      const [batch] = batches;
      assert.equal(batches.length, 1);
      assert.deepEqual(
        batch?.readings.map(({ deviceNo, group, tsMs }) => `${deviceNo} ${group} ${tsMs}`),
        ['1 1 0', '1 2 0', '3 1 0', '3 2 0', '2 1 0', '2 1 1', '2 2 1'],
      );
      assert.deepEqual(
        batch?.seen.map(({ deviceNo, atMs }) => `${deviceNo} ${atMs}`),
        ['1 5', '3 8', '2 9'],
      );
      assert.deepEqual(
        [pipeline.queuedReadings, counters.storedMessages, counters.storedReadings],
        [0, 4, 7],
      );
    });

    it('never overtake what is left of a long message of their device', async () => {
      const batches: Batch[] = [];
      const { pipeline } = pipelineOver(async (batch) => void batches.push(batch));
      const seen: string[] = [];
      const long = pipeline.submitHeld(arrivalOf(1, 150));
      assert.ok(pipeline.submitPlain(plain(2, 7), 0, notes(seen), 0));
      assert.ok(pipeline.submitPlain(plain(1, 150), 0, notes(seen), 1));
      await long;
      await eventually(async () => seen.toSorted().join(), 'stored 0,stored 1');
      const times = batches.flatMap(({ readings }) =>
        readings.filter(({ deviceNo }) => deviceNo === 1).map(({ tsMs }) => tsMs),
      );
      assert.deepEqual([batches.length, times.length], [2, 152]);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
    });

    it('are taken while others of their device wait', async () => {
      const { pipeline } = pipelineOver(() => new Promise((resolve) => setTimeout(resolve, 5)));
      const seen: string[] = [];
      const others = Array.from({ length: 1_000 }, (_, deviceNo) => pipeline.submitHeld(arrivalOf(deviceNo)));
      for (let deviceNo = 0; deviceNo < 1_000; deviceNo++)
        assert.ok(pipeline.submitPlain(plain(deviceNo, 1), 0, notes(seen), deviceNo));
      await Promise.all(others);
      await eventually(async () => seen.length, 1_000);
    });

    it('are counted among the messages of a device of which another one was not as it should be', async () => {
      const batches: Batch[] = [];
      const { pipeline } = pipelineOver(async (batch) => void batches.push(batch));
      const seen: string[] = [];
      pipeline.submitPlain(plain(1), 5, notes(seen), 0);
      pipeline.submitPlain(plain(2), 6, notes(seen), 1);
      await pipeline.submitHeld({
        ...arrivalOf(1),
        seenAtMs: 7,
        reception: { refusal: null, clockOffsetMs: 1 },
      });
      assert.deepEqual(batches[0]?.receptions, [
        { deviceNo: 1, atMs: 5, refusal: null, clockOffsetMs: 0 },
        { deviceNo: 1, atMs: 7, refusal: null, clockOffsetMs: 1 },
      ]);
    });

    it('are stored, but for the one that cannot be', async () => {
      const { pipeline, counters } = pipelineOver(async (batch) => {
        if (devicesOf(batch).includes(13)) throw new RangeError('cannot be stored');
      });
      const seen: string[] = [];
      for (const deviceNo of [11, 12, 13, 14])
        pipeline.submitPlain(plain(deviceNo), 0, notes(seen), deviceNo);
      await eventually(async () => seen.toSorted().join(), 'failed 13,stored 11,stored 12,stored 14');
      assert.deepEqual([counters.unstorableArrivals, pipeline.queuedReadings], [1, 0]);
      assert.ok(pipeline.submitPlain(plain(11, 1), 0, notes(seen), 15), 'nothing of it waits any more');
      await eventually(async () => seen.at(-1), 'stored 15');
    });

    it('are held while the storage is not available, and fail when the service ends', async () => {
      let isDown = true;
      const { pipeline } = pipelineOver(async () => {
        if (isDown) throw failure('storage_unavailable');
      });
      const seen: string[] = [];
      for (let message = 0; message < 1_000; message++)
        assert.ok(pipeline.submitPlain(plain(message), 0, notes(seen), message));
      await eventually(async () => pipeline.isHolding, true);
      assert.ok(pipeline.submitPlain(plain(1, 1), 0, notes(seen), 1_000));
      isDown = false;
      await eventually(async () => seen.length, 1_001);
      assert.ok(seen.every((note) => note.startsWith('stored')));
      isDown = true;
      pipeline.submitPlain(plain(1, 2), 0, notes(seen), 2_000);
      await eventually(async () => pipeline.isHolding, true);
      await pipeline.drain();
      assert.deepEqual([seen.at(-1), pipeline.queuedReadings], ['failed 2000', 0]);
    });

    it('are submitted like others, and refused so, when the queue is full', async () => {
      const { pipeline } = pipelineOver(() => Promise.reject(failure('storage_unavailable')));
      const seen: string[] = [];
      let message = 0;
      while (pipeline.submitPlain(plain(message), 0, notes(seen), message)) message++;
      assert.equal(message, HELD_READINGS_MAX / 2);
      await assert.rejects(pipeline.submitHeld(arrivalOf(1)), isRefusal('ingest_busy'));
      await pipeline.drain();
      assert.equal(seen.length, message);
    });
  });

  it('stops while the storage is not available', async () => {
    const { pipeline } = pipelineOver(() => Promise.reject(failure('storage_unavailable')));
    const held = pipeline.submitHeld(arrivalOf(1));
    held.catch(() => undefined);
    await eventually(async () => pipeline.isHolding, true);
    await pipeline.drain();
    await assert.rejects(held, isRefusal('storage_unavailable'));
  });
});
