import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { describeEachEngine } from '@granary/testing/app/engines';
import { batchOf, NOW_MS, reading, registerDevice } from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';

describeEachEngine('the track of a device', (engine) => {
  let app: App;
  before(async () => {
    app = await engine.open();
  });

  const append = (...readings: ReturnType<typeof reading>[]) => app.telemetry.append(batchOf({ readings }));
  const position = (n: number) => ({ latitude: 520_000_000 + n, longitude: -1_799_999_999, altitude: 1_500 });
  const timesOf = async (deviceNo: number, fromMs: number, toMs: number, limit = 10_000) =>
    (await app.telemetry.track({ deviceNo, fromMs, toMs, limit })).map(({ tsMs }) => tsMs);

  it('is empty before anything was stored', async () => {
    assert.deepEqual(await timesOf(1, 0, NOW_MS), []);
  });

  it('has the positions in the range in order of time, in whatever order they arrived', async () => {
    const deviceNo = await registerDevice(app);
    const otherDeviceNo = await registerDevice(app);
    const atMs = (n: number) => NOW_MS + n * 4 * MINUTE_MS;
    await append(reading(deviceNo, atMs(3), position(3)), reading(otherDeviceNo, atMs(1), position(9)));
    await append(reading(deviceNo, atMs(1), position(1)), reading(deviceNo, atMs(2), { battery_level: 1 }));
    await append(reading(deviceNo, atMs(1), position(7)), reading(deviceNo, atMs(0), position(0)));
    const track = await app.telemetry.track({ deviceNo, fromMs: atMs(0), toMs: atMs(3), limit: 100 });
    assert.deepEqual(track, [
      { tsMs: atMs(0), ...position(0) },
      { tsMs: atMs(1), ...position(1) },
    ]);
    assert.deepEqual(await timesOf(deviceNo, atMs(0) + 1, atMs(3) + 1), [atMs(1), atMs(3)]);
    assert.deepEqual(await timesOf(deviceNo, atMs(5), atMs(4)), []);
  });

  it('has a position once latitude and longitude have arrived, also in separate readings', async () => {
    const deviceNo = await registerDevice(app);
    await append(reading(deviceNo, NOW_MS, { latitude: 1 }));
    assert.deepEqual(await timesOf(deviceNo, 0, NOW_MS + 1), []);
    await append(reading(deviceNo, NOW_MS, { longitude: 2 }));
    await append(reading(deviceNo, NOW_MS, { latitude: 5, longitude: 5, altitude: 3_000 }));
    assert.deepEqual(await app.telemetry.track({ deviceNo, fromMs: 0, toMs: NOW_MS + 1, limit: 1 }), [
      { tsMs: NOW_MS, latitude: 1, longitude: 2, altitude: 3_000 },
    ]);
  });

  it('with more positions than the limit has an even selection and the last one', async () => {
    const deviceNo = await registerDevice(app);
    const fromMs = NOW_MS + 500;
    const times = Array.from({ length: 1_000 }, (_, n) => fromMs + n * SECOND_MS);
    await append(...times.map((tsMs, n) => reading(deviceNo, tsMs, position(n))));
    const toMs = fromMs + 1_000 * SECOND_MS;
    for (const limit of [999, 500, 101, 7]) {
      const shown = await timesOf(deviceNo, fromMs, toMs, limit);
      assert(shown.length <= limit && shown.length > limit / 8, `${shown.length} of at most ${limit}`);
      assert.equal(shown.at(-1), times.at(-1));
      assert(new Set(shown).isSubsetOf(new Set(times)));
      const gaps = shown.slice(1).map((tsMs, i) => tsMs - (shown[i] ?? 0));
      assert(gaps.every((gapMs) => gapMs > 0 && gapMs <= 2 * Math.min(...gaps)));
    }
    assert.equal((await timesOf(deviceNo, fromMs, toMs, 1_000)).length, 1_000);
    assert.deepEqual(await timesOf(deviceNo, 0, fromMs + 1, 3), [fromMs]);
    const allTime = await timesOf(deviceNo, Date.UTC(1), Date.UTC(9999), 1_000);
    assert.deepEqual(allTime, times);
  });

  it('expires together with the readings that it is made of', async () => {
    const deviceNo = await registerDevice(app);
    const oldMs = NOW_MS - 40 * DAY_MS;
    await append(reading(deviceNo, oldMs, position(1)), reading(deviceNo, NOW_MS, position(2)));
    const limits = { rawBeforeMs: NOW_MS - 30 * DAY_MS, fiveMinutesBeforeMs: 0, rowsMax: 1 };
    let rounds = 0;
    while ((await app.telemetry.expire(limits)) > 0) rounds++;
    assert(rounds > 0);
    assert.deepEqual(await timesOf(deviceNo, 0, NOW_MS + 1), [NOW_MS]);
  });
});
